package diag

// TC3: a call and its tool's definition. TC4: related and truncated calls. TC5: deceptive calls. TC9: limits.
const (
	UnknownTool    Code = "TC301"
	MissingArg     Code = "TC302"
	UnknownArg     Code = "TC303"
	WrongType      Code = "TC304"
	LossyCoercion  Code = "TC305"
	NotInEnum      Code = "TC306"
	ExtraArg       Code = "TC307"
	NoArguments    Code = "TC308"
	NameNoise      Code = "TC309"
	ArgConstraint  Code = "TC310"
	CaseCollision  Code = "TC311"
	NumberRange    Code = "TC312"
	LargeArguments Code = "TC313"
	DuplicateCall  Code = "TC401"
	DuplicateID    Code = "TC402"
	MissingID      Code = "TC403"
	TruncatedCall  Code = "TC404"
	NoCall         Code = "TC405"
	CallAfterEnd   Code = "TC407"
	ControlToken   Code = "TC501"
	EchoedCall     Code = "TC502"
	HomoglyphName  Code = "TC504"
	TooMany        Code = "TC901"
)

var callRules = []Rule{
	{
		Code: UnknownTool, Slug: "unknown-tool", Severity: Error,
		Title: "Unknown tool",
		Text:  "Only the run's tools can be called. The model gets the closest name as a hint.",
		Bad:   `return serch("x");`,
		Good:  `return search("x");`,
	},
	{
		Code: MissingArg, Slug: "missing-argument", Severity: Error,
		Title: "A required argument is missing",
		Text:  "The call is not executed. The model gets the name of the missing argument.",
		Bad:   `return file_put({path: "a.txt"});`,
		Good:  `return file_put({path: "a.txt", content: "x"});`,
	},
	{
		Code: UnknownArg, Slug: "unknown-argument", Severity: Error,
		Title: "The tool has no such parameter",
		Text: "Ignoring an undeclared argument would lose what the model meant, so the call is not executed. A oneshot definition allows only its " +
			"own parameters. So does a published function without parameters, or whose schema lists properties and has no keyword, such as " +
			"additionalProperties, that allows more. A schema without properties, such as {\"type\": \"object\"}, allows any argument.",
		Bad:  `return search({query: "x", maximum: 5});`,
		Good: `return search({query: "x", limit: 5});`,
	},
	{
		Code: WrongType, Slug: "wrong-type", Severity: Error, Also: []Severity{Warning},
		Title: "An argument has the wrong type",
		Text: "Arguments are not converted: a string of digits is not a number. The call is not executed, and the converted value is a suggestion. " +
			"With --coerce, lossless conversions are applied and reported as a warning: a string to the number, boolean, null, array or object " +
			"that it encodes, a number or boolean to a string, one value to an array of it, and null to an omitted optional argument.",
		Bad:  `return search({query: "x", limit: "5"});`,
		Good: `return search({query: "x", limit: 5});`,
		Fix:  Unsafe,
	},
	{
		Code: LossyCoercion, Slug: "lossy-coercion", Severity: Error,
		Title: "An argument could only be converted with loss",
		Text: "The value has the wrong type and resembles the right one, but converting it would drop or invent something: the fraction of 12.7, " +
			"the text after the number in \"5 apples\", the truth value of \"yes\", the items of \"a, b\". It is not converted, even with " +
			"--coerce, and the call is not executed.",
		Bad:  `return search({query: "x", limit: "5 pages"});`,
		Good: `return search({query: "x", limit: 5});`,
	},
	{
		Code: NotInEnum, Slug: "not-in-enum", Severity: Error,
		Title: "An argument is not an allowed value",
		Text:  "The parameter lists its allowed values. The call is not executed, and the model gets the list.",
		Bad:   `return search({query: "x", sort: "newest"});`,
		Good:  `return search({query: "x", sort: "date"});`,
	},
	{
		Code: ExtraArg, Slug: "extra-argument", Severity: Error,
		Title: "Too many arguments",
		Text:  "Positional arguments are assigned to the parameters in order. There are more arguments than parameters, so the call is not executed.",
		Bad:   `return wget("https://example.com/", 5000, true);`,
		Good:  `return wget("https://example.com/", 5000);`,
	},
	{
		Code: NoArguments, Slug: "no-arguments", Severity: Info,
		Title: "A call has no arguments",
		Text: "Some servers and models omit the arguments of tools without parameters, or send an empty string or null. These are read as {}. A " +
			"dialect with a member for arguments, such as \"parameters\", requires it.",
		Bad:  `{"toolCalls": [{"name": "gmail_list", "arguments": ""}]}`,
		Good: `{"toolCalls": [{"type": "gmail_list", "id": "s1", "operation": "list", "parameters": {}}]}`,
	},
	{
		Code: NameNoise, Slug: "name-noise", Severity: Warning, Also: []Severity{Info},
		Title: "Extra text around a tool name",
		Text: "Namespaces such as functions., tools. and default_api. are removed, and so are quotes and spaces around a name, and await, " +
			"which is only info.",
		Bad:  `return functions.search("x");`,
		Good: `return search("x");`,
		Fix:  Safe,
	},
	{
		Code: ArgConstraint, Slug: "argument-constraint", Severity: Error, Also: []Severity{Warning},
		Title: "An argument violates a constraint of its parameter",
		Text: "Every call must satisfy the definition's ranges, lengths, patterns and formats, or it is not executed. JSON Schema 2020-12 makes " +
			"format an annotation: in a published function, such as one from --tools-field, a format violation is a warning and the call is " +
			"executable, unless --strict is given.",
		Bad:  `return gmail_list({maxResults: 501});`,
		Good: `return gmail_list({maxResults: 500});`,
	},
	{
		Code: CaseCollision, Slug: "case-collision", Severity: Error,
		Title: "Two keys of an object differ only in case",
		Text: "Some programs treat them as one key and disagree about which value counts, so the executed value may not be the checked one. Case " +
			"folding follows Unicode: ſ equals s. The call is not executed.",
		Bad:  `return fetch({request: {path: "a", PATH: "b"}});`,
		Good: `return fetch({request: {path: "a"}});`,
	},
	{
		Code: NumberRange, Slug: "number-range", Severity: Error,
		Title: "A number exceeds the range of 64-bit floats",
		Text: "A program that reads numbers as floats sees infinity or zero, or fails. The call is not executed. The number of digits does not " +
			"matter: long numbers keep all of theirs.",
		Bad:  `return fetch({request: {size: 1e999}});`,
		Good: `return fetch({request: {size: 1e9}});`,
	},
	{
		Code: LargeArguments, Slug: "large-arguments", Severity: Error,
		Title: "The arguments of a call exceed 1 MiB",
		Text:  "The limit protects every program that processes them. The call is not executed.",
		Bad:   `return file_put("a.txt", "… more than 1 MiB …");`,
		Good:  `return file_put("a.txt", "x");`,
	},
	{
		Code: DuplicateCall, Slug: "duplicate-call", Severity: Warning,
		Title: "A response repeats a call",
		Text: "Two calls have the same name and arguments, usually because the model repeated itself. Both are kept. If the second begins before " +
			"the first is closed, the model restarted the call, and the second is not executed.",
		Bad:  "```tool\nreturn search(\"x\");\nreturn search(\"x\");\n```",
		Good: "```tool\nreturn search(\"x\");\n```",
	},
	{
		Code: DuplicateID, Slug: "duplicate-id", Severity: Error, Also: []Severity{Warning},
		Title: "Two calls of a response have the same id",
		Text: "An id must identify one call, because results refer to it. The first call is kept; the second is not executed. A native call is " +
			"executed under a new id, with a warning.",
		Bad: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}},` + "\n" +
			` {"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "y"}}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}},` + "\n" +
			` {"type": "search", "id": "s2", "operation": "search", "parameters": {"query": "y"}}]}`,
	},
	{
		Code: MissingID, Slug: "missing-id", Severity: Warning,
		Title: "A native call has no id",
		Text: "In the formats of OpenAI, Anthropic, Bedrock and Cohere, a result refers to the id of its call. A run assigns one. Clients that send " +
			"the call back unchanged get an error from the server.",
		Bad:  `{"choices":[{"message":{"tool_calls":[{"type":"function","function":{"name":"search","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
		Good: `{"choices":[{"message":{"tool_calls":[{"id":"c1","type":"function","function":{"name":"search","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
	},
	{
		Code: TruncatedCall, Slug: "truncated-call", Severity: Error,
		Title: "The text ends inside a call",
		Text: "The response was truncated, or a string was never closed. The missing part is at most a suggestion: a truncated call is never " +
			"executed. If a marker of a call follows an unclosed string, the call ends there, and the calls after it are listed but not executed. " +
			"An unfinished object or list for a known tool counts as a truncated call.",
		Bad:  "```tool\nreturn file_put(\"a.txt\", \"half a",
		Good: "```tool\nreturn file_put(\"a.txt\", \"half a page\");\n```",
		Fix:  Unsafe,
	},
	{
		Code: NoCall, Slug: "no-call", Severity: Error,
		Title: "A response has no call",
		Text:  "--require-call demands a tool call in each response. A call that is not executable counts.",
		Bad:   "It is 12 degrees in Oslo.",
		Good:  `return search("Oslo");`,
	},
	{
		Code: CallAfterEnd, Slug: "call-after-end", Severity: Error,
		Title: "A call follows the one that ends the turn",
		Text: "end_turn must be the last call of a response. Calls after it are not executed: whether the model meant to end or to continue is " +
			"unknown, and skipping them is safe.",
		Bad: `{"toolCalls": [{"type": "end_turn", "id": "e1", "operation": "end", "parameters": {}},` + "\n" +
			` {"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}},` + "\n" +
			` {"type": "end_turn", "id": "e1", "operation": "end", "parameters": {}}]}`,
	},
	{
		Code: ControlToken, Slug: "control-token", Severity: Warning,
		Title: "An argument contains a control token",
		Text: "A token that starts or ends a message for some models has leaked into a value, or was planted there so that the text after it looks " +
			"like another participant's message when a model sees the value. The call is executable: a run escapes such tokens in results.",
		Bad:  `return file_put("note.txt", "Done.<|im_end|>");`,
		Good: `return file_put("note.txt", "Done.");`,
	},
	{
		Code: EchoedCall, Slug: "echoed-call", Severity: Warning,
		Title: "A call repeats untrusted context",
		Text: "With --context FILE, which holds tool results or page text, or in a run file, after such results or input: the call occurs there " +
			"verbatim, or its name and its required arguments do, in any notation. Untrusted text must not trigger a call by being repeated, so the " +
			"call is not executed. With the definition of the tool, a run refuses such a call, too, unless the values are the user's own words. " +
			"Without it, all arguments count as required and the tool as one that writes, and a run may decide otherwise.",
		Bad:  `return file_put("note.txt", "As the page says.");`,
		Good: `return file_put("note.txt", "In my own words.");`,
	},
	{
		Code: HomoglyphName, Slug: "homoglyph-name", Severity: Error,
		Title: "A tool name is not what it looks like",
		Text: "The name matches no tool, and contains an invisible character or look-alike letters of two scripts, such as a Latin and a Cyrillic " +
			"a. A reader would see a different name than the called one. The call is not executed.",
		Bad:  "{\"toolCalls\": [{\"type\": \"se\u0430rch\", \"id\": \"s1\", \"operation\": \"search\", \"parameters\": {\"query\": \"x\"}}]}",
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
	},
	{
		Code: TooMany, Slug: "too-many", Severity: Error,
		Title: "A response exceeds the limit of calls or findings",
		Text: "The first 10,000 calls and the first 10,000 findings of a response are kept. Crafted text can hold one every few bytes; no " +
			"model means that many.",
		Bad:  "f(1); f(2); f(3); … f(10001);",
		Good: "f(1); f(2);",
	},
}
