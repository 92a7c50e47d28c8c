package dialect

import (
	"cmp"
	"slices"
	"strings"

	"oneshot/pkg/quote"
)

// Grammars of calls without a marker.
var (
	bareArguments    = bareJSON(nameArguments)
	taggedParameters = taggedJSON(nameParameters)
)

// builtinCalls is the grammar of Llama's built-in tools.
var builtinCalls = pythonCalls("", ".call")

// thenCallMember matches an object whose first key belongs to a call, for tags with many meanings.
var thenCallMember = wordThen(thenWord(`"name"`, `"arguments"`), "{")

// markerlessCalls begins calls whose marker is missing, because servers drop markers that are special tokens. It
// counts only if no other dialect is read.
func markerlessCalls(text string, g *grammar) []marker {
	return []marker{{role: implicitOpen, lookahead: never, ownLookahead: thenJSON, grammar: g, missingOpener: text}}
}

// jsonFences are fences that can contain JSON calls: marked json, or not at all.
var jsonFences = []fenceSpec{
	{info: "json", adjacent: "{[", lookahead: thenByte("{[")},
	{info: "", adjacent: "{[", lookahead: thenByte("{[")},
}

// A jsonTag is the preset of JSON between markers: an object for each call, or a list of them. Calls without the
// opening marker are read with a finding.
type jsonTag struct {
	opening, closing string      // closing is "" if no marker follows the calls
	isList           bool        // the calls are in a list
	next             lookahead   // for the text after opening, if it differs from the first bracket
	names            memberNames // if they differ from nameArguments
}

// row returns a dialect of the family. The row adds its other markers; title, documentation, example and affixes
// have defaults.
func (p jsonTag) row(d Dialect) Dialect {
	f, bracket := &d.framing, "{["
	if p.isList {
		bracket = "["
	}
	if p.next == nil {
		p.next = thenByte(bracket)
	}
	if p.names == (memberNames{}) {
		p.names = nameArguments
	}
	f.markers = append([]marker{{text: p.opening, role: open, lookahead: p.next}}, f.markers...)
	if p.closing != "" {
		f.markers = append(f.markers, marker{text: p.closing, role: listClose})
		f.closers = append([]string{p.closing}, f.closers...)
	}
	if !p.names.toolIsKey {
		bare := bareJSON(p.names)
		f.implicit = markerlessCalls(p.opening, &bare)
	}
	if f.affixes == [2]string{} {
		f.affixes = p.defaultAffixes()
	}
	d.grammar = taggedJSON(p.names)
	d.Title, d.Doc = cmp.Or(d.Title, p.defaultTitle()), cmp.Or(d.Doc, p.defaultDoc())
	d.Example = cmp.Or(d.Example, f.affixes[0]+p.names.exampleCallObject()+f.affixes[1]+"\n")
	return d
}

func (p jsonTag) defaultAffixes() [2]string {
	switch {
	case p.isList && p.closing == "":
		return [2]string{p.opening + "[", "]"}
	case p.isList:
		return [2]string{p.opening + "[", "]" + p.closing}
	}
	return [2]string{p.opening + "\n", "\n" + p.closing}
}

func (p jsonTag) defaultTitle() string {
	what, where := "A JSON object", " after "
	if p.isList {
		what = "A JSON list"
	}
	if strings.HasPrefix(p.closing, "</") {
		return what + " in " + p.opening + " tags"
	}
	return what + where + p.opening
}

func (p jsonTag) defaultDoc() string {
	what := `Each call is an object with "name" and "arguments"`
	if p.isList {
		what = `The calls are a list of objects with "name" and "arguments"`
	}
	if p.closing == "" {
		return what + " after " + p.opening + "."
	}
	return what + " between " + p.opening + " and " + p.closing + "."
}

// exampleCallObject returns an object with the call of examples.
func (f memberNames) exampleCallObject() string {
	name, args := quote.JSON(exampleCall.Name), string(exampleCall.Arguments)
	if f.toolIsKey {
		return "{" + name + ": " + args + "}"
	}
	return `{"` + f.name.String() + `": ` + name + `, "` + f.args.String() + `": ` + args + "}"
}

// jsonDialects write calls as JSON objects, with or without a marker.
func jsonDialects() []Dialect {
	return slices.Concat(jsonTagRows(), jsonTokenRows(), bareJSONRows())
}

// jsonTagRows have tags as markers.
func jsonTagRows() []Dialect {
	return []Dialect{
		jsonTag{opening: "<tool_call>", closing: "</tool_call>"}.row(Dialect{
			Name: "hermes", HasJSONTools: true, ResultTags: [2]string{"<tool_response>", "</tool_response>"},
			Families: []string{"Hermes 2 and 3", "Qwen 2.5", "Qwen 3", "QwQ", "SmolLM 3", "Granite 4", "Reka"},
			Aliases:  []string{"granite4", "qwen2_5", "qwen3", "trinity"},
			Doc: `Each call is an object with "name" and "arguments" between <tool_call> and </tool_call>. Several
tags are several calls. One tag with a list of objects, or with several objects, is also read.`,
			framing: framing{
				markers: append(ignoredMarkers("<|im_end|>"),
					marker{text: "<function_call>", role: open, lookahead: thenByte("{[")},
					marker{text: "<tool>", role: open, lookahead: thenCallMember, sharedWithText: true},
					marker{text: "<response>", role: open, lookahead: thenCallMember, sharedWithText: true},
					marker{text: "<json>", role: open, lookahead: thenCallMember, sharedWithText: true},
					marker{text: "<xml>", role: open, lookahead: thenCallMember, sharedWithText: true},
					marker{text: "</function_call>", role: listClose},
				),
				closers:   []string{"</function_call>", "</tool>", "</response>", "</json>", "</xml>"},
				reasoning: []*delimiters{thinkTags, scratchPad},
			},
		}),
		jsonTag{opening: "<|tool_call|>", isList: true, next: thenByte("{[")}.row(Dialect{
			Name: "granite", HasJSONTools: true, Families: []string{"Granite 3"},
			Doc: `The calls are a list of objects with "name" and "arguments" after <|tool_call|> or <tool_call>, with no closing marker.`,
			framing: framing{
				markers:   append(ignoredMarkers("<|end_of_text|>"), marker{text: "<tool_call>", role: open, lookahead: thenByte("[")}),
				reasoning: []*delimiters{thinkTags, newDelimiters("Here is my thought process:", "Here is my response:")},
			},
		}),
		jsonTag{opening: "<function_call>"}.row(Dialect{
			Name: "granite_20b_fc", HasJSONTools: true, Title: "JSON objects after <function_call>", Families: []string{"Granite 20B function calling"},
			Doc:     `Each call is an object with "name" and "arguments" after <function_call>, one on a line, with no closing marker.`,
			framing: framing{multiple: true, affixes: [2]string{"<function_call> ", ""}},
		}),
		jsonTag{opening: "<tool_calls>", closing: "</tool_calls>", isList: true}.row(Dialect{
			Name: "jamba", HasJSONTools: true, Families: []string{"Jamba"},
			Example: "<tool_calls>[\n  {\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n]</tool_calls>\n",
		}),
		jsonTag{opening: "<tool_calls>", closing: "</tool_calls>", isList: true}.row(Dialect{
			Name: "hunyuan_a13b", HasJSONTools: true, Title: "A JSON list in <tool_calls> tags after an answer", Families: []string{"Hunyuan A13B"},
			Example: "<think>\nI need the weather.\n</think>\n<answer>\n<tool_calls>[{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}]</tool_calls>\n</answer>\n",
			Doc: `As "jamba", in <answer> tags, which are removed. The calls often occur in the reasoning as well,
where they do not count.`,
			framing: framing{markers: append(ignoredMarkers("<answer>", "</answer>"), marker{text: "<tool_calls>", role: open, lookahead: never, ownLookahead: thenByte("{")})},
		}),
		jsonTag{opening: "<tool_calls>", closing: "</tool_calls>"}.row(Dialect{
			Name: "minimax_m1", HasJSONTools: true, Title: "JSON objects in <tool_calls> tags, one on a line", Families: []string{"MiniMax M1"},
			Doc: `The calls are objects with "name" and "arguments", each on its line, between <tool_calls> and
</tool_calls>. A line that cannot be read is a finding, and the others count.`,
			framing: framing{multiple: true},
		}),
		jsonTag{opening: "<TOOLCALL>", closing: "</TOOLCALL>", isList: true, next: always}.row(Dialect{
			Name: "nemotron_v2_toolcall", HasJSONTools: true, ResultTags: [2]string{"<TOOL_RESPONSE>", "</TOOL_RESPONSE>"},
			Families: []string{"Llama Nemotron", "Nemotron Nano 2"},
		}),
		jsonTag{opening: "<tool_calls>", closing: "</tool_calls>", isList: true}.row(Dialect{
			Name: "apriel", HasJSONTools: true, Title: "A JSON list in <tool_calls> tags after [BEGIN FINAL RESPONSE]", Families: []string{"Apriel"},
			Example: "I need the weather.\n[BEGIN FINAL RESPONSE]\n<tool_calls>[{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}]</tool_calls>\n",
			Doc:     `As "jamba". The text before [BEGIN FINAL RESPONSE] is reasoning.`,
			framing: framing{
				markers:   ignoredMarkers("[END FINAL RESPONSE]", "<|end|>"),
				reasoning: []*delimiters{{name: "…[BEGIN FINAL RESPONSE]", markers: []marker{{text: "[BEGIN FINAL RESPONSE]", role: reasoningClose}}}},
			},
		}),
	}
}

// jsonTokenRows have other markers.
func jsonTokenRows() []Dialect {
	return []Dialect{
		jsonTag{opening: "functools", isList: true, next: either(thenByte("["), thenObject)}.row(Dialect{
			Name: "phi4mini", HasJSONTools: true, Families: []string{"Phi 4 mini", "FireFunction 2"}, Aliases: []string{"firefunction_v2", "phi4", "functools"},
			Doc: `The calls are a list of objects with "name" and "arguments" (or "parameters") right after the word functools, or one such object.`,
		}),
		jsonTag{opening: "<|plugin|>", closing: "<|action_end|>", next: always, names: nameParameters}.row(Dialect{
			Name: "internlm2", HasJSONTools: true, Families: []string{"InternLM 2 and 3", "Intern-S1"}, Aliases: []string{"intern_s1"},
			Doc: `Each call is an object with "name" and "parameters" between <|action_start|><|plugin|> and <|action_end|>.`,
			framing: framing{
				markers: []marker{{text: "<|action_start|>", role: listOpen}},
				affixes: [2]string{"<|action_start|><|plugin|>\n", "<|action_end|>"},
			},
		}),
		jsonTag{opening: "<|tools_prefix|>", closing: "<|tools_suffix|>", isList: true, next: always, names: memberNames{name: ofName, args: ofArguments, toolIsKey: true}}.row(Dialect{
			Name: "apertus", Title: "Objects with the tool as key, after <|tools_prefix|>", Families: []string{"Apertus"},
			Doc: `The calls are a list of objects between <|tools_prefix|> and <|tools_suffix|>. The only key of
each is the tool, and its value the object of arguments.`,
			framing: framing{markers: ignoredMarkers("<|assistant_end|>"), reasoning: []*delimiters{newDelimiters("<|inner_prefix|>", "<|inner_suffix|>")}},
		}),
		jsonTag{opening: "<|START_ACTION|>", closing: "<|END_ACTION|>", isList: true, next: always, names: memberNames{name: ofToolName, args: ofParameters}}.row(Dialect{
			Name: "cohere_command4", HasJSONTools: true, Title: "A JSON list of actions", Families: []string{"Command A", "Command R7B"}, Aliases: []string{"command_r7b", "cohere2", "command_a"},
			Example: "<|START_THINKING|>I need the weather.<|END_THINKING|><|START_ACTION|>[\n    {\"tool_call_id\": \"0\", \"tool_name\": \"get_weather\", \"parameters\": {\"city\": \"Oslo\"}}\n]<|END_ACTION|>\n",
			Doc: `The calls are a list of objects with "tool_name", "parameters" and "tool_call_id" between
<|START_ACTION|> and <|END_ACTION|>. Answers are between <|START_RESPONSE|> or <|START_TEXT|> and their ends.`,
			framing: framing{markers: ignoredMarkers(cohereAnswers...), reasoning: []*delimiters{newDelimiters("<|START_THINKING|>", "<|END_THINKING|>")}},
		}),
		{
			Name: "gigachat3", HasJSONTools: true, Title: `A JSON object following "function call"`, Families: []string{"GigaChat 3"},
			Example: "<|message_sep|>\n\nfunction call<|role_sep|>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n",
			Doc: `One call is an object with "name" and "arguments" in a message of the role "function call". The
tokens around the role are often dropped by servers. GigaChat 3.1 writes <|function_call|> before the
object.`,
			framing: framing{
				markers: append(ignoredMarkers("<|message_sep|>"),
					marker{text: "function call", role: open, lineStart: true, lookahead: thenWord("{", "<|role_sep|>"), skip: "<|role_sep|>"},
					marker{text: "<|function_call|>", role: open, lookahead: thenByte("{")},
					marker{text: "<|role_sep|>", role: listClose},
				),
				implicit: markerlessCalls("function call", &bareArguments),
				affixes:  [2]string{"function call<|role_sep|>\n", ""},
			},
			grammar: taggedJSON(nameArguments),
		},
		jsonTag{opening: "<|tool_calls|>", isList: true, next: either(thenByte("["), thenObject)}.row(Dialect{
			Name: "sarashina", HasJSONTools: true, Title: "A list of objects in Python after <|tool_calls|>", Families: []string{"Sarashina 2"},
			Doc: `The calls are a list of objects with "name" and "arguments" after <|tool_calls|>, often with the quotes of Python.`,
		}),
		jsonTag{opening: "<tool_call>", closing: "</tool_call>"}.row(Dialect{
			Name: "ernie45", HasJSONTools: true, ResultTags: [2]string{"<tool_response>", "</tool_response>"}, Title: "A JSON object in <tool_call> tags, answers in <response> tags", Families: []string{"Ernie 4.5"},
			Example: "I need the weather.\n</think>\n\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>\n",
			Doc:     `As "hermes". Answers are in <response> tags, which are removed, and reasoning is open from the start.`,
			framing: framing{markers: ignoredMarkers("<response>", "</response>", "</s>")},
		}),
	}
}

// cohereAnswers surround answers of Cohere's models.
var cohereAnswers = []string{"<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>", "<|END_OF_TURN_TOKEN|>"}

// jsonMarkers may precede or surround JSON that needs no marker.
var jsonMarkers = []marker{
	listInText,
	{text: "[TOOL_CALLS]", role: ignore, lookahead: thenByte("{[")},
	{text: "<tool_call>", role: listOpen, lookahead: thenByte("{[")},
	{text: "</tool_call>", role: listClose},
}

// bareJSONRows need no marker.
func bareJSONRows() []Dialect {
	return []Dialect{
		{
			Name: "llama3_json", HasJSONTools: true, Title: "JSON objects with name and parameters", Families: []string{"Llama 3.1 to 3.3"},
			Example: "<|python_tag|>" + nameParameters.exampleCallObject() + "\n",
			Doc: `Each call is an object with "name" and "parameters", alone, after <|python_tag|> or in text.
Several are separated by semicolons, commas or line ends. An object with other members is a call only of
a known tool. Built-in tools are called as NAME.call(key="…")
after <|python_tag|>.`,
			framing: framing{
				markers: append([]marker{
					listInText,
					{text: "<|python_tag|>", role: open, lookahead: pythonCallWithNameSuffix(".call"), grammar: &builtinCalls},
					{text: "<|python_tag|>", role: open, lookahead: never, ownLookahead: thenJSON, grammar: &taggedParameters},
				}, ignoredMarkers("<|python_tag|>", "<|eom_id|>", "<|eot_id|>")...),
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
			Name: "json_generic", HasJSONTools: true, Title: "JSON objects with name and arguments", Aliases: []string{"ollama_generic_json", "default"},
			Example: nameArguments.exampleCallObject() + "\n",
			Doc: `Each call is an object with "name" and "arguments" (or "parameters"), alone, in a list, in text or
in a json fence. Similar forms are also read: "tool" and "args", "action" and "action_input".`,
			framing: framing{
				markers:   jsonMarkers,
				fences:    jsonFences,
				implicit:  jsonStart,
				firstKeys: []string{"name", "arguments", "parameters", "type", "function", "tool", "tool_name", "action", "tool_call", "function_call"},
				listKeys:  []string{"tool_calls", "toolCalls"},
			},
			grammar: bareJSON(nameArguments),
		},
		{
			Name: "xlam", HasJSONTools: true, Title: "A JSON list", Families: []string{"xLAM"},
			Example: "[" + nameArguments.exampleCallObject() + "]\n",
			Doc: `The calls are a list of objects with "name" and "arguments", alone, after reasoning, after
[TOOL_CALLS], in <tool_call> tags or in a json fence.`,
			framing: framing{
				markers:       jsonMarkers,
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
	return grammar{memberNames: &f, newBody: newCallListBody, render: renderTagged}
}

// jsonStart begins calls with the first bracket of JSON. A list must be one of objects, if it could be something
// else.
var jsonStart = []marker{{role: implicitOpen, lookahead: thenJSON}}

// listInText begins a list of calls after text.
var listInText = marker{text: "[{", role: implicitOpen}

// namedObjects is the grammar of JSON in the place of tags.
var namedObjects = taggedJSON(nameArguments)
