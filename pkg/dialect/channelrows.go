package dialect

import (
	"oneshot/pkg/diag"
	"oneshot/pkg/markup"
)

var harmonyEnds = []string{"<|end|>", "<|call|>", "<|return|>"}

// harmonyMessage is a message with all its marks.
var harmonyMessage = messages(messaging{
	bodies: []bodyMark{{"<|message|>", byHeader}},
	ends:   harmonyEnds, begins: []string{"<|start|>", "<|channel|>"}, tags: "<atem:",
})

// Messages without marks, which some servers drop.
var (
	bareBegins  = []string{"assistantanalysis", "assistantcommentary", "assistantfinal", "<|start|>", "<|channel|>"}
	bareCall    = messages(messaging{bodies: []bodyMark{{"{", arguments}}, ends: harmonyEnds, begins: bareBegins})
	bareThought = grammar{body: newBareThought}
	bareEnds    = newMarkList(func() []string { return unique(harmonyEnds, bareBegins) })
)

// bareAnalysis is what a response without marks begins with.
const bareAnalysis = "analysis"

// newBareThought returns what reads reasoning without a header.
func newBareThought(s *Scanner, f *frame) body {
	b := &thoughtBody{scanner: s, upTo: newUpTo(bareEnds()), at: f.begin, ends: harmonyEnds, from: diag.Bytes(f.at, f.begin)}
	if f.mark == "" {
		b.skip = len(bareAnalysis)
	}
	return b
}

// thenAnalysis is the lead of reasoning without any mark.
func thenAnalysis(text []byte) verdict {
	if v := exactly(bareAnalysis)(text); v != yes {
		return v
	}
	return thenSentence(text[len(bareAnalysis):])
}

// thenSentence is the lead of text that begins at once, and with no small letter.
func thenSentence(text []byte) verdict {
	if len(text) == 0 {
		return more
	}
	c := text[0]
	return when('A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80)
}

// thenBareCall is the lead of the name of a tool and arguments in JSON.
var thenBareCall = nameThen(either(blankThen("{"), after(blankThen("{"), "json", "<|constrain|>json")))

// channelDialects write messages, each for somebody.
func channelDialects() []Dialect {
	return []Dialect{
		{
			Name:     "harmony",
			Title:    "Messages for functions.NAME on channels",
			Families: []string{"gpt-oss"},
			Aliases:  []string{"gpt_oss", "gptoss"},
			Example:  "<|channel|>analysis<|message|>I need the weather.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{\"city\": \"Oslo\"}<|call|>\n",
			Doc: `A response is made of messages <|start|>assistant<|channel|>CHANNEL to=RECIPIENT<|message|>…<|end|>.
What is for functions.NAME is a call with JSON as arguments, on any channel; what is for another tool,
such as python, may be text. The channel analysis is reasoning, the others are content: a call that a
message for the user shows is not run. Without the
marks, which servers drop, "commentary to=functions.NAME json{…}" is read.`,
			framing: framing{
				marks: []mark{
					{text: "<|start|>", role: begins, common: true, lead: then("assistant", "user", "system", "developer", "tool", "functions."), own: anything},
					{text: "<|channel|>", role: begins, common: true, lead: then("analysis", "commentary", "final"), own: anything},
					{text: "<|end|>", role: silent, edge: endsMessage},
					{text: "<|call|>", role: silent, edge: endsMessage},
					{text: "<|message|>", role: unwraps, lead: never, own: anything},
					{text: "<|return|>", role: silent, edge: endsMessage},
					{text: "assistantcommentary to=", role: takes, lead: thenBareCall, grammar: &bareCall},
					{text: "commentary to=functions.", role: takes, line: true, lead: thenBareCall, grammar: &bareCall},
					{text: "assistantanalysis", role: begins, lead: never, own: thenSentence, grammar: &bareThought},
					{text: "assistantfinal", role: silent, lead: never, own: thenSentence},
				},
				start: []mark{
					{role: starts, lead: never, own: thenAnalysis, grammar: &bareThought},
					{role: starts, lead: thenChannel},
				},
				thinks: []*wrapper{},
				writes: [2]string{"<|channel|>commentary to=functions.", "<|call|>"},
			},
			grammar: harmonyMessage,
		},
		{
			Name:     "inkling",
			Title:    "Messages whose content is a JSON object with name and args",
			Families: []string{"Inkling"},
			Example:  "<|message_model|>get_weather<|content_invoke_tool_json|>{\"name\": \"get_weather\", \"args\": {\"city\": \"Oslo\"}}<|end_message|>\n",
			Doc: `A response is made of messages <|message_model|>…<|end_message|>. Behind <|content_invoke_tool_json|>
stands a call, an object with "name" and "args", behind <|content_invoke_tool_text|> the text of the one
argument of the tool in the header, behind <|content_thinking|> reasoning. A call that
<|content_text|> shows is not run.`,
			framing: framing{
				marks: []mark{
					{text: "<|message_model|>", role: begins, common: true},
					{text: "<|end_message|>", role: silent, edge: endsMessage},
					{text: "<|content_invoke_tool_json|>", role: begins, first: true, grammar: &inklingPayload},
					{text: "<|content_invoke_tool_text|>", role: begins, first: true, grammar: &inklingText},
					{text: "<|content_text|>", role: silent, edge: beginsAnswer},
					{text: "<|content_model_end_sampling|>", role: silent, edge: endsMessage},
				},
				closes: []string{"<|end_message|>"},
				thinks: []*wrapper{},
				writes: [2]string{"<|message_model|>", "<|end_message|>"},
			},
			grammar: inkling,
		},
		{
			Name:     "muse_glimmer",
			Title:    "Messages with <atem:invoke> for a tool",
			Families: []string{"Muse Glimmer", "Onyx"},
			Aliases:  []string{"onyx", "atem"},
			Example:  " to=get_weather<|message|><atem:function_calls>\n<atem:invoke name=\"get_weather\">\n<atem:parameter name=\"city\">Oslo</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eom|>\n",
			Doc: `A response is made of messages <|start|>assistant to=RECIPIENT<|message|>…<|eom|>. Calls are tags
<atem:invoke> in a message for a tool, or where no header or text comes before them. In a message for
the user, or after text, they are quoted and not run. What is for self is reasoning.`,
			framing: framing{
				addressed: true,
				marks: []mark{
					{text: "<|start|>", role: begins, common: true, lead: then("assistant", "user", "system", "tool"), own: anything},
					{text: "<|message|>", role: takes, common: true},
					{text: "<atem:function_calls>", role: wraps},
					{text: "<atem:invoke", role: takes, grammar: &atemCall},
					{text: "</atem:invoke>", role: unwraps},
					{text: "</atem:function_calls>", role: unwraps},
					{text: "<|eom|>", role: silent, edge: endsMessage},
					{text: "<|eot|>", role: silent, edge: endsMessage},
				},
				start:  []mark{{role: starts, lead: thenMessage}},
				thinks: []*wrapper{},
				writes: [2]string{"<atem:function_calls>\n", "\n</atem:function_calls><|eom|>"},
			},
			grammar: museMessage,
		},
		{
			Name:     "kimi_k3",
			Title:    "<|open|>call with <|open|>argument",
			Families: []string{"Kimi K3"},
			Example:  "<|open|>tools<|sep|><|open|>call tool=\"get_weather\" index=\"1\"<|sep|><|open|>argument key=\"city\" type=\"string\"<|sep|>Oslo<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>\n",
			Doc: `Each call is <|open|>call tool="NAME"<|sep|> with an <|open|>argument key="KEY" type="TYPE"<|sep|> for
each argument, all in <|open|>tools<|sep|>. Reasoning and answers stand in think and response; a call
that either shows is not run.`,
			framing: framing{
				marks: []mark{
					{text: "<|open|>tools<|sep|>", role: wraps},
					{text: "<|open|>call", role: takes},
					{text: "<|close|>call<|sep|>", role: unwraps},
					{text: "<|close|>tools<|sep|>", role: unwraps},
					{text: "<|open|>response<|sep|>", role: silent, edge: beginsAnswer},
					{text: "<|close|>response<|sep|>", role: silent, edge: endsMessage},
				},
				thinks: []*wrapper{tags("<|open|>think<|sep|>", "<|close|>think<|sep|>")},
				writes: [2]string{"<|open|>tools<|sep|>", "<|close|>tools<|sep|>"},
			},
			grammar: tagged(markup.KimiK3),
		},
	}
}

// thenMessage is the lead of the recipient of a message.
var thenMessage = after(namedThen(isCountedByte, exactly("<|message|>")), "to=")

// thenChannel is the lead of the recipient in the header of a message before its channel,
// where the prompt has begun the header.
var thenChannel = after(namedThen(isCountedByte, exactly("<|channel|>")), "to=")

var (
	atemCall    = tagged(markup.ATEM)
	museMessage = func() grammar {
		g := messages(messaging{
			bodies: []bodyMark{{"<|message|>", byHeader}},
			ends:   []string{"<|eom|>", "<|eot|>"}, begins: []string{"<|start|>"}, tags: "<atem:", tagged: true,
		})
		g.render, g.places = atemCall.render, atemCall.places
		return g
	}()
	inkling = func() grammar {
		g := messages(messaging{
			bodies: []bodyMark{
				{"<|content_invoke_tool_json|>", anInvoke}, {"<|content_invoke_tool_text|>", anInvokeOfText},
				{"<|content_thinking|>", toSelf}, {"<|content_text|>", aloud},
			},
			ends: []string{"<|end_message|>"}, begins: []string{"<|message_model|>"},
		})
		g.form = &inklingForm
		g.render = renderInvoke
		return g
	}()
	inklingForm = form{name: ofName, args: ofArgs}
	// Without its header, which the prompt can hold, a call has its name in the payload, and one of text has none.
	inklingPayload = grammar{form: &inklingForm, body: func(s *Scanner, f *frame) body { return newJSONSequence(s, f, title{}) }}
	inklingText    = namedJSON(naming{closes: []string{"<|end_message|>"}, stops: []string{"<|message_model|>"}})
)
