package wire

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// A Format is one in which servers send responses.
type Format struct {
	Name  string // such as "native_anthropic"
	Title string
	New   func(maxBytes int64) Decoder
	fits  func(v gjson.Result) bool // an object, which is one of its messages or like one
}

// Formats lists the formats that can be read.
var Formats = []Format{
	{"native_openai_chat", "OpenAI chat completions", func(n int64) Decoder { return NewChat(n) }, func(v gjson.Result) bool {
		return v.Get("choices").IsArray()
	}},
	{"native_openai_responses", "OpenAI responses", func(n int64) Decoder { return NewResponses(n) }, func(v gjson.Result) bool {
		return strings.HasPrefix(v.Get("type").Str, "response.") || v.Get("object").Str == "response" && v.Get("output").IsArray()
	}},
	{"native_anthropic", "Anthropic messages", func(n int64) Decoder { return NewMessages(n) }, func(v gjson.Result) bool {
		kind := v.Get("type").Str
		return kind == "message_start" || strings.HasPrefix(kind, "content_block_") || kind == "message" && v.Get("content").IsArray()
	}},
	{"native_gemini", "Gemini", func(n int64) Decoder { return NewGemini(n) }, func(v gjson.Result) bool {
		return v.Get("candidates").IsArray() || v.Get("promptFeedback").IsObject()
	}},
	{"native_ollama_chat", "Ollama chat", func(n int64) Decoder { return NewOllama(n) }, func(v gjson.Result) bool {
		return v.Get("message").IsObject() && v.Get("done").IsBool()
	}},
	{"native_bedrock_converse", "Bedrock Converse", func(n int64) Decoder { return NewBedrock(n) }, func(v gjson.Result) bool {
		return v.Get("messageStart").IsObject() || v.Get("contentBlockStart").IsObject() || v.Get("contentBlockDelta").IsObject() || v.Get("output.message").IsObject()
	}},
	{"native_cohere_v2", "Cohere chat", func(n int64) Decoder { return NewCohere(n) }, func(v gjson.Result) bool {
		kind := v.Get("type").Str
		return kind == "message-start" || kind == "content-start" || kind == "content-delta" || kind == "tool-plan-delta" || kind == "tool-call-start" || v.Get("message").IsObject() && v.Get("finish_reason").Exists()
	}},
}

// FormatNamed returns the format of a name.
func FormatNamed(name string) (Format, bool) {
	for _, f := range Formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// FormatOf tells the format of a captured body by its first message. It reports false
// if that is of none, or no JSON object: it may be a text then.
func FormatOf(src []byte) (Format, bool) {
	p := &prober{}
	p.body = newBody(int64(len(src)), p)
	if err := p.Write(src, nil); err != nil || !p.done { // what is wrong is for a decoder
		p.look(gjson.ParseBytes(p.opened()))
	}
	return p.format, p.format.Name != ""
}

// A prober reads a body up to its first message.
type prober struct {
	body
	format Format
}

func (p *prober) message(v gjson.Result) (bool, error) {
	p.done = true
	p.look(v)
	return true, nil
}

// look takes the first format that a message fits.
func (p *prober) look(v gjson.Result) {
	if i := slices.IndexFunc(Formats, func(f Format) bool { return f.fits(v) }); i >= 0 {
		p.format = Formats[i]
	}
}

func (p *prober) end(bool) bool { return true }

func (p *prober) native() *chat.Native { return nil }
