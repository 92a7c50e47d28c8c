package dialect

import "bytes"

// pythonCallWithSuffix returns the lookahead for a Python call: a name with a suffix, and a parenthesis.
func pythonCallWithSuffix(suffix string) lookahead {
	return func(text []byte) verdict {
		text = trimLeft(text)
		for i, c := range text {
			if !isNameByte(c) || c == '-' {
				if i == 0 || !bytes.HasSuffix(text[:i], []byte(suffix)) {
					return no
				}
				return thenParenthesis(text[i:])
			}
		}
		return undecided
	}
}

// thenParenthesis matches a parenthesis, optionally after a control token.
var thenParenthesis = tokenThen(exactly("("))

// Lookaheads for Python calls: one, several in brackets, or either.
var (
	thenCall  = pythonCallWithSuffix("")
	thenCalls = wordThen(thenCall, "[")
	thenList  = either(thenCalls, thenCall)
)

// callee returns the name before the first parenthesis, without a leading bracket.
func callee(text []byte) string {
	name, _, _ := bytes.Cut(trimLeft(text), []byte{'('})
	return string(trimLeft(bytes.TrimPrefix(name, []byte{'['})))
}

// pythonDialects write calls as Python does.
func pythonDialects() []Dialect {
	return []Dialect{
		{
			Name:     "pythonic",
			Title:    "A list of calls of Python",
			Families: []string{"Llama 3.2", "ToolACE", "models of the Berkeley benchmark"},
			Example:  "[get_weather(city='Oslo')]\n",
			Doc: `The response begins with a list of calls name(key=literal, …) in brackets. Literals are those of
Python; nothing is evaluated.`,
			framing: framing{
				implicit: []marker{{role: implicitOpen, lookahead: thenCalls}},
				markers: []marker{
					{text: "<|eot_id|>", role: ignore},
					{text: "<|eom_id|>", role: ignore},
					{text: "<|python_start|>", role: ignore, lookahead: never, ownLookahead: anything},
					{text: "<|python_end|>", role: ignore, lookahead: never, ownLookahead: anything},
				},
				affixes: [2]string{"[", "]"},
			},
			grammar: pythonic,
		},
		{
			Name:     "llama4_pythonic",
			Title:    "A list of calls of Python after <|python_start|>",
			Families: []string{"Llama 4"},
			Example:  "<|python_start|>[get_weather(city='Oslo')]<|python_end|>\n",
			Doc:      `As "pythonic", between <|python_start|> and <|python_end|>, which may be missing.`,
			framing: framing{
				implicit: []marker{{role: implicitOpen, lookahead: thenCalls}},
				markers: []marker{
					{text: "<|python_start|>", role: listOpen},
					{text: "<|python_end|>", role: listClose},
					{text: "<|eot|>", role: ignore},
				},
				affixes: [2]string{"<|python_start|>[", "]<|python_end|>"},
			},
			grammar: pythonic,
		},
		{
			Name:     "olmo3",
			Title:    "Calls of Python in <function_calls> tags, one on a line",
			Families: []string{"OLMo 3"},
			Example:  "<function_calls>get_weather(city='Oslo')</function_calls>\n",
			Doc:      `Calls name(key=literal, …), each on its line, between <function_calls> and </function_calls>.`,
			framing: framing{
				markers: []marker{
					{text: "<function_calls>", role: open, lookahead: thenList, ownLookahead: anything},
					{text: "</function_calls>", role: listClose},
				},
				closers: []string{"</function_calls>"},
				affixes: [2]string{"<function_calls>", "</function_calls>"},
			},
			grammar: pythonic,
		},
		{
			Name:     "lfm2",
			Title:    "A list of calls of Python between tool_call tokens",
			Families: []string{"LFM 2"},
			Example:  "<|tool_call_start|>[get_weather(city='Oslo')]<|tool_call_end|>\n",
			Doc: `Calls name(key=literal, …) in brackets between <|tool_call_start|> and <|tool_call_end|>, or a JSON
list of objects with "name" and "arguments". Without the tokens, calls are read at the start of a
response, and if the tools are known only calls of those.`,
			framing: framing{
				markers: []marker{
					{text: "<|tool_call_start|>", role: open, lookahead: thenJSON, grammar: &namedObjects},
					{text: "<|tool_call_start|>", role: open},
					{text: "<|tool_call_end|>", role: listClose},
					{text: "<|im_end|>", role: ignore},
				},
				closers:  []string{"<|tool_call_end|>"},
				implicit: []marker{{role: implicitOpen, lookahead: never, ownLookahead: thenCalls, needsTool: true}},
				affixes:  [2]string{"<|tool_call_start|>[", "]<|tool_call_end|>"},
			},
			grammar: pythonic,
		},
		{
			Name:     "gemini_tool_code",
			Title:    "Calls of Python in tool_code fences",
			Families: []string{"Gemini", "Gemma 3"},
			Aliases:  []string{"tool_code"},
			Example:  "```tool_code\nprint(default_api.get_weather(city=\"Oslo\"))\n```\n",
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
