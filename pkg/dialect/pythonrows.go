package dialect

import "bytes"

// thenCallOf returns the lead of a call of Python: a name that ends so, and a
// parenthesis.
func thenCallOf(suffix string) lead {
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
		return more
	}
}

// thenParenthesis is the lead of a parenthesis, which a control token can precede.
var thenParenthesis = tokenThen(exactly("("))

// Leads of calls of Python: one, several in brackets, or either.
var (
	thenCall  = thenCallOf("")
	thenCalls = after(thenCall, "[")
	thenList  = either(thenCalls, thenCall)
)

// callee returns the name in front of the first parenthesis, behind a bracket.
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
				start: []mark{{role: starts, lead: thenCalls}},
				marks: []mark{
					{text: "<|eot_id|>", role: silent},
					{text: "<|eom_id|>", role: silent},
					{text: "<|python_start|>", role: silent, lead: never, own: anything},
					{text: "<|python_end|>", role: silent, lead: never, own: anything},
				},
				writes: [2]string{"[", "]"},
			},
			grammar: pythonic,
		},
		{
			Name:     "llama4_pythonic",
			Title:    "A list of calls of Python behind <|python_start|>",
			Families: []string{"Llama 4"},
			Example:  "<|python_start|>[get_weather(city='Oslo')]<|python_end|>\n",
			Doc:      `As "pythonic", between <|python_start|> and <|python_end|>, which may be missing.`,
			framing: framing{
				start: []mark{{role: starts, lead: thenCalls}},
				marks: []mark{
					{text: "<|python_start|>", role: wraps},
					{text: "<|python_end|>", role: unwraps},
					{text: "<|eot|>", role: silent},
				},
				writes: [2]string{"<|python_start|>[", "]<|python_end|>"},
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
				marks: []mark{
					{text: "<function_calls>", role: begins, lead: thenList, own: anything},
					{text: "</function_calls>", role: unwraps},
				},
				closes: []string{"</function_calls>"},
				writes: [2]string{"<function_calls>", "</function_calls>"},
			},
			grammar: pythonic,
		},
		{
			Name:     "lfm2",
			Title:    "A list of calls of Python between tool_call tokens",
			Families: []string{"LFM 2"},
			Example:  "<|tool_call_start|>[get_weather(city='Oslo')]<|tool_call_end|>\n",
			Doc: `Calls name(key=literal, …) in brackets between <|tool_call_start|> and <|tool_call_end|>, or a JSON
list of objects with "name" and "arguments". Without the tokens calls are read at the start of a
response, where the tools are known only those of one.`,
			framing: framing{
				marks: []mark{
					{text: "<|tool_call_start|>", role: begins, lead: thenJSON, grammar: &namedObjects},
					{text: "<|tool_call_start|>", role: begins},
					{text: "<|tool_call_end|>", role: unwraps},
					{text: "<|im_end|>", role: silent},
				},
				closes: []string{"<|tool_call_end|>"},
				start:  []mark{{role: starts, lead: never, own: thenCalls, known: true}},
				writes: [2]string{"<|tool_call_start|>[", "]<|tool_call_end|>"},
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
				fences: []fenceForm{{info: "tool_code", sure: true}},
				writes: [2]string{"```tool_code\nprint(default_api.", ")\n```"},
			},
			grammar: pythonCalls("default_api.", ""),
		},
	}
}
