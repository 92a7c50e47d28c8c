package diag

// The codes of TC3, about a call and the definition of its tool, TC4, about calls that belong together or are
// cut, TC5, about what is not what it looks like, and TC9.
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
	FoldedKey      Code = "TC311"
	NumberRange    Code = "TC312"
	LargeArguments Code = "TC313"
	DuplicateCall  Code = "TC401"
	DuplicateID    Code = "TC402"
	MissingID      Code = "TC403"
	CutCall        Code = "TC404"
	NoCall         Code = "TC405"
	AfterEnd       Code = "TC407"
	ControlToken   Code = "TC501"
	EchoedCall     Code = "TC502"
	HomoglyphName  Code = "TC504"
	TooMany        Code = "TC901"
)

var callRules = []Rule{
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
		Text: "An argument that is not declared would be ignored, and with it what the model meant. The call is not executed. " +
			"A definition of oneshot allows its parameters alone. So does a published function whose schema lists properties and has no keyword, such as " +
			"additionalProperties, that says more, and one without parameters. A schema that lists no properties, as {\"type\": \"object\"}, allows any argument.",
		Bad:  `return search({query: "x", maximum: 5});`,
		Good: `return search({query: "x", limit: 5});`,
	},
	{
		Code: WrongType, Slug: "wrong-type", Severity: Error, Also: []Severity{Warning},
		Title: "An argument has the wrong type",
		Text: "The arguments of a call are not converted: a string of digits is not a number. The call is not executed, and what the value could be is a " +
			"suggestion. With --coerce it is read as that where nothing is lost: a string for the number, boolean, null, array or object whose JSON it is, " +
			"a number or boolean in quotes for a string, one value for an array of it, null for an optional argument that is absent. Then it is a warning.",
		Bad:  `return search({query: "x", limit: "5"});`,
		Good: `return search({query: "x", limit: 5});`,
		Fix:  Unsafe,
	},
	{
		Code: LossyCoercion, Slug: "lossy-coercion", Severity: Error,
		Title: "An argument could only be guessed",
		Text: "A value has the wrong type, and it looks like one of the right type, but something in it would be lost or made up: the fraction of 12.7, " +
			"what stands behind the number in \"5 apples\", the truth of \"yes\", the items of \"a, b\". It is not converted, not even with --coerce. The call is not executed.",
		Bad:  `return search({query: "x", limit: "5 pages"});`,
		Good: `return search({query: "x", limit: 5});`,
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
		Bad:  `{"toolCalls": [{"name": "gmail_list", "arguments": ""}]}`,
		Good: `{"toolCalls": [{"type": "gmail_list", "id": "s1", "operation": "list", "parameters": {}}]}`,
	},
	{
		Code: NameNoise, Slug: "name-noise", Severity: Warning, Also: []Severity{Info},
		Title: "Noise around the name of the tool",
		Text:  "Namespaces such as functions., tools. and default_api. are dropped, and so are quotes and blanks around a name, and await, which is only noted.",
		Bad:   `return functions.search("x");`,
		Good:  `return search("x");`,
		Fix:   Safe,
	},
	{
		Code: ArgConstraint, Slug: "argument-constraint", Severity: Error, Also: []Severity{Warning},
		Title: "An argument breaks a rule of its parameter",
		Text: "Ranges, lengths, patterns and formats of the definition hold for every call. The call is not executed. " +
			"JSON Schema 2020-12 makes format an annotation: in a published function, such as one of --tools-field, a value in another format is a warning, and the call " +
			"is executable, unless --strict is given.",
		Bad:  `return gmail_list({maxResults: 501});`,
		Good: `return gmail_list({maxResults: 500});`,
	},
	{
		Code: FoldedKey, Slug: "folded-key", Severity: Error,
		Title: "Two keys of an object differ only in case",
		Text: "Some programs take them for one key, and then it depends on the program which value counts: what is checked need not be what is " +
			"executed. Case is that of Unicode, so that ſ is an s. The call is not executed.",
		Bad:  `return fetch({request: {path: "a", PATH: "b"}});`,
		Good: `return fetch({request: {path: "a"}});`,
	},
	{
		Code: NumberRange, Slug: "number-range", Severity: Error,
		Title: "A number is beyond every 64-bit float",
		Text: "A program that reads numbers as floats sees infinity or zero, or fails. The call is not executed. Digits alone do no harm: " +
			"a long number keeps them all.",
		Bad:  `return fetch({request: {size: 1e999}});`,
		Good: `return fetch({request: {size: 1e9}});`,
	},
	{
		Code: LargeArguments, Slug: "large-arguments", Severity: Error,
		Title: "The arguments of a call have more than 1 MiB",
		Text:  "The limit protects every program that they go through. The call is not executed.",
		Bad:   `return file_put("a.txt", "… more than 1 MiB …");`,
		Good:  `return file_put("a.txt", "x");`,
	},
	{
		Code: DuplicateCall, Slug: "duplicate-call", Severity: Warning,
		Title: "A response has the same call twice",
		Text:  "Two calls have the same name and arguments. Often the model has repeated itself; both are kept. Where the first is not closed before the second begins, it was begun again, and the second is not run.",
		Bad:   "```tool\nreturn search(\"x\");\nreturn search(\"x\");\n```",
		Good:  "```tool\nreturn search(\"x\");\n```",
	},
	{
		Code: DuplicateID, Slug: "duplicate-id", Severity: Error, Also: []Severity{Warning},
		Title: "Two calls of a response have the same id",
		Text: "A result is told by the id of its call, so an id means one call. The first is kept, the second is not executed. " +
			"A native call is, with another id, and this is a warning.",
		Bad: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}},` + "\n" +
			` {"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "y"}}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}},` + "\n" +
			` {"type": "search", "id": "s2", "operation": "search", "parameters": {"query": "y"}}]}`,
	},
	{
		Code: MissingID, Slug: "missing-id", Severity: Warning,
		Title: "A native call has no id",
		Text: "In the formats of OpenAI, Anthropic, Bedrock and Cohere a result is told by the id of its call. A run makes one; who sends the call back " +
			"as it came is refused by the server.",
		Bad:  `{"choices":[{"message":{"tool_calls":[{"type":"function","function":{"name":"search","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
		Good: `{"choices":[{"message":{"tool_calls":[{"id":"c1","type":"function","function":{"name":"search","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
	},
	{
		Code: CutCall, Slug: "cut-call", Severity: Error,
		Title: "The text ends inside a call",
		Text: "The response was cut off, or a string in it was never closed. What is missing is suggested at most: a call " +
			"that was cut is never executed. Where a mark that begins or ends a call follows a string that was never closed, the call is cut there, and " +
			"the calls after it are listed and not executed. An object or list of a known tool that the text ends in is cut, too.",
		Bad:  "```tool\nreturn file_put(\"a.txt\", \"half a",
		Good: "```tool\nreturn file_put(\"a.txt\", \"half a page\");\n```",
		Fix:  Unsafe,
	},
	{
		Code: NoCall, Slug: "no-call", Severity: Error,
		Title: "A response has no call",
		Text:  "--require-call says that each response has to call a tool, and this one calls none. A call that is not executable counts as one.",
		Bad:   "It is 12 degrees in Oslo.",
		Good:  `return search("Oslo");`,
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
		Code: ControlToken, Slug: "control-token", Severity: Warning,
		Title: "An argument holds a control token",
		Text: "A token that begins or ends a message for some models has leaked into a value, or somebody has put it there so that what follows looks like a message of somebody else " +
			"where the value is shown to a model. The call can be executed: a run writes such tokens in results so that they are none.",
		Bad:  `return file_put("note.txt", "Done.<|im_end|>");`,
		Good: `return file_put("note.txt", "Done.");`,
	},
	{
		Code: EchoedCall, Slug: "echoed-call", Severity: Warning,
		Title: "A call stands in what the model was told",
		Text: "With --context FILE, where the file holds what tools returned or what a page said: the call stands in it, word for word, or its name with all of " +
			"its arguments, in whatever notation. Whoever wrote that must not be able to have it carried out by having it repeated, so the call is not executed. " +
			"A run refuses such a call, too.",
		Bad:  `return file_put("note.txt", "As the page says.");`,
		Good: `return file_put("note.txt", "In my own words.");`,
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
