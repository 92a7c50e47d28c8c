package dialect

// nameArguments are the member names of most models.
var nameArguments = memberNames{name: ofName, args: ofArguments}

// nameParameters are those of Llama 3 and InternLM.
var nameParameters = memberNames{name: ofName, args: ofParameters}

// Grammars of calls without a marker.
var (
	bareArguments  = bareJSON(nameArguments)
	bareParameters = bareJSON(nameParameters)

	taggedParameters = taggedJSON(nameParameters)
	bareActions      = bareJSON(memberNames{name: ofToolName, args: ofParameters})
)

// builtinCalls is the grammar of Llama's built-in tools.
var builtinCalls = pythonCalls("", ".call")

// thenCallMember matches an object whose first key belongs to a call, for tags with many meanings.
var thenCallMember = wordThen(then(`"name"`, `"arguments"`), "{")

// missingMarker begins calls whose marker is missing, because servers drop markers that are special tokens. It
// counts only if no other dialect is read.
func missingMarker(text string, g *grammar) []marker {
	return []marker{{role: implicitOpen, lookahead: never, ownLookahead: thenJSON, grammar: g, missingOpener: text}}
}

// jsonFences are fences that can contain JSON calls: marked json, or not at all.
var jsonFences = []fenceSpec{
	{info: "json", adjacent: "{[", lookahead: blankThen("{[")},
	{info: "", adjacent: "{[", lookahead: blankThen("{[")},
}

// jsonDialects write calls as JSON objects, with or without a marker.
func jsonDialects() []Dialect {
	return []Dialect{
		{
			Name:     "hermes",
			Title:    "A JSON object in <tool_call> tags",
			Families: []string{"Hermes 2 and 3", "Qwen 2.5", "Qwen 3", "QwQ", "SmolLM 3", "Granite 4", "Reka"},
			Aliases:  []string{"granite4", "qwen2_5", "qwen3", "trinity"},
			Example:  "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>\n",
			Doc: `Each call is an object with "name" and "arguments" between <tool_call> and </tool_call>. Several
tags are several calls. One tag with a list of objects, or with several objects, is also read.`,
			framing: framing{
				markers: []marker{
					{text: "<tool_call>", role: open, lookahead: blankThen("{[")},
					{text: "<function_call>", role: open, lookahead: blankThen("{[")},
					{text: "<tool>", role: open, lookahead: thenCallMember, sharedWithText: true},
					{text: "<response>", role: open, lookahead: thenCallMember, sharedWithText: true},
					{text: "<json>", role: open, lookahead: thenCallMember, sharedWithText: true},
					{text: "<xml>", role: open, lookahead: thenCallMember, sharedWithText: true},
					{text: "</tool_call>", role: listClose},
					{text: "</function_call>", role: listClose},
					{text: "<|im_end|>", role: ignore},
				},
				closers:   []string{"</tool_call>", "</function_call>", "</tool>", "</response>", "</json>", "</xml>"},
				reasoning: []*delimiters{thinkTags, scratchPad},
				implicit:  missingMarker("<tool_call>", &bareArguments),
				affixes:   [2]string{"<tool_call>\n", "\n</tool_call>"},
			},
			grammar: taggedJSON(nameArguments),
		},
		{
			Name:     "granite",
			Title:    "A JSON list after <|tool_call|>",
			Families: []string{"Granite 3"},
			Example:  "<|tool_call|>[{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}]\n",
			Doc:      `The calls are a list of objects with "name" and "arguments" after <|tool_call|> or <tool_call>, with no closing marker.`,
			framing: framing{
				markers: []marker{
					{text: "<|tool_call|>", role: open, lookahead: blankThen("{[")},
					{text: "<tool_call>", role: open, lookahead: blankThen("[")},
					{text: "<|end_of_text|>", role: ignore},
				},
				reasoning: []*delimiters{thinkTags, newDelimiters("Here is my thought process:", "Here is my response:")},
				implicit:  missingMarker("<|tool_call|>", &bareArguments),
				affixes:   [2]string{"<|tool_call|>[", "]"},
			},
			grammar: taggedJSON(nameArguments),
		},
		{
			Name:     "granite_20b_fc",
			Title:    "JSON objects after <function_call>",
			Families: []string{"Granite 20B function calling"},
			Example:  "<function_call> {\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n",
			Doc:      `Each call is an object with "name" and "arguments" after <function_call>, one on a line, with no closing marker.`,
			framing: framing{
				markers:  []marker{{text: "<function_call>", role: open, lookahead: blankThen("{[")}},
				implicit: missingMarker("<function_call>", &bareArguments),
				multiple: true,
				affixes:  [2]string{"<function_call> ", ""},
			},
			grammar: taggedJSON(nameArguments),
		},
		{
			Name:     "jamba",
			Title:    "A JSON list in <tool_calls> tags",
			Families: []string{"Jamba"},
			Example:  "<tool_calls>[\n  {\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n]</tool_calls>\n",
			Doc:      `The calls are a list of objects with "name" and "arguments" between <tool_calls> and </tool_calls>.`,
			framing: framing{
				markers: []marker{
					{text: "<tool_calls>", role: open, lookahead: blankThen("[")},
					{text: "</tool_calls>", role: listClose},
				},
				closers:  []string{"</tool_calls>"},
				implicit: missingMarker("<tool_calls>", &bareArguments),
				affixes:  [2]string{"<tool_calls>[", "]</tool_calls>"},
			},
			grammar: taggedJSON(nameArguments),
		},
		{
			Name:     "hunyuan_a13b",
			Title:    "A JSON list in <tool_calls> tags after an answer",
			Families: []string{"Hunyuan A13B"},
			Example:  "<think>\nI need the weather.\n</think>\n<answer>\n<tool_calls>[{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}]</tool_calls>\n</answer>\n",
			Doc: `As "jamba", in <answer> tags, which are removed. The calls often occur in the reasoning as well,
where they do not count.`,
			framing: framing{
				markers: []marker{
					{text: "<tool_calls>", role: open, lookahead: blankThen("[")},
					{text: "<tool_calls>", role: open, lookahead: never, ownLookahead: blankThen("{")},
					{text: "</tool_calls>", role: listClose},
					{text: "<answer>", role: ignore},
					{text: "</answer>", role: ignore},
				},
				closers:  []string{"</tool_calls>"},
				implicit: missingMarker("<tool_calls>", &bareArguments),
				affixes:  [2]string{"<tool_calls>[", "]</tool_calls>"},
			},
			grammar: taggedJSON(nameArguments),
		},
		{
			Name:     "minimax_m1",
			Title:    "JSON objects in <tool_calls> tags, one on a line",
			Families: []string{"MiniMax M1"},
			Example:  "<tool_calls>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_calls>\n",
			Doc: `The calls are objects with "name" and "arguments", each on its line, between <tool_calls> and
</tool_calls>. A line that cannot be read is a finding, and the others count.`,
			framing: framing{
				markers: []marker{
					{text: "<tool_calls>", role: open, lookahead: blankThen("{[")},
					{text: "</tool_calls>", role: listClose},
				},
				closers:  []string{"</tool_calls>"},
				implicit: missingMarker("<tool_calls>", &bareArguments),
				multiple: true,
				affixes:  [2]string{"<tool_calls>\n", "\n</tool_calls>"},
			},
			grammar: taggedJSON(nameArguments),
		},
		{
			Name:     "nemotron_v2_toolcall",
			Title:    "A JSON list in <TOOLCALL> tags",
			Families: []string{"Llama Nemotron", "Nemotron Nano 2"},
			Example:  "<TOOLCALL>[{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}]</TOOLCALL>\n",
			Doc:      `The calls are a list of objects with "name" and "arguments" between <TOOLCALL> and </TOOLCALL>.`,
			framing: framing{
				markers: []marker{
					{text: "<TOOLCALL>", role: open},
					{text: "</TOOLCALL>", role: listClose},
				},
				closers:  []string{"</TOOLCALL>"},
				implicit: missingMarker("<TOOLCALL>", &bareArguments),
				affixes:  [2]string{"<TOOLCALL>[", "]</TOOLCALL>"},
			},
			grammar: taggedJSON(nameArguments),
		},
		{
			Name:     "apriel",
			Title:    "A JSON list in <tool_calls> tags after [BEGIN FINAL RESPONSE]",
			Families: []string{"Apriel"},
			Example:  "I need the weather.\n[BEGIN FINAL RESPONSE]\n<tool_calls>[{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}]</tool_calls>\n",
			Doc:      `As "jamba". The text before [BEGIN FINAL RESPONSE] is reasoning.`,
			framing: framing{
				markers: []marker{
					{text: "<tool_calls>", role: open, lookahead: blankThen("[")},
					{text: "</tool_calls>", role: listClose},
					{text: "[END FINAL RESPONSE]", role: ignore},
					{text: "<|end|>", role: ignore},
				},
				closers:   []string{"</tool_calls>"},
				reasoning: []*delimiters{{name: "…[BEGIN FINAL RESPONSE]", markers: []marker{{text: "[BEGIN FINAL RESPONSE]", role: reasoningClose}}}},
				implicit:  missingMarker("<tool_calls>", &bareArguments),
				affixes:   [2]string{"<tool_calls>[", "]</tool_calls>"},
			},
			grammar: taggedJSON(nameArguments),
		},
		{
			Name:     "phi4mini",
			Title:    "A JSON list after functools",
			Families: []string{"Phi 4 mini", "FireFunction 2"},
			Aliases:  []string{"firefunction_v2", "phi4", "functools"},
			Example:  "functools[{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}]\n",
			Doc:      `The calls are a list of objects with "name" and "arguments" (or "parameters") right after the word functools, or one such object.`,
			framing: framing{
				markers:  []marker{{text: "functools", role: open, lookahead: either(blankThen("["), thenMembers)}},
				implicit: missingMarker("functools", &bareArguments),
				affixes:  [2]string{"functools[", "]"},
			},
			grammar: taggedJSON(nameArguments),
		},
		{
			Name:     "internlm2",
			Title:    "A JSON object after <|plugin|>",
			Families: []string{"InternLM 2 and 3", "Intern-S1"},
			Aliases:  []string{"intern_s1"},
			Example:  "<|action_start|><|plugin|>\n{\"name\": \"get_weather\", \"parameters\": {\"city\": \"Oslo\"}}<|action_end|>\n",
			Doc:      `Each call is an object with "name" and "parameters" between <|action_start|><|plugin|> and <|action_end|>.`,
			framing: framing{
				markers: []marker{
					{text: "<|action_start|>", role: listOpen},
					{text: "<|plugin|>", role: open},
					{text: "<|action_end|>", role: listClose},
				},
				closers:  []string{"<|action_end|>"},
				implicit: missingMarker("<|plugin|>", &bareParameters),
				affixes:  [2]string{"<|action_start|><|plugin|>\n", "<|action_end|>"},
			},
			grammar: taggedJSON(nameParameters),
		},
		{
			Name:     "apertus",
			Title:    "Objects with the tool as key, after <|tools_prefix|>",
			Families: []string{"Apertus"},
			Example:  "<|tools_prefix|>[{\"get_weather\": {\"city\": \"Oslo\"}}]<|tools_suffix|>\n",
			Doc: `The calls are a list of objects between <|tools_prefix|> and <|tools_suffix|>. The only key of
each is the tool, and its value the object of arguments.`,
			framing: framing{
				markers: []marker{
					{text: "<|tools_prefix|>", role: open},
					{text: "<|tools_suffix|>", role: listClose},
					{text: "<|assistant_end|>", role: ignore},
				},
				closers:   []string{"<|tools_suffix|>"},
				reasoning: []*delimiters{newDelimiters("<|inner_prefix|>", "<|inner_suffix|>")},
				affixes:   [2]string{"<|tools_prefix|>[", "]<|tools_suffix|>"},
			},
			grammar: taggedJSON(memberNames{name: ofName, args: ofArguments, toolIsKey: true}),
		},
		{
			Name:     "cohere_command4",
			Title:    "A JSON list of actions",
			Families: []string{"Command A", "Command R7B"},
			Aliases:  []string{"command_r7b", "cohere2", "command_a"},
			Example:  "<|START_THINKING|>I need the weather.<|END_THINKING|><|START_ACTION|>[\n    {\"tool_call_id\": \"0\", \"tool_name\": \"get_weather\", \"parameters\": {\"city\": \"Oslo\"}}\n]<|END_ACTION|>\n",
			Doc: `The calls are a list of objects with "tool_name", "parameters" and "tool_call_id" between
<|START_ACTION|> and <|END_ACTION|>. Answers are between <|START_RESPONSE|> or <|START_TEXT|> and their ends.`,
			framing: framing{
				markers: []marker{
					{text: "<|START_ACTION|>", role: open},
					{text: "<|END_ACTION|>", role: listClose},
					{text: "<|START_RESPONSE|>", role: ignore},
					{text: "<|END_RESPONSE|>", role: ignore},
					{text: "<|START_TEXT|>", role: ignore},
					{text: "<|END_TEXT|>", role: ignore},
					{text: "<|END_OF_TURN_TOKEN|>", role: ignore},
				},
				closers:   []string{"<|END_ACTION|>"},
				reasoning: []*delimiters{newDelimiters("<|START_THINKING|>", "<|END_THINKING|>")},
				implicit:  missingMarker("<|START_ACTION|>", &bareActions),
				affixes:   [2]string{"<|START_ACTION|>[", "]<|END_ACTION|>"},
			},
			grammar: taggedJSON(memberNames{name: ofToolName, args: ofParameters}),
		},
		{
			Name:     "gigachat3",
			Title:    `A JSON object following "function call"`,
			Families: []string{"GigaChat 3"},
			Example:  "<|message_sep|>\n\nfunction call<|role_sep|>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n",
			Doc: `One call is an object with "name" and "arguments" in a message of the role "function call". The
tokens around the role are often dropped by servers. GigaChat 3.1 writes <|function_call|> before the
object.`,
			framing: framing{
				markers: []marker{
					{text: "function call", role: open, lineStart: true, lookahead: then("{", "<|role_sep|>"), skip: "<|role_sep|>"},
					{text: "<|function_call|>", role: open, lookahead: blankThen("{")},
					{text: "<|message_sep|>", role: ignore},
					{text: "<|role_sep|>", role: listClose},
				},
				implicit: missingMarker("function call", &bareArguments),
				affixes:  [2]string{"function call<|role_sep|>\n", ""},
			},
			grammar: taggedJSON(nameArguments),
		},
		{
			Name:     "sarashina",
			Title:    "A list of objects in Python after <|tool_calls|>",
			Families: []string{"Sarashina 2"},
			Example:  "<|tool_calls|>[{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}]\n",
			Doc:      `The calls are a list of objects with "name" and "arguments" after <|tool_calls|>, often with the quotes of Python.`,
			framing: framing{
				markers:  []marker{{text: "<|tool_calls|>", role: open, lookahead: either(blankThen("["), thenMembers)}},
				implicit: missingMarker("<|tool_calls|>", &bareArguments),
				affixes:  [2]string{"<|tool_calls|>[", "]"},
			},
			grammar: taggedJSON(nameArguments),
		},
		{
			Name:     "ernie45",
			Title:    "A JSON object in <tool_call> tags, answers in <response> tags",
			Families: []string{"Ernie 4.5"},
			Example:  "I need the weather.\n</think>\n\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>\n",
			Doc:      `As "hermes". Answers are in <response> tags, which are removed, and reasoning is open from the start.`,
			framing: framing{
				markers: []marker{
					{text: "<tool_call>", role: open, lookahead: blankThen("{[")},
					{text: "</tool_call>", role: listClose},
					{text: "<response>", role: ignore},
					{text: "</response>", role: ignore},
					{text: "</s>", role: ignore},
				},
				closers:  []string{"</tool_call>"},
				implicit: missingMarker("<tool_call>", &bareArguments),
				affixes:  [2]string{"<tool_call>\n", "\n</tool_call>"},
			},
			grammar: taggedJSON(nameArguments),
		},
		{
			Name:     "llama3_json",
			Title:    "JSON objects with name and parameters",
			Families: []string{"Llama 3.1 to 3.3"},
			Example:  "<|python_tag|>{\"name\": \"get_weather\", \"parameters\": {\"city\": \"Oslo\"}}\n",
			Doc: `Each call is an object with "name" and "parameters", alone, after <|python_tag|> or in text.
Several are separated by semicolons, commas or line ends. An object with other members is a call only of
a known tool. Built-in tools are called as NAME.call(key="…")
after <|python_tag|>.`,
			framing: framing{
				markers: []marker{
					listInText,
					{text: "<|python_tag|>", role: open, lookahead: pythonCallWithSuffix(".call"), grammar: &builtinCalls},
					{text: "<|python_tag|>", role: open, lookahead: never, ownLookahead: thenJSON, grammar: &taggedParameters},
					{text: "<|python_tag|>", role: ignore},
					{text: "<|eom_id|>", role: ignore},
					{text: "<|eot_id|>", role: ignore},
				},
				implicit:      jsonStart,
				firstKeys:     []string{"name", "parameters", "type", "function"},
				listKeys:      []string{"tool_calls"},
				strictMembers: true,
				multiple:      true,
				affixes:       [2]string{"<|python_tag|>", ""},
			},
			grammar: bareJSON(nameParameters),
		},
		{
			Name:    "json_generic",
			Title:   "JSON objects with name and arguments",
			Aliases: []string{"ollama_generic_json", "default"},
			Example: "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n",
			Doc: `Each call is an object with "name" and "arguments" (or "parameters"), alone, in a list, in text or
in a json fence. Similar forms are also read: "tool" and "args", "action" and "action_input".`,
			framing: framing{
				markers: []marker{
					listInText,
					{text: "[TOOL_CALLS]", role: ignore, lookahead: blankThen("{[")},
					{text: "<tool_call>", role: listOpen, lookahead: blankThen("{[")},
					{text: "</tool_call>", role: listClose},
				},
				fences:    jsonFences,
				implicit:  jsonStart,
				firstKeys: []string{"name", "arguments", "parameters", "type", "function", "tool", "tool_name", "action", "tool_call", "function_call"},
				listKeys:  []string{"tool_calls", "toolCalls"},
			},
			grammar: bareJSON(nameArguments),
		},
		{
			Name:     "xlam",
			Title:    "A JSON list",
			Families: []string{"xLAM"},
			Example:  "[{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}]\n",
			Doc: `The calls are a list of objects with "name" and "arguments", alone, after reasoning, after
[TOOL_CALLS], in <tool_call> tags or in a json fence.`,
			framing: framing{
				markers: []marker{
					listInText,
					{text: "[TOOL_CALLS]", role: ignore, lookahead: blankThen("{[")},
					{text: "<tool_call>", role: listOpen, lookahead: blankThen("{[")},
					{text: "</tool_call>", role: listClose},
				},
				fences:        jsonFences,
				implicit:      jsonStart,
				firstKeys:     []string{"name"},
				listKeys:      []string{"tool_calls"},
				strictMembers: true,
				affixes:       [2]string{"[", "]"},
			},
			grammar: bareJSON(nameArguments),
		},
	}
}

// bareJSON is the grammar of JSON calls without a marker.
func bareJSON(f memberNames) grammar {
	return grammar{memberNames: &f, newBody: newCallBody, render: renderTagged}
}
