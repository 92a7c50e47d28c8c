package dialect

import (
	"bytes"
	"slices"
	"strings"
)

// mistralNaming is NAME and JSON, with a mark between them since version 11.
var mistralNaming = naming{
	behind: []string{"[ARGS]"}, bare: true, id: "[CALL_ID]", stops: []string{"[TOOL_CALLS]", "</s>"}, between: "[ARGS]", none: true,
}

var (
	mistralCall = namedJSON(mistralNaming)
	mistralList = taggedJSON(form{name: ofName, args: ofArguments, before: true})
	thenArgs    = either(tight(nameThen(tight(either(then("[ARGS]", "[CALL_ID]"), thenMembers)))), nameThen(after(blankThen("{"), "[ARGS]")))
)

// mistralMarks are the marks of Mistral. Each version also reads what the other one
// writes, where it is read alone.
func mistralMarks(list, call lead) []mark {
	return []mark{
		{text: "[TOOL_CALLS]", role: begins, lead: list, own: thenJSON, grammar: &mistralList},
		{text: "[TOOL_CALLS]", role: begins, lead: call, own: either(thenName, exactly("[ARGS]")), grammar: &mistralCall},
		{text: "[/TOOL_CALLS]", role: silent},
		{text: "</s>", role: silent},
	}
}

var bracketThink = &wrapper{name: "[THINK]…[/THINK]", whole: true, marks: []mark{{text: "[THINK]", role: thinks}, {text: "[/THINK]", role: thought}}}

// solarThink ends with the mark that ends any message.
var solarThink = &wrapper{name: "<|think|>…<|end|>", whole: true, mixed: true, marks: []mark{{text: "<|think|>", role: thinks}, {text: "<|end|>", role: thought}}}

// namedDialects write the name of the tool before its arguments in JSON.
func namedDialects() []Dialect {
	return []Dialect{
		{
			Name:     "mistral",
			Title:    "A JSON list behind [TOOL_CALLS]",
			Families: []string{"Mistral 7B to Large 2", "Mixtral", "Nemo"},
			Example:  "[TOOL_CALLS] [{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}]\n",
			Doc: `The calls are a list of objects with "name" and "arguments" behind [TOOL_CALLS]. What later
models write, "mistral_args", is read, too. Reasoning stands between [THINK] and [/THINK].`,
			framing: framing{
				marks: mistralMarks(thenJSON, never), thinks: []*wrapper{bracketThink}, start: without("[TOOL_CALLS]", &bareArguments), writes: [2]string{"[TOOL_CALLS] [", "]"},
			},
			grammar: mistralList,
		},
		{
			Name:     "mistral_args",
			Title:    "NAME[ARGS] and JSON behind [TOOL_CALLS]",
			Families: []string{"Mistral Small 3.2", "Ministral 3", "Devstral 2", "Magistral"},
			Aliases:  []string{"ministral"},
			Example:  "[TOOL_CALLS]get_weather[ARGS]{\"city\": \"Oslo\"}\n",
			Doc: `Each call is [TOOL_CALLS], the name of the tool, [ARGS] and an object of arguments. [ARGS] may
be missing, and [CALL_ID] with an id may stand before it. Reasoning stands between [THINK] and [/THINK].`,
			framing: framing{marks: mistralMarks(never, thenArgs), thinks: []*wrapper{bracketThink}, writes: [2]string{"[TOOL_CALLS]", ""}},
			grammar: mistralCall,
		},
		{
			Name:     "solar_open",
			Title:    "ID, NAME and JSON between <|tool_call:…|> marks",
			Families: []string{"Solar Open"},
			Aliases:  []string{"solar"},
			Example:  "<|tool_calls|><|tool_call:begin|>a1b2c3d4e5<|tool_call:name|>get_weather<|tool_call:args|>{\"city\": \"Oslo\"}<|tool_call:end|><|calls|>\n",
			Doc: `Each call is an id, the name of the tool and the object of arguments behind <|tool_call:begin|>,
<|tool_call:name|> and <|tool_call:args|>, up to <|tool_call:end|>. All calls stand between <|tool_calls|>, which
may be missing, and <|calls|>, with which the model stops and which servers cut off. Text follows <|content|>.`,
			framing: framing{
				marks: []mark{
					{text: "<|tool_calls|>", role: wraps, lead: then("<|tool_call:begin|>"), own: anything},
					{text: "<|tool_call:begin|>", role: begins},
					{text: "<|tool_call:name|>", role: unwraps},
					{text: "<|tool_call:args|>", role: unwraps},
					{text: "<|tool_call:end|>", role: unwraps},
					{text: "<|calls|>", role: unwraps},
					{text: "<|begin|>assistant", role: silent},
					{text: "<|content|>", role: silent},
					{text: "<|flush|>", role: silent},
					{text: "<|end|>", role: silent},
				},
				thinks: []*wrapper{solarThink},
				stops:  true,
				writes: [2]string{"<|tool_calls|><|tool_call:begin|>", "<|tool_call:end|><|calls|>"},
			},
			grammar: namedJSON(naming{
				before: "<|tool_call:name|>", behind: []string{"<|tool_call:args|>"}, closes: []string{"<|tool_call:end|>"},
				stops: []string{"<|tool_calls|>", "<|tool_call:begin|>", "<|calls|>", "<|flush|>"}, between: "<|tool_call:args|>",
			}),
		},
		{
			Name:     "deepseek_v3",
			Title:    "function, NAME and fenced JSON between marks",
			Families: []string{"DeepSeek V3", "DeepSeek R1", "Cogito"},
			Aliases:  []string{"deepseek_r1", "cogito"},
			Example:  "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{\"city\": \"Oslo\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>\n",
			Doc: `Each call is the word function, the name of the tool and the object of arguments in a json
fence, between <｜tool▁call▁begin｜> and <｜tool▁call▁end｜>. All calls stand between marks of their own,
which may be missing. The marks are read with plain bars, underscores and blanks, too.`,
			framing: framing{
				marks:  deepseekMarks(thenDeepseekFunction),
				writes: [2]string{"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>", "\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"},
			},
			grammar: namedJSON(deepseekNaming("\n```json\n")),
		},
		{
			Name:     "deepseek_v31",
			Title:    "NAME and JSON between marks",
			Families: []string{"DeepSeek V3.1"},
			Example:  "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{\"city\": \"Oslo\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>\n",
			Doc:      `As "deepseek_v3", without the word function and the fence.`,
			framing: framing{
				marks:  deepseekMarks(thenDeepseekName),
				writes: [2]string{"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>", "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"},
			},
			grammar: namedJSON(deepseekNaming("<｜tool▁sep｜>")),
		},
		{
			Name:     "kimi_k2",
			Title:    "functions.NAME:NUMBER and JSON between marks",
			Families: []string{"Kimi K2"},
			Aliases:  []string{"kimi"},
			Example:  "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{\"city\": \"Oslo\"}<|tool_call_end|><|tool_calls_section_end|>\n",
			Doc: `Each call is functions.NAME:NUMBER, which is its id, too, and an object of arguments, between
<|tool_call_begin|>, <|tool_call_argument_begin|> and <|tool_call_end|>. All calls stand between marks of
their own, which may be missing. Where a server drops all marks,
functions.NAME:NUMBER{…} is read. A number without a name is a call of the only tool there is.`,
			framing: framing{
				marks: []mark{
					{text: "<|tool_calls_section_begin|>", role: begins, lead: thenKimi, grammar: &kimiBare, around: true},
					{text: "<|tool_calls_section_begin|>", role: wraps},
					{text: "<|tool_call_section_begin|>", role: begins, lead: thenKimi, grammar: &kimiBare, around: true},
					{text: "<|tool_call_section_begin|>", role: wraps},
					{text: "<|tool_call_begin|>", role: begins},
					{text: "<|tool_call_end|>", role: silent},
					{text: "<|tool_calls_section_end|>", role: unwraps},
					{text: "<|tool_call_section_end|>", role: unwraps},
					{text: "functions.", role: takes, lead: thenKimi, own: countThen(either(exactly("{"), then("<|tool_call_argument_begin|>"))), grammar: &kimiBare},
					{text: "<|im_end|>", role: silent},
				},
				thinks: []*wrapper{thinkTags, tags("◁think▷", "◁/think▷")},
				writes: [2]string{"<|tool_calls_section_begin|><|tool_call_begin|>", "<|tool_call_end|><|tool_calls_section_end|>"},
			},
			grammar: namedJSON(kimiNaming(kimiCloses...)),
		},
		{
			Name:     "functionary_v31",
			Title:    "<function=NAME> with JSON",
			Families: []string{"Functionary 3.1", "Llama 3.1 with custom tools"},
			Aliases:  []string{"llama31_custom"},
			Example:  "<function=get_weather>{\"city\": \"Oslo\"}</function>\n",
			Doc:      `Each call is the object of arguments between <function=NAME> and </function>.`,
			framing: framing{
				marks: []mark{
					{text: "<function=", role: begins, lead: nameThen(after(thenMembers, ">")), own: nameThen(after(blankThen("{"), ">"))},
					{text: "</function>", role: unwraps},
					{text: "<|eom_id|>", role: silent},
					{text: "<|eot_id|>", role: silent},
				},
				writes: [2]string{"<function=", "</function>"},
			},
			grammar: namedJSON(naming{
				behind: []string{">"}, closes: []string{"</function>"}, stops: []string{"<function=", "<|eom_id|>", "<|eot_id|>"}, between: ">",
			}),
		},
		{
			Name:     "functionary_v32",
			Title:    ">>>NAME and JSON on the next line",
			Families: []string{"Functionary 3.2"},
			Example:  ">>>get_weather\n{\"city\": \"Oslo\"}\n",
			Doc: `The response is made of parts that begin with >>> and a name, the first without >>>. On the next
line follows an object of arguments, code where the name is python, and text where it is all.`,
			framing: framing{
				marks: []mark{
					{text: ">>>", role: silent, lead: exactly("all\n"), skip: "all\n"},
					{text: ">>>", role: begins, lead: tight(nameThen(lineThen(thenMembers))), own: tight(nameThen(tokenThen(lineThen(anything))))},
					{text: "<|eot_id|>", role: silent},
					{text: "<|start_header_id|>", role: silent},
				},
				start:  []mark{{role: starts, lead: never, own: either(exactly("all\n"), either(exactly("python\n"), thenNameLine))}},
				writes: [2]string{">>>", ""},
			},
			grammar: namedJSON(naming{
				behind: []string{"\n"}, plain: "all", raw: "python", part: ">>>", stops: []string{">>>", "<|eot_id|>"}, between: "\n",
			}),
		},
		{
			Name:     "functionary_v2",
			Title:    "<|recipient|>NAME and JSON behind <|content|>",
			Families: []string{"Functionary 2"},
			Example:  "<|from|>assistant\n<|recipient|>get_weather\n<|content|>{\"city\": \"Oslo\"}<|stop|>\n",
			Doc: `The response is made of messages <|from|>assistant, <|recipient|>NAME and <|content|>, each on its
line, the first without the two marks before the name. What follows <|content|> is an object of arguments,
code where the name is python, and text where it is all.`,
			framing: framing{
				marks:  recipientMarks(),
				start:  []mark{{role: starts, lead: thenRecipient}},
				writes: [2]string{"<|from|>assistant\n<|recipient|>", "<|stop|>"},
			},
			grammar: namedJSON(naming{
				behind: []string{"<|content|>"}, plain: "all", raw: "python",
				stops: []string{"<|from|>", "<|recipient|>", "<|stop|>"}, between: "\n<|content|>",
			}),
		},
		{
			Name:     "qwen_agent",
			Title:    "✿FUNCTION✿: NAME and ✿ARGS✿: JSON",
			Families: []string{"Qwen 2 with Qwen-Agent"},
			Example:  "✿FUNCTION✿: get_weather\n✿ARGS✿: {\"city\": \"Oslo\"}\n",
			Doc: `Each call is ✿FUNCTION✿: and the name of the tool, and on the next line ✿ARGS✿: and the object of
arguments, or code where the tool is code_interpreter. ✿RESULT✿: and ✿RETURN✿: belong to the results, which
the model must not write.`,
			framing: framing{
				marks: []mark{
					{text: "✿FUNCTION✿", role: begins, lead: exactly(":"), skip: ":"},
					{text: "✿FUNCTION✿", role: begins},
					{text: "✿ARGS✿", role: unwraps},
					{text: "✿RESULT✿", role: begins, grammar: &qwenResults, common: true},
					{text: "✿RETURN✿", role: drops},
				},
				writes: [2]string{"✿FUNCTION✿: ", ""},
			},
			grammar: namedJSON(naming{
				behind: []string{"✿ARGS✿:"}, raw: "code_interpreter",
				stops: []string{"✿FUNCTION✿", "✿RESULT✿", "✿RETURN✿"}, between: "\n✿ARGS✿: ",
			}),
		},
		{
			Name:     "glm4",
			Title:    "NAME and JSON on the next line",
			Families: []string{"GLM-4 9B", "ChatGLM 3"},
			Aliases:  []string{"chatglm3"},
			Example:  "<|assistant|>get_weather\n{\"city\": \"Oslo\"}\n",
			Doc: `A call is the name of the tool and the object of arguments on the next line. It is read at the
start of a response, if the dialect was asked for, and behind <|assistant|>.`,
			framing: framing{
				marks: []mark{
					{text: "<|assistant|>", role: begins, common: true, lead: tight(nameThen(lineThen(thenMembers))), own: thenNameLine},
					{text: "<|assistant|>", role: silent},
					{text: "<|observation|>", role: silent},
					{text: "<|user|>", role: silent},
				},
				start:  []mark{{role: starts, lead: never, own: thenNameLine}},
				writes: [2]string{"<|assistant|>", ""},
			},
			grammar: namedJSON(naming{
				behind: []string{"\n"}, prose: true, stops: []string{"<|assistant|>", "<|observation|>", "<|user|>"}, between: "\n",
			}),
		},
		{
			Name:    "react",
			Title:   "Action: NAME and Action Input: JSON or text",
			Aliases: []string{"langchain_react"},
			Example: "Thought: I need the weather.\nAction: get_weather\nAction Input: {\"city\": \"Oslo\"}\n",
			Doc: `A call is a line "Action: NAME" and a line "Action Input:" with the object of arguments, or with
text that is the one argument, up to "Observation:" or another thought. Thoughts are content, and so
is what stands behind "Final Answer:".`,
			framing: framing{
				marks: []mark{
					{text: "Action:", role: begins, line: true, lead: thenInput},
					{text: "Final Answer:", role: silent, line: true, lead: never, own: anything},
				},
				writes: [2]string{"Action: ", ""},
			},
			grammar: namedJSON(naming{
				behind: []string{"Action Input:"}, free: true, quoted: true,
				stops: []string{"Observation:", "Thought:", "Action:", "Final Answer:"}, between: "\nAction Input: ",
			}),
		},
		{
			Name:    "continue",
			Title:   "TOOL_NAME: and BEGIN_ARG: in a tool fence",
			Aliases: []string{"continue_tool"},
			Example: "```tool\nTOOL_NAME: get_weather\nBEGIN_ARG: city\nOslo\nEND_ARG\n```\n",
			Doc: `A call is a line "TOOL_NAME: NAME" and, for each argument, a line "BEGIN_ARG: KEY", the lines of
its value and a line "END_ARG", in a tool fence or in none. Values are text without escapes; the type
of one comes from the definition of the tool.`,
			framing: framing{
				marks:  lineMarks(),
				fences: []fenceForm{{info: "tool", lead: thenToolName}},
				start:  []mark{{role: starts, lead: thenToolName}},
			},
			grammar: lineGrammar,
		},
	}
}

// thenInput is the lead of the rest of a line and "Action Input:".
func thenInput(text []byte) verdict {
	text = trimLeft(text)
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return then("Action Input:")(text[i:])
	}
	return more
}

// thenNameLine is the lead of a name, which a control token can follow, and a value on the next line. Another value than an
// object counts after the name of a tool.
var thenNameLine = nameThen(tokenThen(lineThen(either(blankThen("{"), then("[", "\"", "null")))))

// thenRecipient is the lead of a name, and the mark of its message on the next line.
var thenRecipient = nameThen(lineThen(then("<|content|>")))

// recipientMarks returns the marks of Functionary 2. Each header is one mark, so that a quote before it
// is seen.
func recipientMarks() []mark {
	all := []mark{{text: "<|stop|>", role: silent}}
	for _, from := range []string{"", "<|from|>assistant", "<|from|>assistant ", "<|from|>assistant\n"} {
		header := mark{text: from + "<|recipient|>", role: begins}
		all = append(all, header)
		header.role, header.lead, header.skip = silent, exactly("all\n<|content|>"), "all\n<|content|>"
		all = append(all, header)
	}
	return all
}

// qwenResults passes over results of tools that the model makes up.
var qwenResults = madeUp([]string{"✿RETURN✿"}, []string{"✿FUNCTION✿"})

// deepseek returns a mark of DeepSeek in all its spellings: with wide bars, or
// those of ASCII, and with four things between the words.
func deepseek(words string) []string {
	var all []string
	for _, bar := range []string{"｜", "|"} {
		for _, gap := range []string{"▁", "_", " ", `\_`} {
			all = append(all, "<"+bar+strings.ReplaceAll(words, " ", gap)+bar+">")
		}
	}
	return all
}

var (
	deepseekSep          = deepseek("tool sep")
	deepseekOutputs      = madeUp(deepseek("tool outputs end"), slices.Concat(deepseek("tool calls begin"), deepseek("end of sentence")))
	thenDeepseekFunction = after(not(blankThen("<")), prefixed("function", deepseekSep)...)
	thenDeepseekName     = nameThen(after(not(blankThen("<")), deepseekSep...))
)

// prefixed puts a word before each of some marks.
func prefixed(word string, marks []string) []string {
	all := make([]string, len(marks))
	for i, m := range marks {
		all[i] = word + m
	}
	return all
}

// deepseekMarks returns the marks of DeepSeek. Where other dialects are read, too,
// the one that begins a call has a lead.
func deepseekMarks(named lead) []mark {
	var all []mark
	add := func(m mark, words ...string) {
		for _, w := range words {
			for _, text := range deepseek(w) {
				m.text = text
				all = append(all, m)
			}
		}
	}
	add(mark{role: begins, lead: named, own: thenDeepseekName, around: true}, "tool calls begin", "tool calls")
	add(mark{role: wraps}, "tool calls begin", "tool calls")
	add(mark{role: begins, lead: named, own: anything}, "tool call begin")
	add(mark{role: silent}, "tool call end")
	add(mark{role: unwraps}, "tool calls end")
	add(mark{role: begins, grammar: &deepseekOutputs, common: true}, "tool outputs begin")
	add(mark{role: drops}, "tool outputs end", "tool output begin", "tool output end")
	add(mark{role: silent}, "end of sentence")
	return all
}

func deepseekNaming(between string) naming {
	stops := slices.Concat(deepseek("tool calls begin"), deepseek("tool call begin"), deepseek("tool calls end"), deepseek("end of sentence"))
	return naming{behind: slices.Concat(deepseekSep, []string{openFence}), word: "function", closes: deepseek("tool call end"), stops: stops, between: between}
}

// thenKimi is the lead of functions.NAME:NUMBER and arguments.
var thenKimi = countThen(either(tight(thenMembers), then("<|tool_call_argument_begin|>")))

var (
	kimiCloses = []string{"<|tool_call_end|>"}
	kimiBare   = namedJSON(kimiNaming())
)

func kimiNaming(closes ...string) naming {
	return naming{
		behind: []string{"<|tool_call_argument_begin|>"}, bare: true, counted: true, space: "functions.", closes: closes,
		stops: []string{
			"<|tool_calls_section_begin|>", "<|tool_call_section_begin|>", "<|tool_call_begin|>", "<|tool_call_end|>",
			"<|tool_calls_section_end|>", "<|tool_call_section_end|>", "<|im_end|>", "◁/think▷",
		},
		between: "<|tool_call_argument_begin|>",
	}
}
