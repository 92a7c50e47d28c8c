package diag

// TC2: literals.
const (
	TrailingComma      Code = "TC201"
	QuoteCharacter     Code = "TC202"
	PythonLiteral      Code = "TC203"
	RawControl         Code = "TC204"
	BadEscape          Code = "TC205"
	UnescapedQuote     Code = "TC206"
	SmartQuote         Code = "TC207"
	Comment            Code = "TC208"
	UnquotedKey        Code = "TC209"
	UnquotedString     Code = "TC210"
	UnbalancedBracket  Code = "TC211"
	ConcatenatedValues Code = "TC212"
	NotANumber         Code = "TC213"
	DuplicateKey       Code = "TC214"
	InexactNumber      Code = "TC215"
	NonstandardNumber  Code = "TC216"
	NotALiteral        Code = "TC217"
	TooDeep            Code = "TC218"
	DoubleEncoded      Code = "TC219"
	BadLiteral         Code = "TC220"
	KeywordArgs        Code = "TC221"
)

var literalRules = []Rule{
	{
		Code: TrailingComma, Slug: "trailing-comma", Severity: Warning,
		Title: "Trailing comma in JSON",
		Text:  "JavaScript allows it and JSON does not. It has no meaning, and nothing is missing.",
		Bad:   `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x",}}]}`,
		Good:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:   Safe,
	},
	{
		Code: QuoteCharacter, Slug: "quote-character", Severity: Warning,
		Title: "A string has quotes that its dialect does not allow",
		Text: "In JSON, single quotes and backticks are read as quotes where a string can begin, and only there: an apostrophe in a string is text. " +
			"In dialects with string delimiters, other quotes are also read, even around keys, which have no delimiters there.",
		Bad:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": 'x'}}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:  Safe,
	},
	{
		Code: PythonLiteral, Slug: "python-literal", Severity: Warning,
		Title: "True, False or None outside Python",
		Text:  "They are read as true, false and null, their only possible meaning. Python calls may use the words of both languages.",
		Bad:   `return search("x", True);`,
		Good:  `return search("x", true);`,
		Fix:   Safe,
	},
	{
		Code: RawControl, Slug: "raw-control-character", Severity: Warning,
		Title: "A quoted string contains a raw line break or control character",
		Text: "A string in single or double quotes must end on its line. The characters are kept, and all text up to the closing quote " +
			"belongs to the string.",
		Bad:  "return file_put(\"a.txt\", \"one\ntwo\");",
		Good: `return file_put("a.txt", "one\ntwo");`,
		Fix:  Safe,
	},
	{
		Code: BadEscape, Slug: "bad-escape", Severity: Warning, Also: []Severity{Error, Info},
		Title: "A string contains an invalid escape",
		Text: "Most are backslashes of Windows paths and regular expressions. The backslash is kept, which is probably what was meant, and the call " +
			"is marked value_changed. In JSON this applies to all escapes that only JavaScript has, except those of quotes. Python itself keeps " +
			"such a backslash, which is only info. If other escapes in the same string make control characters, as in C:\\Users\\new or " +
			"\\frac{\\alpha}, it is unknown which of them are text: the call is ambiguous and not executed.",
		Bad:  `return search("\d+");`,
		Good: `return search("\\d+");`,
		Fix:  Unsafe,
	},
	{
		Code: UnescapedQuote, Slug: "unescaped-quote", Severity: Warning, Also: []Severity{Error},
		Title: "A string contains its own quotes",
		Text: "Three or more backticks in a row are never valid template quotes: they are read as text, and a single one closes the template. In " +
			"other strings an unescaped quote ends the string: the call is an error and not executed. If the call can be read with its quotes " +
			"escaped, that is the suggestion. No suggestion deletes names, keys, string content or numbers.",
		Bad:  "return file_put(\"a.md\", `\n```go\nx\n```\n`);",
		Good: "return file_put(\"a.md\", `\n\\`\\`\\`go\nx\n\\`\\`\\`\n`);",
		Fix:  Safe,
	},
	{
		Code: SmartQuote, Slug: "smart-quote", Severity: Error, Also: []Severity{Warning},
		Title: "A string has typographic quotes",
		Text:  "Curly quotes are not quotes in JSON; inside a string they are text. Replacing them is only a suggestion: the call is not executed.",
		Bad:   `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": “x”}}]}`,
		Good:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:   Unsafe,
	},
	{
		Code: Comment, Slug: "comment", Severity: Warning,
		Title: "JSON contains a comment",
		Text:  "JavaScript comments are read as white space. JSON has no comments, and a strict parser rejects them.",
		Bad:   `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x" /* what */}}]}`,
		Good:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:   Safe,
	},
	{
		Code: UnquotedKey, Slug: "unquoted-key", Severity: Warning,
		Title: "A key has no quotes",
		Text: "In JSON, a bare word in the place of a key is read as a key, and so are numbers, True, False and None as keys of a Python dict. An " +
			"unquoted value would be a variable, and nothing is evaluated.",
		Bad:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {query: "x"}}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:  Safe,
	},
	{
		Code: UnquotedString, Slug: "unquoted-string", Severity: Warning, Also: []Severity{Error},
		Title: "A string has no quotes",
		Text: "In dialects with string delimiters, text without them is read as a string, and the call is marked value_changed. If its end is " +
			"unknown, too, the call is ambiguous, or invalid if no key follows a comma in it. In JSON it could also be an expression: there it is " +
			"a string in a suggestion only.",
		Bad:  "<|tool_call>call:search{query:x}<tool_call|>",
		Good: "<|tool_call>call:search{query:<|\"|>x<|\"|>}<tool_call|>",
		Fix:  Unsafe,
	},
	{
		Code: UnbalancedBracket, Slug: "unbalanced-bracket", Severity: Error, Also: []Severity{Warning},
		Title: "A bracket is missing, superfluous or mismatched",
		Text: "A closing bracket does not match, or the fence ends inside the call. A missing bracket is named, and added only in a suggestion, " +
			"because a truncated call looks the same. The call is not executed. A superfluous bracket between or after calls is skipped, and so " +
			"is a list around the arguments.",
		Bad:  `return search({query: "x");`,
		Good: `return search({query: "x"});`,
		Fix:  Unsafe,
	},
	{
		Code: ConcatenatedValues, Slug: "concatenated-values", Severity: Error, Also: []Severity{Warning},
		Title: "Several values in the place of one",
		Text: "Two objects in a row can be two calls that a server joined, or one object written twice. Neither is executed. Complete calls in a " +
			"row where a marker encloses one call or a list are certain: they are read, with a warning because other parsers reject both.",
		Bad:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": "{\"query\": \"x\"}{\"query\": \"y\"}"}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:  Safe,
	},
	{
		Code: NotANumber, Slug: "not-a-number", Severity: Error, Also: []Severity{Warning},
		Title: "NaN or Infinity",
		Text:  "JSON has no such number, and programs replace it differently. The call is not executed.",
		Bad:   `return search("x", NaN);`,
		Good:  `return search("x", null);`,
		Fix:   Unsafe,
	},
	{
		Code: DuplicateKey, Slug: "duplicate-key", Severity: Error, Also: []Severity{Warning},
		Title: "An object has a duplicate key",
		Text: "Programs disagree about which value counts, so the executed value may not be the checked one. Keys are compared after decoding their " +
			"escapes. The call is not executed. Of two lists of calls, the first is read.",
		Bad:  `return file_put({path: "a", "path": "b"});`,
		Good: `return file_put({path: "a"});`,
	},
	{
		Code: InexactNumber, Slug: "inexact-number", Severity: Info,
		Title: "A number does not fit into a 64-bit float",
		Text:  "All digits are kept, but a program that reads numbers as floats will see a different one. Write identifiers as strings.",
		Bad:   `return get_order(12345678901234567890);`,
		Good:  `return get_order("12345678901234567890");`,
	},
	{
		Code: NonstandardNumber, Slug: "nonstandard-number", Severity: Warning, Also: []Severity{Error},
		Title: "A number has a nonstandard form",
		Text: "Plus signs, leading zeros, misplaced underscores and the suffix n are dropped, and JSON numbers in forms that only JavaScript has " +
			"are normalized. If leading zeros could mean an octal number, there are two readings, and the call is not executed.",
		Bad:  `return wait(+5);`,
		Good: `return wait(5);`,
		Fix:  Safe,
	},
	{
		Code: NotALiteral, Slug: "not-a-literal", Severity: Error, Also: []Severity{Warning},
		Title: "An argument is not a literal",
		Text: "Variables, operators, calls, spreads, functions, regular expressions, undefined and ${…} in templates would have to be evaluated, " +
			"and oneshot evaluates nothing that a model writes. The call is not executed.",
		Bad:  "return search(`${name} x`);",
		Good: `return search("Ada x");`,
		Fix:  Unsafe,
	},
	{
		Code: TooDeep, Slug: "too-deep", Severity: Error, Also: []Severity{Warning},
		Title: "Arrays and objects are nested too deeply",
		Text:  "The limit protects every program that processes the value. The call is not executed.",
		Bad:   `return f([[[[ … 65 levels … ]]]]);`,
		Good:  `return f([1, 2]);`,
	},
	{
		Code: DoubleEncoded, Slug: "double-encoded", Severity: Warning, Also: []Severity{Error},
		Title: "Arguments or a whole response are JSON inside a string",
		Text: "Arguments must be an object, so a string that encodes exactly one object is decoded. A string inside the arguments may be meant as " +
			"it is. It is decoded only if the definition expects an array or object: in dialects that write all values as text, and otherwise " +
			"with --coerce, which is another finding. A response that would be a call after decoding it as a JSON string stays text.",
		Bad:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": "{\"query\": \"x\"}"}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:  Safe,
	},
	{
		Code: BadLiteral, Slug: "bad-literal", Severity: Error, Also: []Severity{Warning},
		Title: "A literal is malformed",
		Text: "A comma, colon, key or value is missing, or a number is invalid. There are several possible repairs, so one is at most suggested, " +
			"and the call is not executed. A missing comma between two calls is certain, and so are spaces of other scripts.",
		Bad:  `return search("a" "b");`,
		Good: `return search("a", "b");`,
		Fix:  Unsafe,
	},
	{
		Code: KeywordArgs, Slug: "keyword-arguments", Severity: Warning, Also: []Severity{Error},
		Title: "Arguments have names, or a colon after them",
		Text: "JavaScript has no named arguments, neither with = nor with a colon: they are read as one object of parameters. In Python, a colon is " +
			"read as =. A mix of positional and named arguments is not executed.",
		Bad:  `return search(query="x", limit=5);`,
		Good: `return search({query: "x", limit: 5});`,
		Fix:  Safe,
	},
}
