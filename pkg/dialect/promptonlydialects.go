package dialect

// taughtDialects are the two dialects that no model writes without instructions.
func taughtDialects() []Dialect {
	return []Dialect{
		{
			Name:    "tool",
			Title:   "Calls in tool fences",
			Aliases: []string{"tool_fence_ts"},
			Example: "I will look at the page.\n\n```tool\nreturn wget(\"https://example.com/\", 5000);\n```\n",
			Doc: `A code fence of three or more backticks or tildes with the info string "tool" holds
statements "return name(arguments);". Several statements are several calls, as are several
fences. "return" and ";" may be missing. Arguments are literals of JavaScript: strings in
single, double or template quotes, numbers, true, false, null, arrays and objects, with
trailing commas and comments. They go to the parameters in order; one object instead names
them. Nothing is evaluated. Text inside a string is never a fence or a call; calls
after a string that is not closed are listed and not run.`,
			framing: framing{
				fences: []fenceSpec{{
					info: "tool", certain: true, lookahead: not(thenWordAnyCase(toolNameKeyword)),
					mismatch: "the fence holds the line protocol of Continue (TOOL_NAME: …); it is not read",
				}},
			},
			grammar: script,
		},
		{
			Name:    "toolcalls",
			Title:   "Calls in one JSON object",
			Aliases: []string{"toolcalls_json"},
			Example: `{"toolCalls":[{"type":"wget","id":"w1","operation":"get","parameters":{"uri":"https://example.com/"}}]}` + "\n",
			Doc: `The response is one JSON object {"toolCalls":[…]}, raw or in a code fence with the info string
"json" or none. Each item is a call: "type" is the tool, "id" is unique in the response,
"operation" is a description, "parameters" is the object of arguments, and "priority" is an optional
number. Every readable call counts, even beside unreadable ones. Similar forms are read with
a finding: "tool_calls", a list or a single call without the object around it,
and calls with other member names, such as "name" and "arguments". Text around the
object is a finding, and so is a call after "end_turn", which is not run. Text inside a string
is never a fence or a call; calls after a string that is not closed are listed and not run.`,
			Ending: "end_turn",
			framing: framing{
				fences:    jsonFences,
				implicit:  []marker{{role: implicitOpen, lookahead: thenJSON, ownLookahead: thenObjectOrList}},
				firstKeys: []string{"toolCalls", "tool_calls"},
				listKeys:  []string{"toolCalls", "tool_calls"},
				callsOnly: true, ignoreAfterEnding: true,
			},
			grammar: callList,
		},
	}
}

// thenObjectOrList matches an object or a list, but no marker of reasoning that begins like a list.
func thenObjectOrList(text []byte) verdict {
	if v := thenReasoningInBrackets(text); v != no {
		return not(thenReasoningInBrackets)(text)
	}
	return thenByte("{[")(text)
}

var thenReasoningInBrackets = thenWord("[THINK]", "[/THINK]", "[BEGIN FINAL RESPONSE]")
