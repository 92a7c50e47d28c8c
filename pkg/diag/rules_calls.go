package diag

// Codes about calls in a model's output. TC0 is about bytes, TC1 about what
// stands around calls, TC2 about literals, TC3 about a call and the definition
// of its tool, TC4 about calls that belong together or are cut, TC5 about what is
// not what it looks like.
const (
	InvalidUTF8    Code = "TC001"
	UnreadableBody Code = "TC010"
	CutBody        Code = "TC011"
	ServerError    Code = "TC012"
	MissingOpener  Code = "TC101"
	MissingCloser  Code = "TC102"
	WrongCloser    Code = "TC103"
	MarkerInValue  Code = "TC104"
	Relative       Code = "TC105"
	OtherDialect   Code = "TC106"
	MarkupInName   Code = "TC107"
	InReasoning    Code = "TC108"
	QuotedCall     Code = "TC109"
	TextAround     Code = "TC110"
	UnclosedFence  Code = "TC111"
	FenceLine      Code = "TC112"
	NotACall       Code = "TC113"
	NoCallList     Code = "TC114"
	CallMember     Code = "TC115"
	UnknownMember  Code = "TC116"
	StrayMarker    Code = "TC117"
	OpenReasoning  Code = "TC118"
	CallInText     Code = "TC119"
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
	UnknownTool    Code = "TC301"
	MissingArg     Code = "TC302"
	UnknownArg     Code = "TC303"
	WrongType      Code = "TC304"
	NotInEnum      Code = "TC306"
	ExtraArg       Code = "TC307"
	NoArguments    Code = "TC308"
	NameNoise      Code = "TC309"
	ArgConstraint  Code = "TC310"
	DuplicateCall  Code = "TC401"
	DuplicateID    Code = "TC402"
	CutCall        Code = "TC404"
	AfterEnd       Code = "TC407"
	HomoglyphName  Code = "TC504"
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
		Code: UnreadableBody, Slug: "unreadable-body", Severity: Error,
		Title: "The response of a server is damaged",
		Text: "It is not what its format says: broken JSON, a name twice in an object, or an event that does not belong " +
			"there. What stood before that was read; nothing behind it is.",
		Bad:  `{"message":{"content":"Fine."},"done":true,"done":false}`,
		Good: `{"message":{"content":"Fine."},"done":true}`,
	},
	{
		Code: CutBody, Slug: "cut-body", Severity: Error,
		Title: "The response of a server ends too early",
		Text: "Its last message is missing, so that nobody knows what else the model wanted to say. A call that was not " +
			"finished is not executed.",
		Bad:  `{"message":{"content":"Fine"},"done":false}`,
		Good: `{"message":{"content":"Fine."},"done":true}`,
	},
	{
		Code: ServerError, Slug: "server-error", Severity: Error,
		Title: "The server reports an error instead of a response",
		Text:  "The model said nothing, or not all that it wanted to say.",
		Bad:   `{"message":{"content":"Fi"},"done":false}` + "\n" + `{"error":"the model runner has stopped"}`,
		Good:  `{"message":{"content":"Fine."},"done":true}`,
	},
	{
		Code: MissingOpener, Slug: "missing-opener", Severity: Warning,
		Title: "A mark that should stand before a call is missing",
		Text: "Servers that drop special tokens, and models, leave out the mark that opens a call or a list of calls. " +
			"The call is read where the rest says clearly that it is one.",
		Bad:  "<function=search>\n<parameter=query>\nx\n</parameter>\n</function>\n</tool_call>",
		Good: "<tool_call>\n<function=search>\n<parameter=query>\nx\n</parameter>\n</function>\n</tool_call>",
		Fix:  Safe,
	},
	{
		Code: MissingCloser, Slug: "missing-closer", Severity: Warning,
		Title: "The mark or bracket that closes calls is missing",
		Text: "The text or the fence ends before the brackets or the mark that close what holds the calls. The calls in it are complete and are " +
			"read, but a strict reader would refuse them.",
		Bad:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:  Safe,
	},
	{
		Code: WrongCloser, Slug: "wrong-closer", Severity: Warning,
		Title: "A mark closes something that it does not belong to",
		Text: "A value is closed by the mark of something else, by the beginning of the next, or, where strings stand between marks of their own, by what " +
			"follows a string whose closing mark is missing. It may go on behind that, so the call is ambiguous and not executed. " +
			"Only the name of a parameter has an end that is certain.",
		Bad:  "<tool_call>\n<function=search>\n<parameter=query>\nx\n</function>\n</tool_call>",
		Good: "<tool_call>\n<function=search>\n<parameter=query>\nx\n</parameter>\n</function>\n</tool_call>",
		Fix:  Unsafe,
	},
	{
		Code: MarkerInValue, Slug: "marker-in-value", Severity: Warning,
		Title: "A value holds a mark of the dialect",
		Text: "Values of such dialects are text without escapes, so a mark in one cannot be told from a mark behind it, but by what follows. " +
			"It is text where the call goes on as if it were; where both readings are possible the call is ambiguous and not executed.",
		Bad:  "<function=note>\n<parameter=text>\nwrite </parameter> at the end\n</parameter>\n</function>",
		Good: "<function=note>\n<parameter=text>\nclose it at the end\n</parameter>\n</function>",
	},
	{
		Code: Relative, Slug: "near-relative", Severity: Warning,
		Title: "A call is written in the way of a near relative",
		Text: "Models know many forms of JSON that mean a call: a list with another name, a list or a single call without the object around it, " +
			"\"name\" and \"arguments\", a \"function\". Where it is clear what is meant it is read; such a call needs no id and no operation.",
		Bad:  `{"tool_calls": [{"name": "search", "arguments": {"query": "x"}}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:  Safe,
	},
	{
		Code: OtherDialect, Slug: "other-dialect", Severity: Warning,
		Title: "A response holds calls of another dialect",
		Text: "A response mixes two ways to write calls, or another program writes its calls in the same fence with rules of its own. " +
			"Where the dialect is told from the text all calls are read; where it was named, what is not of it is content, and no call.",
		Bad:  "```tool\nreturn search(\"x\");\n```\n<tool_call>{\"name\": \"search\", \"arguments\": {\"query\": \"y\"}}</tool_call>",
		Good: "```tool\nreturn search(\"x\");\nreturn search(\"y\");\n```",
	},
	{
		Code: MarkupInName, Slug: "markup-in-name", Severity: Warning,
		Title: "A mark of the dialect stands in the name of a tool",
		Text:  "Control tokens leak into names when a model or a server cuts a call in the wrong place. They are removed; what is left must be a name.",
		Bad:   "<|start|>assistant<|channel|>commentary to=functions.search<|channel|>commentary<|message|>{\"query\": \"x\"}<|call|>",
		Good:  "<|start|>assistant<|channel|>commentary to=functions.search<|message|>{\"query\": \"x\"}<|call|>",
		Fix:   Safe,
	},
	{
		Code: InReasoning, Slug: "call-in-reasoning", Severity: Warning,
		Title: "A call stands inside reasoning",
		Text: "What a model thinks is a draft: the same call may follow, or none. A call there is shown and never executed, " +
			"also where the reasoning was not closed before it.",
		Bad:  "<think>I could <tool_call>{\"name\": \"search\", \"arguments\": {\"query\": \"x\"}}</tool_call></think>",
		Good: "<think>I could search.</think><tool_call>{\"name\": \"search\", \"arguments\": {\"query\": \"x\"}}</tool_call>",
	},
	{
		Code: QuotedCall, Slug: "quoted-call", Severity: Warning,
		Title: "A call stands in a fence of another language, or in what somebody else says",
		Text: "What stands inside another fence, or in a message of another role, is quoted, and what is marked with another word is something else: " +
			"nothing of it is run, so that a text about calls does not become calls.",
		Bad:  "```tools\nreturn search(\"x\");\n```",
		Good: "```tool\nreturn search(\"x\");\n```",
	},
	{
		Code: TextAround, Slug: "text-around", Severity: Warning,
		Title: "Text stands beside the JSON that a response should be, or between parameters",
		Text: "A response that should be one JSON object holds text before, between or behind its calls, or a call holds text between its parameters. " +
			"The first is kept as content, but nobody may ever see it, and a strict reader refuses the response; the second belongs to no " +
			"argument and is left out, so the call is marked as one whose value may have changed.",
		Bad:  "I will search.\n\n{\"toolCalls\": [{\"type\": \"search\", \"id\": \"s1\", \"operation\": \"search\", \"parameters\": {\"query\": \"x\"}}]}",
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
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
		Title: "A statement, or an item of a list of calls, is no call",
		Text: "Only calls of the form name(literals) are read, and only objects in a list of calls. Assignments, conditions, methods of a result and prose " +
			"are passed over up to the end of the statement; calls before and after are kept.",
		Bad:  "```tool\nconst page = wget(\"https://example.com/\");\n```",
		Good: "```tool\nreturn wget(\"https://example.com/\");\n```",
	},
	{
		Code: NoCallList, Slug: "no-call-list", Severity: Error,
		Title: "A JSON object has no list of calls",
		Text: "The response begins with an object without \"toolCalls\", or what stands there is no array. Nothing in the object is " +
			"run. An object that begins with another key is looked at up to its end, a single call counts, and everything else is content.",
		Bad:  `{"toolCalls": {"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
	},
	{
		Code: CallMember, Slug: "call-member", Severity: Error,
		Title: "A call lacks a member, or one has the wrong type",
		Text: "A call has \"type\", \"id\" and \"operation\", which are strings, and \"parameters\", an object; \"priority\" is a number and may be missing. " +
			"What is missing is not made up: the call is not executed, and the others are.",
		Bad:  `{"toolCalls": [{"type": "search", "id": 1, "parameters": {"query": "x"}}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
	},
	{
		Code: UnknownMember, Slug: "unknown-member", Severity: Info,
		Title: "A call has a member that means nothing",
		Text:  "It is ignored. An argument that stands beside \"parameters\" instead of in them is missing there, which is another finding where it is required.",
		Bad:   `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}, "limit": 5}]}`,
		Good:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x", "limit": 5}}]}`,
	},
	{
		Code: StrayMarker, Slug: "stray-marker", Severity: Info,
		Title: "A mark opens or closes nothing, or a separator parts nothing",
		Text: "A mark of the dialect, or a comma or semicolon between calls, stands where it means nothing. It is no content either, and is left out. " +
			"A mark behind a string that has its own is one too many; behind another value it makes the call ambiguous.",
		Bad:  "The weather is fine.</tool_call>",
		Good: "The weather is fine.",
		Fix:  Unsafe,
	},
	{
		Code: OpenReasoning, Slug: "open-reasoning", Severity: Warning,
		Title: "Reasoning is not closed",
		Text: "The response ends inside reasoning, so everything behind its opening mark is reasoning and nothing is an answer. " +
			"Most often the response was cut by a limit.",
		Bad:  "<think>First I have to",
		Good: "<think>First I have to look.</think>Done.",
	},
	{
		Code: CallInText, Slug: "call-in-text", Severity: Warning,
		Title: "The server has passed on a call as text",
		Text: "The response has a field for calls, and the call stands in its text: the server does not know how its model " +
			"writes calls, or was not told of the tools. Who looks at the field only sees no call.",
		Bad:  `{"message":{"content":"<tool_call>{\"name\": \"search\", \"arguments\": {}}</tool_call>"},"done":true}`,
		Good: `{"message":{"tool_calls":[{"function":{"name":"search","arguments":{}}}]},"done":true}`,
	},
	{
		Code: TrailingComma, Slug: "trailing-comma", Severity: Warning,
		Title: "In JSON, a comma stands behind the last item",
		Text:  "JavaScript allows it and JSON does not. Nothing is missing; the comma means nothing.",
		Bad:   `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x",}}]}`,
		Good:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:   Safe,
	},
	{
		Code: QuoteCharacter, Slug: "quote-character", Severity: Warning,
		Title: "A string has other quotes than those of its dialect",
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
		Code: BadEscape, Slug: "bad-escape", Severity: Warning,
		Title: "A string holds an escape that does not exist",
		Text: "Most are the backslashes of Windows paths and regular expressions. The backslash is kept, which is " +
			"probably what was meant; the call is marked as one whose value may have changed. In JSON that is so for all escapes " +
			"which only JavaScript has, but those of quotes. Python itself keeps such a backslash: there it is only noted.",
		Bad:  `return search("\d+");`,
		Good: `return search("\\d+");`,
		Fix:  Unsafe,
	},
	{
		Code: UnescapedQuote, Slug: "unescaped-quote", Severity: Warning,
		Title: "A string holds its own quotes",
		Text: "Three or more backticks in a row can never be right as quotes of a template: they are read as text, and a single one closes it. " +
			"Quotes in a string of JSON without a backslash are mended as a suggestion only.",
		Bad:  "return file_put(\"a.md\", `\n```go\nx\n```\n`);",
		Good: "return file_put(\"a.md\", `\n\\`\\`\\`go\nx\n\\`\\`\\`\n`);",
		Fix:  Safe,
	},
	{
		Code: SmartQuote, Slug: "smart-quote", Severity: Error,
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
		Code: BareValue, Slug: "bare-value", Severity: Warning,
		Title: "A string has no quotes",
		Text: "Where strings stand between marks of their own, text without them is read as a string, and the call is marked as one whose value may have " +
			"changed; where its end is unknown, too, the call is ambiguous. In JSON it could also be something that would have to be " +
			"evaluated: there it is a string in a suggestion only.",
		Bad:  "<|tool_call>call:search{query:x}<tool_call|>",
		Good: "<|tool_call>call:search{query:<|\"|>x<|\"|>}<tool_call|>",
		Fix:  Unsafe,
	},
	{
		Code: Bracket, Slug: "bracket", Severity: Error,
		Title: "A bracket is missing, is one too many or closes the wrong one",
		Text: "A closing bracket does not fit, or the fence ends inside the call. What is missing is named, and added in a suggestion at most: " +
			"a call that was cut off looks the same. The call is not executed. A bracket too many between calls or behind them is passed over, " +
			"and so is a list around the arguments.",
		Bad:  `return search({query: "x");`,
		Good: `return search({query: "x"});`,
		Fix:  Unsafe,
	},
	{
		Code: Concatenated, Slug: "concatenated", Severity: Error,
		Title: "Several values stand where one should",
		Text: "Two objects in a row can be two calls that a server glued together, or one object that was written twice. " +
			"Nothing says which, so neither is executed.",
		Bad:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": "{\"query\": \"x\"}{\"query\": \"y\"}"}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
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
		Code: NumberForm, Slug: "number-form", Severity: Warning,
		Title: "A number is written in an uncommon way",
		Text: "Plus signs, leading zeros, misplaced underscores and the suffix n are dropped, and in JSON so is every form that only JavaScript has. " +
			"If leading zeros could mean that the number is octal, there are two readings, and the call is not executed.",
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
		Code: DoubleEncoded, Slug: "double-encoded", Severity: Warning,
		Title: "The arguments are a string that holds JSON",
		Text: "Arguments are an object, so a string that is an object from its first to its last character stands for it. " +
			"A string inside the arguments is never decoded: it can be meant as it is.",
		Bad:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": "{\"query\": \"x\"}"}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:  Safe,
	},
	{
		Code: BadLiteral, Slug: "bad-literal", Severity: Error,
		Title: "A literal is malformed",
		Text: "A comma, colon, key or value is missing, or a number is none. There is more than one way to mend it, so a way is suggested at most, " +
			"and the call is not executed. A comma that is missing between two calls is no doubt, and neither are blanks of other alphabets.",
		Bad:  `return search("a" "b");`,
		Good: `return search("a", "b");`,
	},
	{
		Code: KeywordArgs, Slug: "keyword-arguments", Severity: Warning,
		Title: "Arguments have names, or a colon behind them",
		Text: "JavaScript has no named arguments, neither with = nor with a colon: they are read as one object of parameters. In Python a colon is read " +
			"as =. A mixture of arguments with and without names is not executed.",
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
		Text:  "The arguments of a call are not converted: a string of digits is not a number. The call is not executed.",
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
		Code: NoArguments, Slug: "no-arguments", Severity: Info,
		Title: "A call has no arguments",
		Text: "Some servers and models leave them out, or send an empty string or null, where a tool needs none. They are read as {}. " +
			"Where the dialect itself has a place for them, as in \"parameters\", they must be given.",
		Bad:  `{"toolCalls": [{"name": "search", "arguments": ""}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {}}]}`,
	},
	{
		Code: NameNoise, Slug: "name-noise", Severity: Warning,
		Title: "Something stands before the name of the tool",
		Text:  "Namespaces such as functions., tools. and default_api. are dropped, and so are await, and quotes and blanks around a name.",
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
		Text:  "Two calls have the same name and arguments. Often the model has repeated itself; both are kept. Where the first is not closed before the second begins, it was begun again, and the second is not run.",
		Bad:   "```tool\nreturn search(\"x\");\nreturn search(\"x\");\n```",
		Good:  "```tool\nreturn search(\"x\");\n```",
	},
	{
		Code: DuplicateID, Slug: "duplicate-id", Severity: Error,
		Title: "Two calls of a response have the same id",
		Text:  "A result is told by the id of its call, so an id means one call. The first is kept, the second is not executed.",
		Bad: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}},` + "\n" +
			` {"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "y"}}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}},` + "\n" +
			` {"type": "search", "id": "s2", "operation": "search", "parameters": {"query": "y"}}]}`,
	},
	{
		Code: CutCall, Slug: "cut-call", Severity: Error,
		Title: "The text ends inside a call",
		Text: "The response was cut off, or a string in it was never closed. What is missing is suggested at most: a call " +
			"that was cut is never executed.",
		Bad:  "```tool\nreturn file_put(\"a.txt\", \"half a",
		Good: "```tool\nreturn file_put(\"a.txt\", \"half a page\");\n```",
	},
	{
		Code: AfterEnd, Slug: "after-end", Severity: Error,
		Title: "A call stands behind the one that ends the work",
		Text: "end_turn is the last call of a response. What stands behind it is not run: it is unknown whether the model meant to end or to go on, " +
			"and what is not run does no harm.",
		Bad: `{"toolCalls": [{"type": "end_turn", "id": "e1", "operation": "end", "parameters": {}},` + "\n" +
			` {"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}},` + "\n" +
			` {"type": "end_turn", "id": "e1", "operation": "end", "parameters": {}}]}`,
	},
	{
		Code: HomoglyphName, Slug: "homoglyph-name", Severity: Error,
		Title: "The name of a tool is not what it looks like",
		Text: "It holds a character that cannot be seen, or letters of two scripts that look alike, such as a Latin and a Cyrillic a, and it is the " +
			"name of no tool. Whoever reads the response sees another name than the one that would be called; the call is not executed.",
		Bad:  "{\"toolCalls\": [{\"type\": \"se\u0430rch\", \"id\": \"s1\", \"operation\": \"search\", \"parameters\": {\"query\": \"x\"}}]}",
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
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
