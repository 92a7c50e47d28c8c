package wire

import (
	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// An Ollama decodes one body of Ollama's /api/chat, streamed or whole: consecutive JSON objects,
// the last with "done":true.
//
// The body ends with its last object. Anything after it is not read.
type Ollama struct {
	body
	nativeParts node // the merged message
}

// NewOllama returns a decoder for a body of at most maxBytes bytes.
func NewOllama(maxBytes int64) *Ollama {
	d := &Ollama{}
	d.body = newBody(maxBytes, d)
	d.nativeParts.budget = &d.nativeBudget
	return d
}

// message reads an object of the stream.
func (d *Ollama) message(v gjson.Result) (bool, error) {
	message, done := v.Get("message"), v.Get("done")
	content, thinking := message.Get("content"), message.Get("thinking")
	if !isTextOrNull(content) || !isTextOrNull(thinking) {
		return false, errContentNotText
	}
	d.setModel(v.Get("model"))
	calls := d.callItems(message.Get("tool_calls"))
	d.addText(jsonTexts{content}, jsonTexts{thinking})
	if done.Type == gjson.True { // before the calls, which may exceed the limit
		d.resp.Usage = chat.Usage{InputTokens: tokenCount(v.Get("prompt_eval_count")), OutputTokens: tokenCount(v.Get("eval_count"))}
	}
	for _, c := range calls {
		f := c.Get("function")
		id, name, args := c.Get("id"), f.Get("name"), f.Get("arguments")
		if d.exceedsArguments(len(argumentText(args))) || d.exceedsKey(id, name) {
			break
		}
		from := CallSources{ID: d.segmentsOf(0, id), Name: d.nameSegments(0, name), Arguments: d.segmentsOf(0, args)}
		d.addCall(newCall(idText(id), idText(name), []byte(argumentText(args))), from)
	}
	if d.err != nil {
		return true, nil
	}
	d.addNative(message, calls)
	if done.Type == gjson.True {
		d.done = true
		d.setStop(v.Get("done_reason"))
	}
	return message.Exists() || done.Exists(), nil
}

// addNative merges a chunk into the native message. Calls arrive whole.
func (d *Ollama) addNative(message gjson.Result, calls []gjson.Result) {
	message.ForEach(func(k, v gjson.Result) bool {
		m := d.nativeParts.member(k.Str)
		if k.Str != "tool_calls" {
			m.merge(k.Str, v, maxMergeDepth)
			return !d.nativeBudget.isExceeded()
		}
		for _, c := range calls {
			m.addItem().set(c)
		}
		return true
	})
}

// end returns false: only the last object completes the response.
func (d *Ollama) end(bool) bool { return false }

// native returns the message to send back to the server, unless it is only text.
func (d *Ollama) native() *chat.Native {
	return nativeMessage("ollama", d.nativeParts.append(nil))
}
