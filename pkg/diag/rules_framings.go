package diag

// The codes of TC1, about what stands around calls.
const (
	MissingOpener Code = "TC101"
	MissingCloser Code = "TC102"
	WrongCloser   Code = "TC103"
	MarkerInValue Code = "TC104"
	Relative      Code = "TC105"
	OtherDialect  Code = "TC106"
	MarkupInName  Code = "TC107"
	InReasoning   Code = "TC108"
	QuotedCall    Code = "TC109"
	TextAround    Code = "TC110"
	UnclosedFence Code = "TC111"
	FenceLine     Code = "TC112"
	NotACall      Code = "TC113"
	NoCallList    Code = "TC114"
	CallMember    Code = "TC115"
	UnknownMember Code = "TC116"
	StrayMarker   Code = "TC117"
	OpenReasoning Code = "TC118"
	CallInText    Code = "TC119"
)

var framingRules = []Rule{
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
		Code: WrongCloser, Slug: "wrong-closer", Severity: Warning, Also: []Severity{Error},
		Title: "A mark closes something that it does not belong to",
		Text: "A value is closed by the mark of something else, by the beginning of the next, or, where strings stand between marks of their own, by what " +
			"follows a string whose closing mark is missing. It may go on behind that, so the call is ambiguous and not executed. " +
			"Only the name of a parameter has an end that is certain.",
		Bad:  "<tool_call>\n<function=search>\n<parameter=query>\nx\n</function>\n</tool_call>",
		Good: "<tool_call>\n<function=search>\n<parameter=query>\nx\n</parameter>\n</function>\n</tool_call>",
		Fix:  Unsafe,
	},
	{
		Code: MarkerInValue, Slug: "marker-in-value", Severity: Warning, Also: []Severity{Error},
		Title: "A value holds a mark of the dialect",
		Text: "Values of such dialects are text without escapes, so a mark in one cannot be told from a mark behind it, but by what follows. " +
			"It is text where the call goes on as if it were; where both readings are possible the call is ambiguous and not executed.",
		Bad:  "<function=note>\n<parameter=text>\nwrite </parameter> at the end\n</parameter>\n</function>",
		Good: "<function=note>\n<parameter=text>\nclose it at the end\n</parameter>\n</function>",
	},
	{
		Code: Relative, Slug: "near-relative", Severity: Warning, Also: []Severity{Error},
		Title: "A call is written in the way of a near relative",
		Text: "Models know many forms of JSON that mean a call: a list with another name, a list or a single call without the object around it, " +
			"\"name\" and \"arguments\", a \"function\". Where it is clear what is meant it is read; such a call needs no id and no operation. " +
			"A message whose recipient is in the place of its sender can be the result of a call: that is an error.",
		Bad:  `{"tool_calls": [{"name": "search", "arguments": {"query": "x"}}]}`,
		Good: `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:  Safe,
	},
	{
		Code: OtherDialect, Slug: "other-dialect", Severity: Warning,
		Title: "A response holds calls of another dialect",
		Text: "A response mixes two ways to write calls, or another program writes its calls in the same fence with rules of its own. " +
			"Where the dialect is told from the text all calls are read; where it was named, a call of another one is content with this finding, and is never run.",
		Bad:  "```tool\nreturn search(\"x\");\n```\n<tool_call>{\"name\": \"search\", \"arguments\": {\"query\": \"y\"}}</tool_call>",
		Good: "```tool\nreturn search(\"x\");\nreturn search(\"y\");\n```",
	},
	{
		Code: MarkupInName, Slug: "markup-in-name", Severity: Warning, Also: []Severity{Error},
		Title: "Control token in the name of a tool",
		Text: "Control tokens leak into names when a model or a server cuts a call in the wrong place. They are removed; what is left must be a name. " +
			"In a JSON string the token can also have split a longer name: the call is not executed unless what is left is a defined tool.",
		Bad:  "<|start|>assistant<|channel|>commentary to=functions.search<|channel|>commentary<|message|>{\"query\": \"x\"}<|call|>",
		Good: "<|start|>assistant<|channel|>commentary to=functions.search<|message|>{\"query\": \"x\"}<|call|>",
		Fix:  Unsafe,
	},
	{
		Code: InReasoning, Slug: "call-in-reasoning", Severity: Warning,
		Title: "A call inside reasoning",
		Text: "What a model thinks is a draft: the same call may follow, or none. A call there is shown and never executed, " +
			"also where the reasoning was not closed before it.",
		Bad:  "<think>I could <tool_call>{\"name\": \"search\", \"arguments\": {\"query\": \"x\"}}</tool_call></think>",
		Good: "<think>I could search.</think><tool_call>{\"name\": \"search\", \"arguments\": {\"query\": \"x\"}}</tool_call>",
	},
	{
		Code: QuotedCall, Slug: "quoted-call", Severity: Warning, Also: []Severity{Info},
		Title: "A call stands in a fence of another language, in what somebody else says, or in an answer",
		Text: "What stands inside another fence, in a message of another role or in one for the user is quoted, and what is marked with another word is something else: " +
			"nothing of it is run, so that a text about calls does not become calls. Nor is a call after a string that is not closed, which may hold it. Marks alone are only noted.",
		Bad:  "```tools\nreturn search(\"x\");\n```",
		Good: "```tool\nreturn search(\"x\");\n```",
	},
	{
		Code: TextAround, Slug: "text-around", Severity: Warning,
		Title: "Text stands beside the JSON that a response should be, or between parameters",
		Text: "A response that should be one JSON object holds text before, between or behind its calls, or a call holds text between its parameters. " +
			"The first is kept as content, but nobody may ever see it, and a strict reader refuses the response; the second belongs to no " +
			"argument and is left out, so the call is marked as one whose value may have changed. A list of Python calls of known tools behind text is no call at all.",
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
		Code: FenceLine, Slug: "fence-line", Severity: Warning, Also: []Severity{Info},
		Title: "The opening or closing line of a fence holds something else",
		Text: "A fence is opened by its characters and the info string alone on a line, and closed by its characters " +
			"alone on a line. Text on either line is read all the same; a difference in case is only noted.",
		Bad:  "```tool return search(\"x\"); ```",
		Good: "```tool\nreturn search(\"x\");\n```",
		Fix:  Safe,
	},
	{
		Code: NotACall, Slug: "not-a-call", Severity: Error, Also: []Severity{Warning, Info},
		Title: "A statement, or an item of a list of calls, is no call",
		Text: "Only calls of the form name(literals) are read, and only objects in a list of calls. Assignments, conditions, methods of a result and prose " +
			"are passed over up to the end of the statement; calls before and after are kept. So is a tag that is named as a tool: " +
			"nothing says whether it holds text or markup. Between the marks of calls it is a warning, unless the tool is known; where a sentence only mentions the marks, it is for information.",
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
		Code: CallMember, Slug: "call-member", Severity: Error, Also: []Severity{Warning, Info},
		Title: "A call lacks a member, or one has the wrong type",
		Text: "A call has \"type\", \"id\" and \"operation\", which are strings, and \"parameters\", an object; \"priority\" is a number and may be missing. " +
			"What is missing is not made up: the call is not executed, and the others are. An attribute of a tag that contradicts its value is a warning, a call without a name in reasoning an info.",
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
		Title: "Unmatched mark, or a separator without calls on both sides",
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
}
