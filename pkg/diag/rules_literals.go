package diag

// The codes of TC2, about literals.
const (
	TrailingComma  Code = "TC201"
	QuoteCharacter Code = "TC202"
	PythonLiteral  Code = "TC203"
	RawControl     Code = "TC204"
	BadEscape      Code = "TC205"
	UnescapedQuote Code = "TC206"
	SmartQuote     Code = "TC207"
	Comment        Code = "TC208"
	BareKey        Code = "TC209"
	BareValue      Code = "TC210"
	Bracket        Code = "TC211"
	Concatenated   Code = "TC212"
	NotANumber     Code = "TC213"
	DuplicateKey   Code = "TC214"
	InexactNumber  Code = "TC215"
	NumberForm     Code = "TC216"
	NotALiteral    Code = "TC217"
	TooDeep        Code = "TC218"
	DoubleEncoded  Code = "TC219"
	BadLiteral     Code = "TC220"
	KeywordArgs    Code = "TC221"
)

var literalRules = []Rule{
	{
		Code: TrailingComma, Slug: "trailing-comma", Severity: Warning,
		Title: "Trailing comma in JSON",
		Text:  "JavaScript allows it and JSON does not. Nothing is missing; the comma means nothing.",
		Bad:   `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x",}}]}`,
		Good:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:   Safe,
	},
	{
		Code: QuoteCharacter, Slug: "quote-character", Severity: Warning,
		Title: "A string in quotes that its dialect does not have",
		Text: "In JSON, single quotes and backticks are read as quotes where a string can begin, and only there: an apostrophe in a string is text. " +
			"Where strings stand between marks of their own, other quotes are read, too, also around keys, which have none there.",
		Bad:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": 'x'}}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:  Safe,
	},
	{
		Code: PythonLiteral, Slug: "python-literal", Severity: Warning,
		Title: "True, False or None where Python is not written",
		Text:  "They are read as true, false and null: they cannot mean anything else. In calls of Python the words of both languages are right.",
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
		Code: BadEscape, Slug: "bad-escape", Severity: Warning, Also: []Severity{Error, Info},
		Title: "A string holds an escape that does not exist",
		Text: "Most are the backslashes of Windows paths and regular expressions. The backslash is kept, which is " +
			"probably what was meant; the call is marked as one whose value may have changed. In JSON that is so for all escapes " +
			"which only JavaScript has, but those of quotes. Python itself keeps such a backslash: there it is only noted. Where others of the same string " +
			"make control characters, as in C:\\Users\\new or \\frac{\\alpha}, nothing says which of them are text: the call is ambiguous and not executed.",
		Bad:  `return search("\d+");`,
		Good: `return search("\\d+");`,
		Fix:  Unsafe,
	},
	{
		Code: UnescapedQuote, Slug: "unescaped-quote", Severity: Warning, Also: []Severity{Error},
		Title: "A string holds its own quotes",
		Text: "Three or more backticks in a row can never be right as quotes of a template: they are read as text, and a single one closes it. " +
			"A quote in another string that is not escaped ends it: the call is an error and not executed. Where the call can be read with its quotes " +
			"escaped, that is the suggestion. No suggestion deletes what the model wrote: names, keys, the content of strings, numbers.",
		Bad:  "return file_put(\"a.md\", `\n```go\nx\n```\n`);",
		Good: "return file_put(\"a.md\", `\n\\`\\`\\`go\nx\n\\`\\`\\`\n`);",
		Fix:  Safe,
	},
	{
		Code: SmartQuote, Slug: "smart-quote", Severity: Error, Also: []Severity{Warning},
		Title: "A string has typographic quotes around it",
		Text: "Curly quotes are no quotes in JSON; inside a string they are text. That they were meant as such is a suggestion: " +
			"the call is not executed.",
		Bad:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": “x”}}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:  Unsafe,
	},
	{
		Code: Comment, Slug: "comment", Severity: Warning,
		Title: "JSON holds a comment",
		Text:  "Comments of JavaScript are read as blanks. JSON has none, and a strict reader refuses them.",
		Bad:   `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x" /* what */}}]}`,
		Good:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:   Safe,
	},
	{
		Code: BareKey, Slug: "bare-key", Severity: Warning,
		Title: "A key has no quotes",
		Text: "In JSON, a word in the place of a key is read as one, and so are numbers, True, False and None as keys of a dict of Python. " +
			"A value without quotes would be a variable, and nothing is evaluated.",
		Bad:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {query: "x"}}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:  Safe,
	},
	{
		Code: BareValue, Slug: "bare-value", Severity: Warning, Also: []Severity{Error},
		Title: "A string has no quotes",
		Text: "Where strings stand between marks of their own, text without them is read as a string, and the call is marked as one whose value may have " +
			"changed; where its end is unknown, too, the call is ambiguous, or invalid if no key follows a comma in it. In JSON it could also be something that would have to be " +
			"evaluated: there it is a string in a suggestion only.",
		Bad:  "<|tool_call>call:search{query:x}<tool_call|>",
		Good: "<|tool_call>call:search{query:<|\"|>x<|\"|>}<tool_call|>",
		Fix:  Unsafe,
	},
	{
		Code: Bracket, Slug: "bracket", Severity: Error, Also: []Severity{Warning},
		Title: "A bracket is missing, is one too many or closes the wrong one",
		Text: "A closing bracket does not fit, or the fence ends inside the call. What is missing is named, and added in a suggestion at most: " +
			"a call that was cut off looks the same. The call is not executed. A bracket too many between calls or behind them is passed over, " +
			"and so is a list around the arguments.",
		Bad:  `return search({query: "x");`,
		Good: `return search({query: "x"});`,
		Fix:  Unsafe,
	},
	{
		Code: Concatenated, Slug: "concatenated", Severity: Error, Also: []Severity{Warning},
		Title: "Several values stand where one should",
		Text: "Two objects in a row can be two calls that a server glued together, or one object that was written twice. " +
			"Nothing says which, so neither is executed. Whole calls in a row where a mark holds one, or a list, are certain: they are read, with a " +
			"warning, because other readers refuse both.",
		Bad:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": "{\"query\": \"x\"}{\"query\": \"y\"}"}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:  Safe,
	},
	{
		Code: NotANumber, Slug: "not-a-number", Severity: Error, Also: []Severity{Warning},
		Title: "NaN or Infinity",
		Text:  "JSON has no such number, and programs disagree about what to put in its place. The call is not executed.",
		Bad:   `return search("x", NaN);`,
		Good:  `return search("x", null);`,
		Fix:   Unsafe,
	},
	{
		Code: DuplicateKey, Slug: "duplicate-key", Severity: Error, Also: []Severity{Warning},
		Title: "An object has the same key twice",
		Text: "Which value counts depends on the program, so what is checked need not be what is executed. Keys are " +
			"compared after their escapes are decoded. The call is not executed; of two lists of calls the first is read.",
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
		Code: NumberForm, Slug: "number-form", Severity: Warning, Also: []Severity{Error},
		Title: "A number is written in an uncommon way",
		Text: "Plus signs, leading zeros, misplaced underscores and the suffix n are dropped, and in JSON so is every form that only JavaScript has. " +
			"If leading zeros could mean that the number is octal, there are two readings, and the call is not executed.",
		Bad:  `return wait(+5);`,
		Good: `return wait(5);`,
		Fix:  Safe,
	},
	{
		Code: NotALiteral, Slug: "not-a-literal", Severity: Error, Also: []Severity{Warning},
		Title: "An argument is no literal",
		Text: "Variables, operators, calls, spreads, functions, regular expressions, undefined and ${…} in templates " +
			"would have to be evaluated, and nothing that a model writes is evaluated. The call is not executed.",
		Bad:  "return search(`${name} x`);",
		Good: `return search("Ada x");`,
		Fix:  Unsafe,
	},
	{
		Code: TooDeep, Slug: "too-deep", Severity: Error, Also: []Severity{Warning},
		Title: "Arrays and objects are nested too deeply",
		Text:  "The limit protects every program that the value goes through. The call is not executed.",
		Bad:   `return f([[[[ … 65 levels … ]]]]);`,
		Good:  `return f([1, 2]);`,
	},
	{
		Code: DoubleEncoded, Slug: "double-encoded", Severity: Warning, Also: []Severity{Error},
		Title: "Arguments, or all of a response, are a string that holds JSON",
		Text: "Arguments are an object, so a string that is an object from its first to its last character stands for it. " +
			"A string inside the arguments can be meant as it is. It is decoded only where a definition wants an array or object: in a dialect in which all values " +
			"are text, and otherwise with --coerce, which is another finding. A response that would be a call without the escapes of a string of JSON stays text.",
		Bad:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": "{\"query\": \"x\"}"}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:  Safe,
	},
	{
		Code: BadLiteral, Slug: "bad-literal", Severity: Error, Also: []Severity{Warning},
		Title: "A literal is malformed",
		Text: "A comma, colon, key or value is missing, or a number is none. There is more than one way to mend it, so a way is suggested at most, " +
			"and the call is not executed. A comma that is missing between two calls is no doubt, and neither are blanks of other alphabets.",
		Bad:  `return search("a" "b");`,
		Good: `return search("a", "b");`,
		Fix:  Unsafe,
	},
	{
		Code: KeywordArgs, Slug: "keyword-arguments", Severity: Warning, Also: []Severity{Error},
		Title: "Arguments have names, or a colon behind them",
		Text: "JavaScript has no named arguments, neither with = nor with a colon: they are read as one object of parameters. In Python a colon is read " +
			"as =. A mixture of arguments with and without names is not executed.",
		Bad:  `return search(query="x", limit=5);`,
		Good: `return search({query: "x", limit: 5});`,
		Fix:  Safe,
	},
}
