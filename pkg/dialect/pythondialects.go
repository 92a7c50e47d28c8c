package dialect

// Lookaheads for Python calls: one, several in brackets, or either.
var (
	thenCall  = pythonCallWithNameSuffix("")
	thenCalls = wordThen(thenCall, "[")
	thenList  = either(thenCalls, thenCall)
)

// A pythonList is the preset of a list of calls in brackets.
type pythonList struct {
	opening, closing string
	optional         bool // the markers may be missing: the response begins with the list
}

// row returns a dialect of the family. The row adds its other markers.
func (p pythonList) row(d Dialect) Dialect {
	f, opening := &d.framing, open
	if p.optional {
		opening = listOpen
		f.implicit = []marker{{role: implicitOpen, lookahead: thenCalls}}
	}
	if p.opening != "" {
		f.markers = append(f.markers, marker{text: p.opening, role: opening}, marker{text: p.closing, role: listClose})
	}
	if !p.optional {
		f.closers = append(f.closers, p.closing)
	}
	f.affixes = [2]string{p.opening + "[", "]" + p.closing}
	d.Example = p.opening + "[get_weather(city='Oslo')]" + p.closing + "\n"
	d.grammar = pythonic
	return d
}

// pythonDialects write calls as Python does.
func pythonDialects() []Dialect {
	return []Dialect{
		pythonList{optional: true}.row(Dialect{
			Name: "pythonic", HasJSONTools: true, Title: "A list of calls of Python", Families: []string{"Llama 3.2", "ToolACE", "models of the Berkeley benchmark"},
			Doc: `The response begins with a list of calls name(key=literal, …) in brackets. Literals are those of
Python; nothing is evaluated.`,
			framing: framing{
				markers: append(ignoredMarkers("<|eot_id|>", "<|eom_id|>"),
					marker{text: "<|python_start|>", role: ignore, lookahead: never, ownLookahead: always},
					marker{text: "<|python_end|>", role: ignore, lookahead: never, ownLookahead: always},
				),
			},
		}),
		pythonList{opening: "<|python_start|>", closing: "<|python_end|>", optional: true}.row(Dialect{
			Name: "llama4_pythonic", HasJSONTools: true, Title: "A list of calls of Python after <|python_start|>", Families: []string{"Llama 4"},
			Doc:     `As "pythonic", between <|python_start|> and <|python_end|>, which may be missing.`,
			framing: framing{markers: ignoredMarkers("<|eot|>")},
		}),
		{
			Name: "olmo3", HasJSONTools: true, Title: "Calls of Python in <function_calls> tags, one on a line", Families: []string{"OLMo 3"},
			Example: "<function_calls>get_weather(city='Oslo')</function_calls>\n",
			Doc:     `Calls name(key=literal, …), each on its line, between <function_calls> and </function_calls>.`,
			framing: framing{
				markers: []marker{
					{text: "<function_calls>", role: open, lookahead: thenList, ownLookahead: always},
					{text: "</function_calls>", role: listClose},
				},
				closers: []string{"</function_calls>"},
				affixes: [2]string{"<function_calls>", "</function_calls>"},
			},
			grammar: pythonic,
		},
		pythonList{opening: "<|tool_call_start|>", closing: "<|tool_call_end|>"}.row(Dialect{
			Name: "lfm2", HasJSONTools: true, ResultTags: [2]string{"<|tool_response_start|>", "<|tool_response_end|>"}, Title: "A list of calls of Python between tool_call tokens", Families: []string{"LFM 2"},
			Doc: `Calls name(key=literal, …) in brackets between <|tool_call_start|> and <|tool_call_end|>, or a JSON
list of objects with "name" and "arguments". Without the tokens, calls are read at the start of a
response, and if the tools are known only calls of those.`,
			framing: framing{
				markers:  append(ignoredMarkers("<|im_end|>"), marker{text: "<|tool_call_start|>", role: open, lookahead: thenJSON, grammar: &namedObjects}),
				implicit: []marker{{role: implicitOpen, lookahead: never, ownLookahead: thenCalls, needsTool: true}},
			},
		}),
		{
			Name: "gemini_tool_code", ResultTags: [2]string{"```tool_output", "```"}, Title: "Calls of Python in tool_code fences", Families: []string{"Gemini", "Gemma 3"}, Aliases: []string{"tool_code"},
			Doc: `A code fence marked "tool_code" holds calls name(key=literal, …), often as the argument of print
and with default_api. before the name, which is removed.`,
			framing: framing{
				fences:  []fenceSpec{{info: "tool_code", certain: true}},
				affixes: [2]string{"```tool_code\nprint(default_api.", ")\n```"},
			},
			grammar: pythonCalls("default_api.", ""),
		},
	}
}
