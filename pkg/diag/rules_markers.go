package diag

// TC1: markers, fences, reasoning and text around calls.
const (
	MissingOpener     Code = "TC101"
	MissingCloser     Code = "TC102"
	WrongCloser       Code = "TC103"
	MarkerInValue     Code = "TC104"
	CallVariant       Code = "TC105"
	OtherDialect      Code = "TC106"
	MarkupInName      Code = "TC107"
	CallInReasoning   Code = "TC108"
	QuotedCall        Code = "TC109"
	SurroundingText   Code = "TC110"
	UnclosedFence     Code = "TC111"
	MalformedFence    Code = "TC112"
	NotACall          Code = "TC113"
	NoCallList        Code = "TC114"
	CallMember        Code = "TC115"
	UnknownMember     Code = "TC116"
	StrayMarker       Code = "TC117"
	UnclosedReasoning Code = "TC118"
	CallInText        Code = "TC119"
)

var envelopeRules = []Rule{
	{
		Code: MissingOpener, Slug: "missing-opener", Severity: Warning,
		Title: "The marker before a call is missing",
		Text: "Models, and servers that strip special tokens, omit the marker that opens a call or a list of calls. The call is read if the " +
			"rest is unambiguous.",
		Bad:  "<function=search>\n<parameter=query>\nx\n</parameter>\n</function>\n</tool_call>",
		Good: "<tool_call>\n<function=search>\n<parameter=query>\nx\n</parameter>\n</function>\n</tool_call>",
		Fix:  Safe,
	},
	{
		Code: MissingCloser, Slug: "missing-closer", Severity: Warning,
		Title: "A marker or bracket that closes calls is missing",
		Text: "The text or the fence ends before the brackets or the marker that close the calls. The calls are complete and are read, but a strict " +
			"parser would reject them.",
		Bad:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:  Safe,
	},
	{
		Code: WrongCloser, Slug: "wrong-closer", Severity: Warning, Also: []Severity{Error},
		Title: "A closing marker belongs to something else",
		Text: "A value ends at another element's marker, at the start of the next value or, in dialects with string delimiters, at the text after a " +
			"string without its closing delimiter. The value may continue after that, so the call is ambiguous and not executed. Only the name of " +
			"a parameter has a certain end.",
		Bad:  "<tool_call>\n<function=search>\n<parameter=query>\nx\n</function>\n</tool_call>",
		Good: "<tool_call>\n<function=search>\n<parameter=query>\nx\n</parameter>\n</function>\n</tool_call>",
		Fix:  Unsafe,
	},
	{
		Code: MarkerInValue, Slug: "marker-in-value", Severity: Warning, Also: []Severity{Error},
		Title: "A value contains a marker of the dialect",
		Text: "Values of such dialects are text without escapes, so only the text after a marker shows whether the marker is part of the value. It " +
			"is, if the call continues as inside a value. If both readings are possible, the call is ambiguous and not executed.",
		Bad:  "<function=note>\n<parameter=text>\nwrite </parameter> at the end\n</parameter>\n</function>",
		Good: "<function=note>\n<parameter=text>\nclose it at the end\n</parameter>\n</function>",
	},
	{
		Code: CallVariant, Slug: "call-variant", Severity: Warning, Also: []Severity{Error},
		Title: "A call is written in a related form",
		Text: "Models write calls in many JSON forms: a list with another name, a list or a single call without its enclosing object, \"name\" and " +
			"\"arguments\", a \"function\". Unambiguous ones are read, and need no id or operation. A message with the recipient in the sender's " +
			"place may be the result of a call, which is an error.",
		Bad:  `{"tool_calls": [{"name": "search", "arguments": {"query": "x"}}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:  Safe,
	},
	{
		Code: OtherDialect, Slug: "other-dialect", Severity: Warning,
		Title: "A response contains calls of another dialect",
		Text: "A response mixes two call formats, or another program uses the same fence with different rules. If the dialect is detected, all " +
			"calls are read. If it is named, a call of another dialect is content with this finding and is never executed.",
		Bad:  "```tool\nreturn search(\"x\");\n```\n<tool_call>{\"name\": \"search\", \"arguments\": {\"query\": \"y\"}}</tool_call>",
		Good: "```tool\nreturn search(\"x\");\nreturn search(\"y\");\n```",
	},
	{
		Code: MarkupInName, Slug: "markup-in-name", Severity: Warning, Also: []Severity{Error},
		Title: "A tool name contains a control token",
		Text: "Control tokens leak into names when a model or a server splits a call in the wrong place. They are removed, and the rest must " +
			"be a valid name. In a JSON string the token may also have split a longer name: the call is not executed unless the rest is a " +
			"defined tool.",
		Bad:  "<|start|>assistant<|channel|>commentary to=functions.search<|channel|>commentary<|message|>{\"query\": \"x\"}<|call|>",
		Good: "<|start|>assistant<|channel|>commentary to=functions.search<|message|>{\"query\": \"x\"}<|call|>",
		Fix:  Unsafe,
	},
	{
		Code: CallInReasoning, Slug: "call-in-reasoning", Severity: Warning,
		Title: "A call is inside reasoning",
		Text: "Reasoning is a draft: the same call may follow, or none. A call in it is reported and never executed, even if the reasoning was not " +
			"closed before the call.",
		Bad:  "<think>I could <tool_call>{\"name\": \"search\", \"arguments\": {\"query\": \"x\"}}</tool_call></think>",
		Good: "<think>I could search.</think><tool_call>{\"name\": \"search\", \"arguments\": {\"query\": \"x\"}}</tool_call>",
	},
	{
		Code: QuotedCall, Slug: "quoted-call", Severity: Warning, Also: []Severity{Info},
		Title: "A call is in a fence of another language, in another participant's message, or in an answer",
		Text: "Calls inside fences of text or of a programming language, in block quotes, in messages of other roles or in messages to the user " +
			"are quotations, and text with another marker is something else. So are calls inside JSON that is not valid. None of them is executed, so that " +
			"text about calls does not become calls. Neither is a call after an unclosed string, which may contain it, or after a tool result that the " +
			"model fabricated. Markers alone are only info, unless a block quote may have ended before them. Marked calls count in fences without a " +
			"language, of JSON and of XML, where some models put them.",
		Bad:  "```tools\nreturn search(\"x\");\n```",
		Good: "```tool\nreturn search(\"x\");\n```",
	},
	{
		Code: SurroundingText, Slug: "surrounding-text", Severity: Warning,
		Title: "Text surrounds the JSON of a response, or separates parameters",
		Text: "A response that should be one JSON object has text before, between or after its calls, or a call has text between its " +
			"parameters. Text around calls is kept as content, which users may never see, and a strict parser rejects the response. Text " +
			"between parameters belongs to no argument and is dropped, so the call is marked value_changed. A list of Python calls of known " +
			"tools after text is not a call.",
		Bad:  "I will search.\n\n{\"toolCalls\": [{\"type\": \"search\", \"id\": \"s1\", \"operation\": \"search\", \"parameters\": {\"query\": \"x\"}}]}",
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
	},
	{
		Code: UnclosedFence, Slug: "unclosed-fence", Severity: Warning,
		Title: "A fence is not closed",
		Text: "The text ends, or the next fence begins, before the closing line. The calls are complete and are read, but a strict parser would " +
			"treat the rest of the text as part of the fence.",
		Bad:  "```tool\nreturn search(\"x\");\n",
		Good: "```tool\nreturn search(\"x\");\n```",
		Fix:  Safe,
	},
	{
		Code: MalformedFence, Slug: "malformed-fence", Severity: Warning, Also: []Severity{Info},
		Title: "The opening or closing line of a fence has extra text",
		Text: "A fence opens with its characters and the info string alone on a line, and closes with its characters alone on a line. Text on " +
			"either line is read anyway; a difference in case is only info.",
		Bad:  "```tool return search(\"x\"); ```",
		Good: "```tool\nreturn search(\"x\");\n```",
		Fix:  Safe,
	},
	{
		Code: NotACall, Slug: "not-a-call", Severity: Error, Also: []Severity{Warning, Info},
		Title: "A statement or list item is not a call",
		Text: "Only calls of the form name(literals), and only objects in a list of calls, are read. Assignments, conditions, methods of a result " +
			"and prose are skipped to the end of the statement; calls before and after it are kept. A tag with the name of a tool is skipped, " +
			"too: it may contain text or markup. Between call markers this is a warning, or an error for a known tool; a sentence that only " +
			"mentions the markers is info. An object without a marker that has an unknown member, or two for the arguments, is text: a warning " +
			"for a known tool.",
		Bad:  "```tool\nconst page = wget(\"https://example.com/\");\n```",
		Good: "```tool\nreturn wget(\"https://example.com/\");\n```",
	},
	{
		Code: NoCallList, Slug: "no-call-list", Severity: Error,
		Title: "A JSON object has no list of calls",
		Text: "The response begins with an object whose \"toolCalls\" is missing or not an array. Nothing in the object is executed. An object that " +
			"begins with another key is searched to its end; a single call counts, and everything else is content.",
		Bad:  `{"toolCalls": {"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
	},
	{
		Code: CallMember, Slug: "call-member", Severity: Error, Also: []Severity{Warning, Info},
		Title: "A member of a call is missing or has the wrong type",
		Text: "A call has the strings \"type\", \"id\" and \"operation\" and the object \"parameters\"; the number \"priority\" is optional. " +
			"Missing members are not invented: the call is not executed, but the others are. In other dialects, a call with two members for its " +
			"name or its arguments is not executed either. A tag attribute that contradicts its value is a warning; a call without a name in reasoning is info.",
		Bad:  `{"toolCalls": [{"type": "search", "id": 1, "parameters": {"query": "x"}}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
	},
	{
		Code: UnknownMember, Slug: "unknown-member", Severity: Info,
		Title: "A call has an unknown member",
		Text:  "It is ignored. An argument next to \"parameters\" instead of inside it is missing there, which is another finding if it is required.",
		Bad:   `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}, "limit": 5}]}`,
		Good:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x", "limit": 5}}]}`,
	},
	{
		Code: StrayMarker, Slug: "stray-marker", Severity: Info,
		Title: "Unmatched marker or extra separator",
		Text: "A marker of the dialect, or a comma or semicolon between calls, has no meaning in its place. It is not content and is dropped. After " +
			"a string with both delimiters, a further delimiter is dropped; after another value it makes the call ambiguous.",
		Bad:  "The weather is fine.</tool_call>",
		Good: "The weather is fine.",
		Fix:  Unsafe,
	},
	{
		Code: UnclosedReasoning, Slug: "unclosed-reasoning", Severity: Warning,
		Title: "Reasoning is not closed",
		Text: "The response ends inside reasoning, so everything after its opening marker is reasoning, and there is no answer. Usually a limit " +
			"truncated the response.",
		Bad:  "<think>First I have to",
		Good: "<think>First I have to look.</think>Done.",
	},
	{
		Code: CallInText, Slug: "call-in-text", Severity: Warning,
		Title: "The server returned a call as text",
		Text: "The response has a field for calls, but the call is in its text: the server does not know how its model writes calls, or the request " +
			"listed no tools. Clients that read only the field see no call.",
		Bad:  `{"message":{"content":"<tool_call>{\"name\": \"search\", \"arguments\": {}}</tool_call>"},"done":true}`,
		Good: `{"message":{"tool_calls":[{"function":{"name":"search","arguments":{}}}]},"done":true}`,
	},
}
