package dialect

import (
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect/markup"
)

var harmonyClosers = []string{"<|end|>", "<|call|>", "<|return|>"}

// harmonyMessage is a message with all its markers.
var harmonyMessage = messageGrammar(messageSyntax{
	bodyMarkers: []bodyMarker{{"<|message|>", bodyByHeader}},
	closers:     harmonyClosers, openers: []string{"<|start|>", "<|channel|>"}, callTagPrefix: "<atem:",
})

// Messages without markers, which some servers drop.
var (
	bareOpeners       = []string{"assistantanalysis", "assistantcommentary", "assistantfinal", "<|start|>", "<|channel|>"}
	bareCall          = messageGrammar(messageSyntax{bodyMarkers: []bodyMarker{{"{", bodyIsArguments}}, closers: harmonyClosers, openers: bareOpeners})
	bareReasoning     = grammar{newBody: newBareReasoningBody}
	bareReasoningEnds = newMarkerList(func() []string { return sortedUnion(harmonyClosers, bareOpeners) })
)

// bareAnalysis begins a response without markers.
const bareAnalysis = "analysis"

// newBareReasoningBody returns a body for reasoning without a header.
func newBareReasoningBody(s *sink, f *frame) body {
	b := &reasoningBody{sink: s, markerReader: newMarkerReader(bareReasoningEnds()), at: f.bodyAt, closers: harmonyClosers, opener: diag.Bytes(f.at, f.bodyAt)}
	if f.marker == "" {
		b.skipBytes = len(bareAnalysis)
	}
	return b
}

// thenBareAnalysis matches reasoning without any marker.
func thenBareAnalysis(text []byte) verdict {
	if v := exactText(bareAnalysis)(text); v != yes {
		return v
	}
	return thenSentence(text[len(bareAnalysis):])
}

// thenSentence matches text that starts at once, not with a lower-case letter.
func thenSentence(text []byte) verdict {
	if len(text) == 0 {
		return undecided
	}
	c := text[0]
	return verdictOf('A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80)
}

// thenBareCall matches the name of a tool and arguments in JSON.
var thenBareCall = nameThen(either(thenByte("{"), wordThen(thenByte("{"), "json", "<|constrain|>json")))

// channelDialects write messages, each with a recipient.
func channelDialects() []Dialect {
	return append(messageRows(), kimiK3)
}

// messageRows have a header before each message.
func messageRows() []Dialect {
	return []Dialect{
		{
			Name: "harmony", Title: "Messages for functions.NAME on channels", Families: []string{"gpt-oss"}, Aliases: []string{"gpt_oss", "gptoss"},
			Example: "<|channel|>analysis<|message|>I need the weather.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{\"city\": \"Oslo\"}<|call|>\n",
			Doc: `A response is made of messages <|start|>assistant<|channel|>CHANNEL to=RECIPIENT<|message|>…<|end|>.
A message for functions.NAME is a call with JSON arguments, on any channel. A message for another tool,
such as python, may be text. The channel analysis is reasoning, the others are content: calls quoted in a
message for the user are not run. Servers may drop the markers: then "commentary to=functions.NAME json{…}" is read.`,
			framing: framing{
				markers: []marker{
					{text: "<|start|>", role: open, sharedWithText: true, lookahead: thenWord("assistant", "user", "system", "developer", "tool", "functions."), ownLookahead: always},
					{text: "<|channel|>", role: open, sharedWithText: true, lookahead: thenWord("analysis", "commentary", "final"), ownLookahead: always},
					{text: "<|end|>", role: ignore, effect: endsMessage},
					{text: "<|call|>", role: ignore, effect: endsMessage},
					{text: "<|message|>", role: listClose, lookahead: never, ownLookahead: always},
					{text: "<|return|>", role: ignore, effect: endsMessage},
					{text: "assistantcommentary to=", role: openKeep, lookahead: thenBareCall, grammar: &bareCall},
					{text: "commentary to=functions.", role: openKeep, lineStart: true, lookahead: thenBareCall, grammar: &bareCall},
					{text: "assistantanalysis", role: open, lookahead: never, ownLookahead: thenSentence, grammar: &bareReasoning},
					{text: "assistantfinal", role: ignore, lookahead: never, ownLookahead: thenSentence},
				},
				implicit: []marker{
					{role: implicitOpen, lookahead: never, ownLookahead: thenBareAnalysis, grammar: &bareReasoning},
					{role: implicitOpen, lookahead: thenChannel},
				},
				reasoning: []*delimiters{},
				affixes:   [2]string{"<|channel|>commentary to=functions.", "<|call|>"},
			},
			grammar: harmonyMessage,
		},
		{
			Name: "inkling", Title: "Messages whose content is a JSON object with name and args", Families: []string{"Inkling"},
			Example: "<|message_model|>get_weather<|content_invoke_tool_json|>{\"name\": \"get_weather\", \"args\": {\"city\": \"Oslo\"}}<|end_message|>\n",
			Doc: `A response is made of messages <|message_model|>…<|end_message|>. <|content_invoke_tool_json|>
introduces a call, an object with "name" and "args"; <|content_invoke_tool_text|> introduces the text argument
of the tool in the header; <|content_thinking|> introduces reasoning. Calls quoted after
<|content_text|> are not run.`,
			framing: framing{
				markers: []marker{
					{text: "<|message_model|>", role: open, sharedWithText: true},
					{text: "<|end_message|>", role: ignore, effect: endsMessage},
					{text: "<|content_invoke_tool_json|>", role: open, messageStart: true, grammar: &inklingPayload},
					{text: "<|content_invoke_tool_text|>", role: open, messageStart: true, grammar: &inklingText},
					{text: "<|content_text|>", role: ignore, effect: beginsAnswer},
					{text: "<|content_model_end_sampling|>", role: ignore, effect: endsMessage},
				},
				closers:   []string{"<|end_message|>"},
				reasoning: []*delimiters{},
				affixes:   [2]string{"<|message_model|>", "<|end_message|>"},
			},
			grammar: inkling,
		},
		{
			Name: "muse_glimmer", Title: "Messages with <atem:invoke> for a tool", Families: []string{"Muse Glimmer", "Onyx"}, Aliases: []string{"onyx", "atem"},
			Example: " to=get_weather<|message|><atem:function_calls>\n<atem:invoke name=\"get_weather\">\n<atem:parameter name=\"city\">Oslo</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eom|>\n",
			Doc: `A response is made of messages <|start|>assistant to=RECIPIENT<|message|>…<|eom|>. Calls are tags
<atem:invoke> in a message for a tool, or without a header or text before them. In a message for
the user, or after text, they are quoted and not run. A message for self is reasoning.`,
			framing: framing{
				needsRecipient: true,
				markers: []marker{
					{text: "<|start|>", role: open, sharedWithText: true, lookahead: thenWord("assistant", "user", "system", "tool"), ownLookahead: always},
					{text: "<|message|>", role: openKeep, sharedWithText: true},
					{text: "<atem:function_calls>", role: listOpen},
					{text: "<atem:invoke", role: openKeep, grammar: &atemCall},
					{text: "</atem:invoke>", role: listClose},
					{text: "</atem:function_calls>", role: listClose},
					{text: "<|eom|>", role: ignore, effect: endsMessage},
					{text: "<|eot|>", role: ignore, effect: endsMessage},
				},
				implicit:  []marker{{role: implicitOpen, lookahead: thenMessage}},
				reasoning: []*delimiters{},
				affixes:   [2]string{"<atem:function_calls>\n", "\n</atem:function_calls><|eom|>"},
			},
			grammar: museMessage,
		},
	}
}

// kimiK3 has messages without a header.
var kimiK3 = Dialect{
	Name: "kimi_k3", Title: "<|open|>call with <|open|>argument", Families: []string{"Kimi K3"},
	Example: "<|open|>tools<|sep|><|open|>call tool=\"get_weather\" index=\"1\"<|sep|><|open|>argument key=\"city\" type=\"string\"<|sep|>Oslo<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>\n",
	Doc: `Each call is <|open|>call tool="NAME"<|sep|> with an <|open|>argument key="KEY" type="TYPE"<|sep|> for
each argument, all in <|open|>tools<|sep|>. Reasoning and answers are in think and response; calls
in them are not run.`,
	framing: framing{
		markers: []marker{
			{text: "<|open|>tools<|sep|>", role: listOpen},
			{text: "<|open|>call", role: openKeep},
			{text: "<|close|>call<|sep|>", role: listClose},
			{text: "<|close|>tools<|sep|>", role: listClose},
			{text: "<|open|>response<|sep|>", role: ignore, effect: beginsAnswer},
			{text: "<|close|>response<|sep|>", role: ignore, effect: endsMessage},
		},
		reasoning: []*delimiters{newDelimiters("<|open|>think<|sep|>", "<|close|>think<|sep|>")},
		affixes:   [2]string{"<|open|>tools<|sep|>", "<|close|>tools<|sep|>"},
	},
	grammar: markupGrammar(markup.KimiK3),
}

// thenMessage matches the recipient in a message header.
var thenMessage = wordThen(namedThen(isNumberedNameByte, exactText("<|message|>")), "to=")

// thenChannel matches the recipient in a message header before its channel, where the prompt has begun the
// header.
var thenChannel = wordThen(namedThen(isNumberedNameByte, exactText("<|channel|>")), "to=")

var (
	atemCall    = markupGrammar(markup.ATEM)
	museMessage = func() grammar {
		g := messageGrammar(messageSyntax{
			bodyMarkers: []bodyMarker{{"<|message|>", bodyByHeader}},
			closers:     []string{"<|eom|>", "<|eot|>"}, openers: []string{"<|start|>"}, callTagPrefix: "<atem:", callsAreTags: true,
		})
		g.render, g.argumentSpans = atemCall.render, atemCall.argumentSpans
		return g
	}()
	inkling = func() grammar {
		g := messageGrammar(messageSyntax{
			bodyMarkers: []bodyMarker{
				{"<|content_invoke_tool_json|>", bodyIsInvoke}, {"<|content_invoke_tool_text|>", bodyIsTextInvoke},
				{"<|content_thinking|>", bodyIsReasoning}, {"<|content_text|>", bodyForUser},
			},
			closers: []string{"<|end_message|>"}, openers: []string{"<|message_model|>"},
		})
		g.memberNames = &inklingMembers
		g.render = renderCallMessage
		return g
	}()
	inklingMembers = memberNames{name: ofName, args: ofArgs}
	// If the prompt contains the header, a call has its name in the payload, and a text call has none.
	inklingPayload = grammar{memberNames: &inklingMembers, newBody: func(s *sink, f *frame) body { return newJSONSequence(s, f, headerTool{}) }}
	inklingText    = namedJSON(nameSyntax{closers: []string{"<|end_message|>"}, stops: []string{"<|message_model|>"}})
)
