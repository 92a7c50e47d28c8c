package dialect

import (
	"bytes"
	"slices"
	"strings"
)

// mistralNaming is a name and JSON, with a marker between them since version 11.
var mistralNaming = nameSyntax{
	afterName: []string{"[ARGS]"}, braceAllowed: true, idMarker: "[CALL_ID]", stops: []string{"[TOOL_CALLS]", "</s>"}, separator: "[ARGS]", noArgsAllowed: true,
}

var (
	mistralCall = namedJSON(mistralNaming)
	mistralList = taggedJSON(memberNames{name: ofName, args: ofArguments, namePrecedes: true})
	thenArgs    = either(noBlanksThen(nameThen(noBlanksThen(either(thenWord("[ARGS]", "[CALL_ID]"), thenObject)))), nameThen(wordThen(thenByte("{"), "[ARGS]")))
)

// mistralMarkers are the markers of Mistral. If only one version is read, the forms of the other count, too.
func mistralMarkers(list, call lookahead) []marker {
	return []marker{
		{text: "[TOOL_CALLS]", role: open, lookahead: list, ownLookahead: thenJSON, grammar: &mistralList},
		{text: "[TOOL_CALLS]", role: open, lookahead: call, ownLookahead: either(thenName, exactText("[ARGS]")), grammar: &mistralCall},
		{text: "[/TOOL_CALLS]", role: ignore},
		{text: "</s>", role: ignore},
	}
}

var bracketThink = &delimiters{name: "[THINK]…[/THINK]", needsOpener: true, markers: []marker{{text: "[THINK]", role: reasoningOpen}, {text: "[/THINK]", role: reasoningClose}}}

// solarThink ends with the marker that ends any message.
var solarThink = &delimiters{name: "<|think|>…<|end|>", needsOpener: true, sharedCloser: true, markers: []marker{{text: "<|think|>", role: reasoningOpen}, {text: "<|end|>", role: reasoningClose}}}

// observation begins a result for GLM.
var observation = marker{text: "<|observation|>", role: ignore, effect: beginsResult}

// namedDialects write the tool name before its JSON arguments.
func namedDialects() []Dialect {
	return slices.Concat(namedTokenRows(), namedPartRows(), namedLineRows())
}

// namedTokenRows have markers around calls.
func namedTokenRows() []Dialect {
	return []Dialect{
		{
			Name: "mistral", HasJSONTools: true, ResultTags: [2]string{"[TOOL_RESULTS]", "[/TOOL_RESULTS]"}, Title: "A JSON list after [TOOL_CALLS]", Families: []string{"Mistral 7B to Large 2", "Mixtral", "Nemo"},
			Example: "[TOOL_CALLS] [{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}]\n",
			Doc: `The calls are a list of objects with "name" and "arguments" after [TOOL_CALLS]. The form of later
models, "mistral_args", is also read. Reasoning is between [THINK] and [/THINK].`,
			framing: framing{
				markers: mistralMarkers(thenJSON, never), reasoning: []*delimiters{bracketThink}, implicit: markerlessCalls("[TOOL_CALLS]", &bareArguments), affixes: [2]string{"[TOOL_CALLS] [", "]"},
			},
			grammar: mistralList,
		},
		{
			Name: "mistral_args", HasJSONTools: true, ResultTags: [2]string{"[TOOL_RESULTS]", "[/TOOL_RESULTS]"}, Title: "NAME[ARGS] and JSON after [TOOL_CALLS]", Families: []string{"Mistral Small 3.2", "Ministral 3", "Devstral 2", "Magistral"}, Aliases: []string{"ministral"},
			Doc: `Each call is [TOOL_CALLS], the name of the tool, [ARGS] and an object of arguments. [ARGS] may
be missing, and [CALL_ID] with an id may precede it. Reasoning is between [THINK] and [/THINK].`,
			framing: framing{markers: mistralMarkers(never, thenArgs), reasoning: []*delimiters{bracketThink}, affixes: [2]string{"[TOOL_CALLS]", ""}},
			grammar: mistralCall,
		},
		{
			Name: "solar_open", HasJSONTools: true, Title: "ID, NAME and JSON between <|tool_call:…|> markers", Families: []string{"Solar Open"}, Aliases: []string{"solar"},
			Example: "<|tool_calls|><|tool_call:begin|>a1b2c3d4e5<|tool_call:name|>get_weather<|tool_call:args|>{\"city\": \"Oslo\"}<|tool_call:end|><|calls|>\n",
			Doc: `Each call is an ID, the name of the tool and the object of arguments after <|tool_call:begin|>,
<|tool_call:name|> and <|tool_call:args|>, up to <|tool_call:end|>. All calls are between <|tool_calls|>, which
may be missing, and <|calls|>, with which the model stops and which servers cut off. Text follows <|content|>.`,
			framing: framing{
				markers: []marker{
					{text: "<|tool_calls|>", role: listOpen, lookahead: thenWord("<|tool_call:begin|>"), ownLookahead: always},
					{text: "<|tool_call:begin|>", role: open},
					{text: "<|tool_call:name|>", role: listClose},
					{text: "<|tool_call:args|>", role: listClose},
					{text: "<|tool_call:end|>", role: listClose},
					{text: "<|calls|>", role: listClose},
					{text: "<|begin|>assistant", role: ignore},
					{text: "<|content|>", role: ignore},
					{text: "<|flush|>", role: ignore},
					{text: "<|end|>", role: ignore},
				},
				reasoning:     []*delimiters{solarThink},
				stopsAtCloser: true,
				affixes:       [2]string{"<|tool_calls|><|tool_call:begin|>", "<|tool_call:end|><|calls|>"},
			},
			grammar: namedJSON(nameSyntax{
				beforeName: "<|tool_call:name|>", afterName: []string{"<|tool_call:args|>"}, closers: []string{"<|tool_call:end|>"},
				stops: []string{"<|tool_calls|>", "<|tool_call:begin|>", "<|calls|>", "<|flush|>"}, separator: "<|tool_call:args|>",
			}),
		},
		{
			Name: "deepseek_v3", HasJSONTools: true, Title: "function, NAME and fenced JSON between markers", Families: []string{"DeepSeek V3", "DeepSeek R1", "Cogito"}, Aliases: []string{"deepseek_r1", "cogito"},
			Doc: `Each call is the word function, the name of the tool and the object of arguments in a json
fence, between <｜tool▁call▁begin｜> and <｜tool▁call▁end｜>. All calls are between markers of their own,
which may be missing. The markers are also read with plain bars, underscores and blanks.`,
			framing: framing{
				markers: deepseekMarkers(thenDeepseekFunction),
				affixes: [2]string{"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>", "\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"},
			},
			grammar: namedJSON(deepseekNameSyntax("\n```json\n")),
		},
		{
			Name: "deepseek_v31", HasJSONTools: true, Title: "NAME and JSON between markers", Families: []string{"DeepSeek V3.1"},
			Doc: `As "deepseek_v3", without the word function and the fence.`,
			framing: framing{
				markers: deepseekMarkers(thenDeepseekName),
				affixes: [2]string{"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>", "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"},
			},
			grammar: namedJSON(deepseekNameSyntax("<｜tool▁sep｜>")),
		},
		{
			Name: "kimi_k2", HasJSONTools: true, Title: "functions.NAME:NUMBER and JSON between markers", Families: []string{"Kimi K2"}, Aliases: []string{"kimi"},
			Doc: `Each call is functions.NAME:NUMBER, which is also its ID, and an object of arguments, between
<|tool_call_begin|>, <|tool_call_argument_begin|> and <|tool_call_end|>. All calls are between markers of
their own, which may be missing. Where a server drops all markers,
functions.NAME:NUMBER{…} is read. If there is only one tool, a number without a name is a call of it.`,
			framing: framing{
				markers: []marker{
					{text: "<|tool_calls_section_begin|>", role: open, lookahead: thenKimi, grammar: &kimiBare, opensList: true},
					{text: "<|tool_calls_section_begin|>", role: listOpen},
					{text: "<|tool_call_section_begin|>", role: open, lookahead: thenKimi, grammar: &kimiBare, opensList: true},
					{text: "<|tool_call_section_begin|>", role: listOpen},
					{text: "<|tool_call_begin|>", role: open},
					{text: "<|tool_call_end|>", role: ignore},
					{text: "<|tool_calls_section_end|>", role: listClose},
					{text: "<|tool_call_section_end|>", role: listClose},
					{text: "functions.", role: openKeep, lookahead: thenKimi, ownLookahead: numberedNameThen(either(exactText("{"), thenWord("<|tool_call_argument_begin|>"))), grammar: &kimiBare},
					{text: "<|im_end|>", role: ignore},
				},
				reasoning: []*delimiters{thinkTags, newDelimiters("◁think▷", "◁/think▷")},
				affixes:   [2]string{"<|tool_calls_section_begin|><|tool_call_begin|>", "<|tool_call_end|><|tool_calls_section_end|>"},
			},
			grammar: namedJSON(kimiNameSyntax(kimiCloses...)),
		},
	}
}

// namedPartRows have a marker before each call, or none.
func namedPartRows() []Dialect {
	return []Dialect{
		{
			Name: "functionary_v31", HasJSONTools: true, Title: "<function=NAME> with JSON", Families: []string{"Functionary 3.1", "Llama 3.1 with custom tools"}, Aliases: []string{"llama31_custom"},
			Doc: `Each call is the object of arguments between <function=NAME> and </function>.`,
			framing: framing{
				markers: []marker{
					{text: "<function=", role: open, lookahead: nameThen(wordThen(thenObject, ">")), ownLookahead: nameThen(wordThen(thenByte("{"), ">"))},
					{text: "</function>", role: listClose},
					{text: "<|eom_id|>", role: ignore},
					{text: "<|eot_id|>", role: ignore},
				},
				affixes: [2]string{"<function=", "</function>"},
			},
			grammar: namedJSON(nameSyntax{
				afterName: []string{">"}, closers: []string{"</function>"}, stops: []string{"<function=", "<|eom_id|>", "<|eot_id|>"}, separator: ">",
			}),
		},
		{
			Name: "functionary_v32", Title: ">>>NAME and JSON on the next line", Families: []string{"Functionary 3.2"},
			Doc: `The response is made of parts that begin with >>> and a name, the first without >>>. On the next
line follows an object of arguments, code where the name is python, and text where it is all.`,
			framing: framing{
				markers: []marker{
					{text: ">>>", role: ignore, lookahead: exactText("all\n"), skip: "all\n"},
					{text: ">>>", role: open, lookahead: noBlanksThen(nameThen(lineThen(thenObject))), ownLookahead: noBlanksThen(nameThen(optionalControlTokenThen(lineThen(always))))},
					{text: "<|eot_id|>", role: ignore},
					{text: "<|start_header_id|>", role: ignore},
				},
				implicit: []marker{{role: implicitOpen, lookahead: never, ownLookahead: either(exactText("all\n"), either(exactText("python\n"), thenNameLine))}},
				affixes:  [2]string{">>>", ""},
			},
			grammar: namedJSON(nameSyntax{
				afterName: []string{"\n"}, contentName: "all", rawTool: "python", partMarker: ">>>", stops: []string{">>>", "<|eot_id|>"}, separator: "\n",
			}),
		},
		{
			Name: "functionary_v2", Title: "<|recipient|>NAME and JSON after <|content|>", Families: []string{"Functionary 2"},
			Doc: `The response is made of messages <|from|>assistant, <|recipient|>NAME and <|content|>, each on its
line, the first without the two markers before the name. What follows <|content|> is an object of arguments,
code where the name is python, and text where it is all.`,
			framing: framing{
				markers:  functionaryV2Markers(),
				implicit: []marker{{role: implicitOpen, lookahead: thenRecipient}},
				affixes:  [2]string{"<|from|>assistant\n<|recipient|>", "<|stop|>"},
			},
			grammar: namedJSON(nameSyntax{
				afterName: []string{"<|content|>"}, contentName: "all", rawTool: "python",
				stops: []string{"<|from|>", "<|recipient|>", "<|stop|>"}, separator: "\n<|content|>",
			}),
		},
		{
			Name: "qwen_agent", HasJSONTools: true, Title: "✿FUNCTION✿: NAME and ✿ARGS✿: JSON", Families: []string{"Qwen 2 with Qwen-Agent"},
			Doc: `Each call is ✿FUNCTION✿: and the name of the tool, and on the next line ✿ARGS✿: and the object of
arguments, or code where the tool is code_interpreter. ✿RESULT✿: and ✿RETURN✿: introduce results, which
the model must not write.`,
			framing: framing{
				markers: []marker{
					{text: "✿FUNCTION✿", role: open, lookahead: exactText(":"), skip: ":"},
					{text: "✿FUNCTION✿", role: open},
					{text: "✿ARGS✿", role: listClose},
					{text: "✿RESULT✿", role: open, grammar: &qwenResults, sharedWithText: true},
					{text: "✿RETURN✿", role: ignoreKeepSpace},
				},
				affixes: [2]string{"✿FUNCTION✿: ", ""},
			},
			grammar: namedJSON(nameSyntax{
				afterName: []string{"✿ARGS✿:"}, rawTool: "code_interpreter",
				stops: []string{"✿FUNCTION✿", "✿RESULT✿", "✿RETURN✿"}, separator: "\n✿ARGS✿: ",
			}),
		},
		{
			Name: "glm4", HasJSONTools: true, Title: "NAME and JSON on the next line", Families: []string{"GLM-4 9B", "ChatGLM 3"}, Aliases: []string{"chatglm3"},
			Doc: `A call is the name of the tool and the object of arguments on the next line. It is read after
<|assistant|>, and at the start of a response if the dialect is requested.`,
			framing: framing{
				markers: []marker{
					{text: "<|assistant|>", role: open, sharedWithText: true, lookahead: noBlanksThen(nameThen(lineThen(thenObject))), ownLookahead: thenNameLine},
					{text: "<|assistant|>", role: ignore},
					observation,
					{text: "<|user|>", role: ignore},
				},
				implicit: []marker{{role: implicitOpen, lookahead: never, ownLookahead: thenNameLine}},
				affixes:  [2]string{"<|assistant|>", ""},
			},
			grammar: namedJSON(nameSyntax{
				afterName: []string{"\n"}, allowsProse: true, stops: []string{"<|assistant|>", "<|observation|>", "<|user|>"}, separator: "\n",
			}),
		},
	}
}

// namedLineRows have words at the start of lines.
func namedLineRows() []Dialect {
	return []Dialect{
		{
			Name: "react", ResultTags: [2]string{"Observation:", ""}, Title: "Action: NAME and Action Input: JSON or text", Aliases: []string{"langchain_react"},
			Example: "Thought: I need the weather.\nAction: get_weather\nAction Input: {\"city\": \"Oslo\"}\n",
			Doc: `A call is a line "Action: NAME" and a line "Action Input:" with the object of arguments, or with
text that is the one argument, up to "Observation:" or another thought. Thoughts are content, and so
is the text after "Final Answer:".`,
			framing: framing{
				markers: []marker{
					{text: "Action:", role: open, lineStart: true, lookahead: thenActionInput},
					{text: "Final Answer:", role: ignore, lineStart: true, lookahead: never, ownLookahead: always},
				},
				affixes: [2]string{"Action: ", ""},
			},
			grammar: namedJSON(nameSyntax{
				afterName: []string{"Action Input:"}, allowsText: true, textMayBeQuoted: true,
				stops: []string{"Observation:", "Thought:", "Action:", "Final Answer:"}, separator: "\nAction Input: ",
			}),
		},
		{
			Name: "continue", Title: "TOOL_NAME: and BEGIN_ARG: in a tool fence", Aliases: []string{"continue_tool"},
			Doc: `A call is a line "TOOL_NAME: NAME" and, for each argument, a line "BEGIN_ARG: KEY", the lines of
its value and a line "END_ARG", in a tool fence or in none. Values are text without escapes; the type
of one comes from the definition of the tool.`,
			framing: framing{
				markers:  lineProtocolMarkers(),
				fences:   []fenceSpec{{info: "tool", lookahead: thenToolName}},
				implicit: []marker{{role: implicitOpen, lookahead: thenToolName}},
			},
			grammar: lineGrammar,
		},
	}
}

// thenActionInput matches the rest of a line and "Action Input:".
func thenActionInput(text []byte) verdict {
	text = trimLeft(text)
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return thenWord("Action Input:")(text[i:])
	}
	return undecided
}

// thenNameLine matches a name, optionally followed by a control token, and a value on the next line. Values
// other than objects count only after a known tool name.
var thenNameLine = nameThen(optionalControlTokenThen(lineThen(either(thenByte("{"), thenWord("[", "\"", "null")))))

// thenRecipient matches a name, and the marker of its message on the next line.
var thenRecipient = nameThen(lineThen(thenWord("<|content|>")))

// functionaryV2Markers returns the markers of Functionary 2. Each header is one marker, so that a quote before it is
// seen.
func functionaryV2Markers() []marker {
	all := []marker{{text: "<|stop|>", role: ignore}}
	for _, from := range []string{"", "<|from|>assistant", "<|from|>assistant ", "<|from|>assistant\n"} {
		header := marker{text: from + "<|recipient|>", role: open}
		all = append(all, header)
		header.role, header.lookahead, header.skip = ignore, exactText("all\n<|content|>"), "all\n<|content|>"
		all = append(all, header)
	}
	return all
}

// qwenResults skips fabricated tool results.
var qwenResults = fabricatedResults([]string{"✿RETURN✿"}, []string{"✿FUNCTION✿"})

// deepseekSpellings returns all spellings of a DeepSeek marker: with wide or ASCII bars, and four separators between the
// words.
func deepseekSpellings(words string) []string {
	var all []string
	for _, bar := range []string{"｜", "|"} {
		for _, gap := range []string{"▁", "_", " ", `\_`} {
			all = append(all, "<"+bar+strings.ReplaceAll(words, " ", gap)+bar+">")
		}
	}
	return all
}

var (
	deepseekSep          = deepseekSpellings("tool sep")
	deepseekOutputs      = fabricatedResults(deepseekSpellings("tool outputs end"), slices.Concat(deepseekSpellings("tool calls begin"), deepseekSpellings("end of sentence")))
	thenDeepseekFunction = wordThen(not(thenByte("<")), prefixEach("function", deepseekSep)...)
	thenDeepseekName     = nameThen(wordThen(not(thenByte("<")), deepseekSep...))
)

// prefixEach prepends a word to each marker.
func prefixEach(word string, markers []string) []string {
	all := make([]string, len(markers))
	for i, m := range markers {
		all[i] = word + m
	}
	return all
}

// deepseekMarkers returns the markers of DeepSeek. If several dialects are read, the one that begins a call has
// a lookahead.
func deepseekMarkers(named lookahead) []marker {
	var all []marker
	add := func(m marker, words ...string) {
		for _, w := range words {
			for _, text := range deepseekSpellings(w) {
				m.text = text
				all = append(all, m)
			}
		}
	}
	add(marker{role: open, lookahead: named, ownLookahead: thenDeepseekName, opensList: true}, "tool calls begin", "tool calls")
	add(marker{role: listOpen}, "tool calls begin", "tool calls")
	add(marker{role: open, lookahead: named, ownLookahead: always}, "tool call begin")
	add(marker{role: ignore}, "tool call end")
	add(marker{role: listClose}, "tool calls end")
	add(marker{role: open, grammar: &deepseekOutputs, sharedWithText: true}, "tool outputs begin")
	add(marker{role: ignoreKeepSpace}, "tool outputs end", "tool output begin", "tool output end")
	add(marker{role: ignore}, "end of sentence")
	return all
}

func deepseekNameSyntax(between string) nameSyntax {
	stops := slices.Concat(deepseekSpellings("tool calls begin"), deepseekSpellings("tool call begin"), deepseekSpellings("tool calls end"), deepseekSpellings("end of sentence"))
	return nameSyntax{afterName: slices.Concat(deepseekSep, []string{jsonFenceOpener}), typeWord: "function", closers: deepseekSpellings("tool call end"), stops: stops, separator: between}
}

// thenKimi matches functions.NAME:NUMBER and arguments.
var thenKimi = numberedNameThen(either(noBlanksThen(thenObject), thenWord("<|tool_call_argument_begin|>")))

var (
	kimiCloses = []string{"<|tool_call_end|>"}
	kimiBare   = namedJSON(kimiNameSyntax())
)

func kimiNameSyntax(closes ...string) nameSyntax {
	return nameSyntax{
		afterName: []string{"<|tool_call_argument_begin|>"}, braceAllowed: true, numbered: true, namespace: "functions.", closers: closes,
		stops: []string{
			"<|tool_calls_section_begin|>", "<|tool_call_section_begin|>", "<|tool_call_begin|>", "<|tool_call_end|>",
			"<|tool_calls_section_end|>", "<|tool_call_section_end|>", "<|im_end|>", "◁/think▷",
		},
		separator: "<|tool_call_argument_begin|>",
	}
}
