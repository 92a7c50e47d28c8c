package wire

import (
	"errors"

	"github.com/tidwall/gjson"
)

// errNoText is the fault of a content that is neither a text nor, where that may
// be, a list of parts.
var errNoText = errors.New("the content is no text")

// A chatPiece is a delta, or a whole message, taken apart.
type chatPiece struct {
	content, refusal, details gjson.Result
	calls, function           gjson.Result
	thoughts                  [4]gjson.Result // the reasoning, from the members that may hold it
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
		p.thoughts[0] = v
	case "reasoning": // Ollama, Groq, OpenRouter
		p.thoughts[1] = v
	case "reasoning_text":
		p.thoughts[2] = v
	case "thinking":
		p.thoughts[3] = v
	case "reasoning_details": // OpenRouter
		p.details = v
	}
}

// texts returns what the model says and what it thinks.
func (p *chatPiece) texts(b *body) (said, thought texts, err error) {
	switch {
	case p.content.IsArray():
		said, thought = b.partTexts(b.items(p.content))
	case p.content.IsObject():
		said, thought = b.partTexts([]gjson.Result{p.content})
	case maybeText(p.content):
		said = texts{p.content}
	default:
		err = errNoText
	}
	return append(said, p.refusal), append(thought, p.reasoning(b)...), err
}

// reasoning returns what the model thinks. A server that writes it in several
// members says the same in each.
func (p *chatPiece) reasoning(b *body) texts {
	for _, text := range p.thoughts {
		if text.Str != "" {
			return texts{text}
		}
	}
	return b.allText(p.details)
}

// partTexts returns what the parts of a content say, and what the model thinks
// in them.
func (b *body) partTexts(parts []gjson.Result) (said, thought texts) {
	for _, part := range parts {
		if part.Type == gjson.String {
			said = append(said, part)
			continue
		}
		said = append(said, part.Get("text"), part.Get("refusal"))
		thought = append(thought, b.allText(part.Get("thinking"))...) // of Mistral
	}
	return said, thought
}

// allText returns the text of a string or of a list of parts.
func (b *body) allText(v gjson.Result) texts {
	if !v.IsArray() {
		return texts{v}
	}
	var all texts
	for _, part := range b.items(v) {
		all = append(all, part.Get("text"), part.Get("summary"))
	}
	return all
}
