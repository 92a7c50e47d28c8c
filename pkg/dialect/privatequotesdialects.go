package dialect

import "bytes"

// privateQuoteDialects write strings between markers of their own.
func privateQuoteDialects() []Dialect {
	return []Dialect{
		{
			Name:     "gemma4",
			Title:    "call:NAME{…} with strings between quote tokens",
			Families: []string{"Gemma 4"},
			Doc: `Each call is the word call:, a name and an object between <|tool_call> and <tool_call|>. Keys have no
quotes, and strings are between two tokens <|"|>, without escapes. Reasoning is between
<|channel>thought and <channel|>. A call without the markers around it is read with a finding.`,
			framing: framing{
				markers: append(strayCalls("<|tool_call>", `<|"|>`),
					marker{text: "<call>", role: open, lookahead: quotedCall(`<|"|>`), missingOpener: "<|tool_call>"},
					marker{text: "<|tool_call>", role: open},
					marker{text: "<tool_call|>", role: listClose},
					marker{text: "<|tool_response>", role: ignore, effect: beginsResult},
					marker{text: "<tool_response|>", role: ignore},
					marker{text: "<turn|>", role: ignore},
				),
				closers: []string{"<tool_call|>"},
				reasoning: []*delimiters{{name: "<|channel>thought…<channel|>", markers: []marker{
					{text: "<|channel>", role: reasoningOpen, skip: "thought\n"}, {text: "<channel|>", role: reasoningClose},
				}}},
				affixes: [2]string{"<|tool_call>", "<tool_call|>"},
			},
			grammar: privateQuotes(`<|"|>`),
		},
		{
			Name:     "functiongemma",
			Title:    "call:NAME{…} with strings between <escape> markers",
			Families: []string{"FunctionGemma"},
			Doc:      `As "gemma4", with other markers: <start_function_call>, <end_function_call>, and <escape> on both sides of a string.`,
			framing: framing{
				markers: append(strayCalls("<start_function_call>", "<escape>"),
					marker{text: "<start_function_call>", role: open},
					marker{text: "<end_function_call>", role: listClose},
					marker{text: "<start_function_response>", role: ignore},
					marker{text: "<end_of_turn>", role: ignore},
				),
				closers: []string{"<end_function_call>"},
				affixes: [2]string{"<start_function_call>", "<end_function_call>"},
			},
			grammar: privateQuotes("<escape>"),
		},
	}
}

// strayCalls returns the marker for calls whose own marker is missing. If several dialects are read, only the
// quote tokens distinguish them from text.
func strayCalls(lacks, quote string) []marker {
	own := nameThen(wordThen(either(thenByte("}"), nameThen(thenWord(":"))), "{"))
	return []marker{{text: callWord, role: openKeep, lookahead: noBlanksThen(quotedCall(quote)), ownLookahead: noBlanksThen(own), missingOpener: lacks}}
}

// quotedCall returns the lookahead for a name and arguments with a quote token.
func quotedCall(quote string) lookahead {
	return nameThen(wordThen(func(text []byte) verdict {
		end := bytes.IndexAny(text, "}\r\n")
		switch i := bytes.Index(text, []byte(quote)); {
		case i >= 0 && (end < 0 || i < end):
			return yes
		case end >= 0:
			return no
		}
		return undecided
	}, "{"))
}
