package dialect

// quotedDialects write strings between marks of their own.
func quotedDialects() []Dialect {
	return []Dialect{
		{
			Name:     "gemma4",
			Title:    "call:NAME{…} with strings between quote tokens",
			Families: []string{"Gemma 4"},
			Example:  "<|tool_call>call:get_weather{city:<|\"|>Oslo<|\"|>}<tool_call|>\n",
			Doc: `Each call is the word call:, a name and an object between <|tool_call> and <tool_call|>. Keys have no
quotes, and strings stand between two tokens <|"|>, without escapes. Reasoning stands between
<|channel>thought and <channel|>.`,
			framing: framing{
				marks: []mark{
					{text: "<|tool_call>", role: begins},
					{text: "<tool_call|>", role: unwraps},
					{text: "<|tool_response>", role: silent},
					{text: "<tool_response|>", role: silent},
					{text: "<turn|>", role: silent},
				},
				closes: []string{"<tool_call|>"},
				thinks: []*wrapper{{name: "<|channel>thought…<channel|>", marks: []mark{
					{text: "<|channel>", role: thinks, skip: "thought\n"}, {text: "<channel|>", role: thought},
				}}},
				writes: [2]string{"<|tool_call>", "<tool_call|>"},
			},
			grammar: privateQuotes(`<|"|>`),
		},
		{
			Name:     "functiongemma",
			Title:    "call:NAME{…} with strings between <escape> marks",
			Families: []string{"FunctionGemma"},
			Example:  "<start_function_call>call:get_weather{city:<escape>Oslo<escape>}<end_function_call>\n",
			Doc:      `As "gemma4", with other marks: <start_function_call>, <end_function_call>, and <escape> on both sides of a string.`,
			framing: framing{
				marks: []mark{
					{text: "<start_function_call>", role: begins},
					{text: "<end_function_call>", role: unwraps},
					{text: "<start_function_response>", role: silent},
					{text: "<end_of_turn>", role: silent},
				},
				closes: []string{"<end_function_call>"},
				writes: [2]string{"<start_function_call>", "<end_function_call>"},
			},
			grammar: privateQuotes("<escape>"),
		},
	}
}
