package wire

import (
	"errors"

	"github.com/tidwall/gjson"
)

// errContentNotText reports content that is neither text nor, if allowed, a list of parts.
var errContentNotText = errors.New("the content is not text")

// deltaFields are the members of a delta or whole message.
type deltaFields struct {
	content, refusal, details gjson.Result
	calls, function           gjson.Result
	reasoningFields           [4]gjson.Result // the reasoning, under the names of different servers
}

func (p *deltaFields) set(name string, v gjson.Result) {
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
		p.reasoningFields[0] = v
	case "reasoning": // Ollama, Groq, OpenRouter
		p.reasoningFields[1] = v
	case "reasoning_text":
		p.reasoningFields[2] = v
	case "thinking":
		p.reasoningFields[3] = v
	case "reasoning_details": // OpenRouter
		p.details = v
	}
}

// texts returns the text and the reasoning.
func (p *deltaFields) texts(b *body) (content, reasoning jsonTexts, err error) {
	switch {
	case p.content.IsArray():
		content, reasoning = b.textsOfParts(b.items(p.content))
	case p.content.IsObject():
		content, reasoning = b.textsOfParts([]gjson.Result{p.content})
	case isTextOrNull(p.content):
		content = jsonTexts{p.content}
	default:
		err = errContentNotText
	}
	return append(content, p.refusal), append(reasoning, p.reasoning(b)...), err
}

// reasoning returns the reasoning. A server that sends it under several names repeats it.
func (p *deltaFields) reasoning(b *body) jsonTexts {
	for _, text := range p.reasoningFields {
		if text.Str != "" {
			return jsonTexts{text}
		}
	}
	return b.textsOf(p.details)
}

// textsOfParts returns the text and the reasoning in the parts of a content.
func (b *body) textsOfParts(parts []gjson.Result) (content, reasoning jsonTexts) {
	for _, part := range parts {
		if part.Type == gjson.String {
			content = append(content, part)
			continue
		}
		content = append(content, part.Get("text"), part.Get("refusal"))
		reasoning = append(reasoning, b.textsOf(part.Get("thinking"))...) // Mistral
	}
	return content, reasoning
}

// textsOf returns the text of a string or of a list of parts.
func (b *body) textsOf(v gjson.Result) jsonTexts {
	if !v.IsArray() {
		return jsonTexts{v}
	}
	var all jsonTexts
	for _, part := range b.items(v) {
		all = append(all, part.Get("text"), part.Get("summary"))
	}
	return all
}
