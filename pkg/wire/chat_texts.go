package wire

import (
	"errors"
	"strings"

	"github.com/tidwall/gjson"
)

// errNoText is the fault of a content that is neither a text nor, where that may
// be, a list of parts.
var errNoText = errors.New("the content is no text")

// A chatPiece is a delta, or a whole message, taken apart.
type chatPiece struct {
	content, refusal, details gjson.Result
	calls, function           gjson.Result
	thoughts                  [4]string // the reasoning, from the members that may hold it
}

// member notes a member.
func (p *chatPiece) member(name string, v gjson.Result) {
	switch name {
	case "content":
		p.content = v
	case "refusal":
		p.refusal = v
	case "tool_calls":
		p.calls = v
	case "function_call":
		p.function = v
	case "reasoning_content": // DeepSeek, vLLM
		p.thoughts[0] = v.Str
	case "reasoning": // Ollama, Groq, OpenRouter
		p.thoughts[1] = v.Str
	case "reasoning_text":
		p.thoughts[2] = v.Str
	case "thinking":
		p.thoughts[3] = v.Str
	case "reasoning_details": // OpenRouter
		p.details = v
	}
}

// texts returns what the model says and what it thinks.
func (p *chatPiece) texts() (said, thought string, err error) {
	if p.content.IsArray() {
		said, thought = partTexts(p.content.Array())
	} else if p.content.IsObject() {
		said, thought = partTexts([]gjson.Result{p.content})
	} else if said = p.content.Str; !maybeText(p.content) {
		err = errNoText
	}
	return said + p.refusal.Str, thought + p.reasoning(), err
}

// reasoning returns what the model thinks. A server that writes it in several
// members says the same in each.
func (p *chatPiece) reasoning() string {
	for _, text := range p.thoughts {
		if text != "" {
			return text
		}
	}
	return allText(p.details)
}

// partTexts returns what the parts of a content say, and what the model thinks
// in them.
func partTexts(parts []gjson.Result) (said, thought string) {
	var says, thinks strings.Builder
	for _, part := range parts {
		if part.Type == gjson.String {
			says.WriteString(part.Str)
			continue
		}
		says.WriteString(part.Get("text").Str)
		says.WriteString(part.Get("refusal").Str)
		thinks.WriteString(allText(part.Get("thinking"))) // of Mistral
	}
	return says.String(), thinks.String()
}

// allText returns the text of a string or of a list of parts.
func allText(v gjson.Result) string {
	if !v.IsArray() {
		return v.Str
	}
	var all strings.Builder
	for _, part := range v.Array() {
		all.WriteString(part.Get("text").Str)
		all.WriteString(part.Get("summary").Str)
	}
	return all.String()
}
