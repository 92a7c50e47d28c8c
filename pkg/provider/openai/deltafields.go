package openai

import (
	"github.com/tidwall/gjson"

	"oneshot/pkg/provider/wire"
)

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
func (p *deltaFields) texts(r *wire.Response) (content, reasoning wire.Texts, err error) {
	switch {
	case p.content.IsArray():
		content, reasoning = textsOfParts(r, r.Items(p.content))
	case p.content.IsObject():
		content, reasoning = textsOfParts(r, []gjson.Result{p.content})
	case wire.IsTextOrNull(p.content):
		content = wire.Texts{p.content}
	default:
		err = wire.ErrContentNotText
	}
	return append(content, p.refusal), append(reasoning, p.reasoning(r)...), err
}

// reasoning returns the reasoning. A server that sends it under several names repeats it.
func (p *deltaFields) reasoning(r *wire.Response) wire.Texts {
	for _, text := range p.reasoningFields {
		if text.Str != "" {
			return wire.Texts{text}
		}
	}
	return r.TextsOf(p.details)
}

// textsOfParts returns the text and the reasoning in the parts of a content.
func textsOfParts(r *wire.Response, parts []gjson.Result) (content, reasoning wire.Texts) {
	for _, part := range parts {
		if part.Type == gjson.String {
			content = append(content, part)
			continue
		}
		content = append(content, part.Get("text"), part.Get("refusal"))
		reasoning = append(reasoning, r.TextsOf(part.Get("thinking"))...) // Mistral
	}
	return content, reasoning
}
