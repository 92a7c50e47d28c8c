package diag

// Codes about calls in a model's output. TC0 is about bytes, TC1 about what
// stands around calls, TC2 about literals, TC3 about a call and the definition
// of its tool, TC4 about calls that belong together or are cut.
const (
	InvalidUTF8    Code = "TC001"
	OtherDialect   Code = "TC106"
	QuotedCall     Code = "TC109"
	UnclosedFence  Code = "TC111"
	FenceLine      Code = "TC112"
	NotACall       Code = "TC113"
	PythonLiteral  Code = "TC203"
	RawControl     Code = "TC204"
	BadEscape      Code = "TC205"
	UnescapedQuote Code = "TC206"
	Bracket        Code = "TC211"
	NotANumber     Code = "TC213"
	DuplicateKey   Code = "TC214"
	InexactNumber  Code = "TC215"
	NumberForm     Code = "TC216"
	NotALiteral    Code = "TC217"
	TooDeep        Code = "TC218"
	BadLiteral     Code = "TC220"
	KeywordArgs    Code = "TC221"
	UnknownTool    Code = "TC301"
	MissingArg     Code = "TC302"
	UnknownArg     Code = "TC303"
	WrongType      Code = "TC304"
	NotInEnum      Code = "TC306"
	ExtraArg       Code = "TC307"
	NameNoise      Code = "TC309"
	ArgConstraint  Code = "TC310"
	DuplicateCall  Code = "TC401"
	CutCall        Code = "TC404"
	TooMany        Code = "TC901"
)

// callRules documents the TC codes.
var callRules = []Rule{
	{
		Code: InvalidUTF8, Slug: "invalid-utf8", Severity: Error,
		Title: "Bytes or an escape that is no character",
		Text: "Bytes that are not UTF-8, and half of a surrogate pair, have no meaning in JSON. Decoders replace " +
			"them without a word, so the tool would see another value than the one that was checked. The call is not executed.",
		Bad:  `return file_put("note.txt", "a\ud800");`,
		Good: `return file_put("note.txt", "a😀");`,
	},
	{
		Code: OtherDialect, Slug: "other-dialect", Severity: Warning,
		Title: "A fence holds the calls of another dialect",
		Text: "Another program writes its calls in the same fence with rules of its own. They are not read as calls " +
			"of this dialect; the fence is content.",
		Bad:  "```tool\nTOOL_NAME: read_file\nBEGIN_ARG: filepath\na.txt\nEND_ARG\n```",
		Good: "```tool\nreturn read_file(\"a.txt\");\n```",
	},
	{
		Code: QuotedCall, Slug: "quoted-call", Severity: Warning,
		Title: "A call stands in a fence of another language",
		Text: "What stands inside another fence is quoted, and what is marked with another word is something else: " +
			"neither is read, so that a text about calls does not become calls.",
		Bad:  "```tool_code\nreturn search(\"x\");\n```",
		Good: "```tool\nreturn search(\"x\");\n```",
	},
	{
		Code: UnclosedFence, Slug: "unclosed-fence", Severity: Warning,
		Title: "A fence is not closed",
		Text: "The text ends, or the next fence begins, before the closing line. The calls in it are complete and are " +
			"read, but a strict reader would take the rest of the text for a part of the fence.",
		Bad:  "```tool\nreturn search(\"x\");\n",
		Good: "```tool\nreturn search(\"x\");\n```",
		Fix:  Safe,
	},
	{
		Code: FenceLine, Slug: "fence-line", Severity: Warning,
		Title: "The opening or closing line of a fence holds something else",
		Text: "A fence is opened by its characters and the info string alone on a line, and closed by its characters " +
			"alone on a line. Text on either line is read all the same; a difference in case is only noted.",
		Bad:  "```tool return search(\"x\"); ```",
		Good: "```tool\nreturn search(\"x\");\n```",
		Fix:  Safe,
	},
	{
		Code: NotACall, Slug: "not-a-call", Severity: Error,
		Title: "A statement is no call",
		Text: "Only calls of the form name(literals) are read. Assignments, conditions, methods of a result and prose " +
			"are passed over up to the end of the statement; calls before and after are kept.",
		Bad:  "```tool\nconst page = wget(\"https://example.com/\");\n```",
		Good: "```tool\nreturn wget(\"https://example.com/\");\n```",
	},
	{
		Code: PythonLiteral, Slug: "python-literal", Severity: Warning,
		Title: "True, False or None",
		Text:  "The words of Python are read as true, false and null.",
		Bad:   `return search("x", True);`,
		Good:  `return search("x", true);`,
		Fix:   Safe,
	},
	{
		Code: RawControl, Slug: "raw-control-character", Severity: Warning,
		Title: "A quoted string holds a raw line end or control character",
		Text: "A string in single or double quotes ends on its line. The characters are kept, and all text up to the " +
			"closing quote belongs to the string, whatever it looks like.",
		Bad:  "return file_put(\"a.txt\", \"one\ntwo\");",
		Good: `return file_put("a.txt", "one\ntwo");`,
		Fix:  Safe,
	},
	{
		Code: BadEscape, Slug: "bad-escape", Severity: Warning,
		Title: "A string holds an escape that does not exist",
		Text: "Most are the backslashes of Windows paths and regular expressions. The backslash is kept, which is " +
			"probably what was meant; the call is marked as one whose value may have changed.",
		Bad:  `return search("\d+");`,
		Good: `return search("\\d+");`,
		Fix:  Unsafe,
	},
	{
		Code: UnescapedQuote, Slug: "unescaped-quote", Severity: Warning,
		Title: "A template holds a code fence that is not escaped",
		Text: "Three or more backticks in a row can never be right as quotes of a template. They are read as text. " +
			"A single backtick closes the template.",
		Bad:  "return file_put(\"a.md\", `\n```go\nx\n```\n`);",
		Good: "return file_put(\"a.md\", `\n\\`\\`\\`go\nx\n\\`\\`\\`\n`);",
		Fix:  Safe,
	},
	{
		Code: Bracket, Slug: "bracket", Severity: Error,
		Title: "A bracket is missing or closes the wrong one",
		Text: "A closing bracket does not fit, or the fence ends inside the call. What is missing is named but not " +
			"added: a call that was cut off looks the same. The call is not executed.",
		Bad:  `return search({query: "x");`,
		Good: `return search({query: "x"});`,
		Fix:  Unsafe,
	},
	{
		Code: NotANumber, Slug: "not-a-number", Severity: Error,
		Title: "NaN or Infinity",
		Text:  "JSON has no such number, and programs disagree about what to put in its place. The call is not executed.",
		Bad:   `return search("x", NaN);`,
		Good:  `return search("x", null);`,
	},
	{
		Code: DuplicateKey, Slug: "duplicate-key", Severity: Error,
		Title: "An object has the same key twice",
		Text: "Which value counts depends on the program, so what is checked need not be what is executed. Keys are " +
			"compared after their escapes are decoded. The call is not executed.",
		Bad:  `return file_put({path: "a", "path": "b"});`,
		Good: `return file_put({path: "a"});`,
	},
	{
		Code: InexactNumber, Slug: "inexact-number", Severity: Info,
		Title: "A number does not fit into a 64-bit float",
		Text: "All digits are kept, but a program that reads numbers as floats will see another one. Identifiers are " +
			"better written as strings.",
		Bad:  `return get_order(12345678901234567890);`,
		Good: `return get_order("12345678901234567890");`,
	},
	{
		Code: NumberForm, Slug: "number-form", Severity: Warning,
		Title: "A number is written in an uncommon way",
		Text: "Plus signs, leading zeros, misplaced underscores and the suffix n are dropped. If leading zeros could " +
			"mean that the number is octal, there are two readings, and the call is not executed.",
		Bad:  `return wait(+5);`,
		Good: `return wait(5);`,
		Fix:  Safe,
	},
	{
		Code: NotALiteral, Slug: "not-a-literal", Severity: Error,
		Title: "An argument is no literal",
		Text: "Variables, operators, calls, spreads, functions, regular expressions, undefined and ${…} in templates " +
			"would have to be evaluated, and nothing that a model writes is evaluated. The call is not executed.",
		Bad:  "return search(`${name} x`);",
		Good: `return search("Ada x");`,
	},
	{
		Code: TooDeep, Slug: "too-deep", Severity: Error,
		Title: "Arrays and objects are nested too deeply",
		Text:  "The limit protects every program that the value goes through. The call is not executed.",
		Bad:   `return f([[[[ … 65 levels … ]]]]);`,
		Good:  `return f([1, 2]);`,
	},
	{
		Code: BadLiteral, Slug: "bad-literal", Severity: Error,
		Title: "A literal is malformed",
		Text: "A comma, colon, key or value is missing, or a number is none. There is more than one way to mend it, " +
			"so it is not mended. The call is not executed.",
		Bad:  `return search("a" "b");`,
		Good: `return search("a", "b");`,
	},
	{
		Code: KeywordArgs, Slug: "keyword-arguments", Severity: Warning,
		Title: "Arguments have names",
		Text: "JavaScript has no named arguments. They are read as one object of parameters; a mixture of arguments " +
			"with and without names is not executed.",
		Bad:  `return search(query="x", limit=5);`,
		Good: `return search({query: "x", limit: 5});`,
		Fix:  Safe,
	},
	{
		Code: UnknownTool, Slug: "unknown-tool", Severity: Error,
		Title: "No tool has that name",
		Text:  "Only the tools of the run can be called. The model is told which name comes closest.",
		Bad:   `return serch("x");`,
		Good:  `return search("x");`,
	},
	{
		Code: MissingArg, Slug: "missing-argument", Severity: Error,
		Title: "A required argument is missing",
		Text:  "The call is not executed; the model is told which argument is missing.",
		Bad:   `return file_put({path: "a.txt"});`,
		Good:  `return file_put({path: "a.txt", content: "x"});`,
	},
	{
		Code: UnknownArg, Slug: "unknown-argument", Severity: Error,
		Title: "The tool has no such parameter",
		Text:  "An argument that is not declared would be ignored, and with it what the model meant. The call is not executed.",
		Bad:   `return search({query: "x", maximum: 5});`,
		Good:  `return search({query: "x", limit: 5});`,
	},
	{
		Code: WrongType, Slug: "wrong-type", Severity: Error,
		Title: "An argument has the wrong type",
		Text:  "Values are not converted: a string of digits is not a number. The call is not executed.",
		Bad:   `return search({query: "x", limit: "5"});`,
		Good:  `return search({query: "x", limit: 5});`,
	},
	{
		Code: NotInEnum, Slug: "not-in-enum", Severity: Error,
		Title: "An argument is none of the allowed values",
		Text:  "The parameter lists its values. The call is not executed; the model is told the list.",
		Bad:   `return search({query: "x", sort: "newest"});`,
		Good:  `return search({query: "x", sort: "date"});`,
	},
	{
		Code: ExtraArg, Slug: "extra-argument", Severity: Error,
		Title: "There are more arguments than parameters",
		Text:  "Arguments without names go to the parameters in order. One too many belongs to none, and the call is not executed.",
		Bad:   `return wget("https://example.com/", 5000, true);`,
		Good:  `return wget("https://example.com/", 5000);`,
	},
	{
		Code: NameNoise, Slug: "name-noise", Severity: Warning,
		Title: "Something stands before the name of the tool",
		Text:  "Namespaces such as functions., tools. and default_api. are dropped, and so is await.",
		Bad:   `return functions.search("x");`,
		Good:  `return search("x");`,
		Fix:   Safe,
	},
	{
		Code: ArgConstraint, Slug: "argument-constraint", Severity: Error,
		Title: "An argument breaks a rule of its parameter",
		Text:  "Ranges, lengths, patterns and formats of the definition hold for every call. The call is not executed.",
		Bad:   `return gmail_list({maxResults: 501});`,
		Good:  `return gmail_list({maxResults: 500});`,
	},
	{
		Code: DuplicateCall, Slug: "duplicate-call", Severity: Warning,
		Title: "A response has the same call twice",
		Text:  "Two calls have the same name and arguments. Often the model has repeated itself; both are kept.",
		Bad:   "```tool\nreturn search(\"x\");\nreturn search(\"x\");\n```",
		Good:  "```tool\nreturn search(\"x\");\n```",
	},
	{
		Code: CutCall, Slug: "cut-call", Severity: Error,
		Title: "The text ends inside a call",
		Text: "The response was cut off, or a string in it was never closed. What is missing is not guessed: a call " +
			"that was cut is never executed.",
		Bad:  "```tool\nreturn file_put(\"a.txt\", \"half a",
		Good: "```tool\nreturn file_put(\"a.txt\", \"half a page\");\n```",
	},
	{
		Code: TooMany, Slug: "too-many", Severity: Error,
		Title: "A response has more calls or findings than are kept",
		Text: "Of one response the first 10,000 calls and the first 10,000 findings are kept. A text can hold one in " +
			"every few of its bytes, and no model means that many.",
		Bad:  "f(1); f(2); f(3); … f(10001);",
		Good: "f(1); f(2);",
	},
}
