package agent

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/prompt"
	"oneshot/pkg/tool"
)

// useNative publishes the tools as functions of the server.
func (r *run) useNative() {
	r.native, r.ending, r.tools = true, "", prompt.Functions(r.defs)
	r.system = r.texts.NativeSystem(r.cfg.System, r.defs)
}

// useDialect makes the model write its calls as text.
func (r *run) useDialect() {
	r.native, r.ending, r.tools = false, r.cfg.Writes.Ending, nil
	r.system = r.texts.System(r.cfg.System, r.defs, r.cfg.Writes)
}

// nativeCall takes a call that the server has read. Where such calls do not
// count it is only a finding.
func (l *listener) nativeCall(c chat.Call) {
	l.calls++
	switch {
	case l.err != nil:
	case l.native:
		call, faults := dialect.Native(c)
		for i := range faults { // their places are in the arguments, of which the reply's text knows nothing
			index := l.reply.batch.seen
			faults[i].Span, faults[i].Call = diag.Span{}, &index
		}
		l.reply.findings = append(l.reply.findings, faults...)
		l.fail(l.reply.batch.add(call, faults))
	default:
		l.reply.findings = append(l.reply.findings,
			diag.New(diag.OtherDialect, diag.Span{}, "the server read a call of %s; calls do not count there, and it is not run", shown(c.Name)))
	}
}

// leaks looks for calls of the run's tools in a text where calls do not count.
// Whatever the model was trained to write, what a server does not read as a
// call is none. (That it ends its work in the words of a dialect does no harm.)
func (l *listener) leaks(text string) {
	reading := dialect.Scan(text, dialect.Options{})
	i := slices.IndexFunc(reading.Calls, func(c chat.Call) bool {
		return slices.ContainsFunc(l.run.defs, func(def *tool.Definition) bool { return def.Name == c.Name })
	})
	if i < 0 {
		return
	}
	c := reading.Calls[i]
	l.reply.leaked = true
	l.faults.Add(diag.New(diag.OtherDialect, diag.Bytes(c.Start, c.End),
		"a call of %s stands in the text, in the dialect %s; calls are native in this run, and it is not run", c.Name, reading.Dialect.Name))
}

// concludeNative tells the model what came of its calls, a message for each. A
// reply without calls ends the work.
func (r *run) concludeNative(p *reply) (over bool, err error) {
	for _, s := range p.batch.slots {
		r.messages = append(r.messages, chat.Message{
			Role: chat.Tool, CallID: s.call.ID, Name: s.call.Name, Content: prompt.Result(s.shown, r.mark),
		})
	}
	switch {
	case p.batch.seen > 0:
		r.leaked = 0
		return false, nil
	case p.leaked && !r.fits(p.text):
		return false, r.remindOfLeak()
	}
	return r.finished(p.text, "", true)
}

// remindOfLeak tells the model once that a call in its text is none.
func (r *run) remindOfLeak() error {
	if r.leaked++; r.leaked > 1 {
		return &ModelError{Why: "leaked call"}
	}
	r.cfg.Observe(Event{Kind: EventAgain, Turn: r.out.Turns, Text: "leaked call"})
	r.say(r.texts.Leaked())
	return nil
}

// written returns the calls of a batch as the model made them.
func (b *batch) written() []chat.Call {
	var calls []chat.Call
	for _, s := range b.slots {
		c := s.call
		c.Arguments = s.written
		calls = append(calls, c)
	}
	return calls
}

// echoesNative reports whether the name and all the arguments of a native call,
// as the model wrote them, stand together in an earlier result, in whatever
// order and with whatever blanks.
func (r *run) echoesNative(name string, written json.RawMessage) bool {
	pieces := [][]byte{[]byte(name)}
	gjson.ParseBytes(written).ForEach(func(key, value gjson.Result) bool {
		pieces = append(pieces, bare([]byte(key.Raw+":"+value.Raw)))
		return true
	})
	return len(pieces) > 1 && slices.ContainsFunc(r.bare, func(text []byte) bool {
		return !slices.ContainsFunc(pieces, func(p []byte) bool { return !bytes.Contains(text, p) })
	})
}

// remember keeps what a tool returned, to know an echo of it: the envelope, and
// for native calls all its text without blanks.
func (r *run) remember(envelope []byte) {
	r.results = append(r.results, envelope)
	if !r.native {
		return
	}
	text := bare(envelope)
	dec := jsontext.NewDecoder(bytes.NewReader(envelope), jsontext.AllowInvalidUTF8(true))
	for {
		token, err := dec.ReadToken()
		if err != nil {
			break // at the end: an envelope is JSON
		}
		if token.Kind() == '"' {
			text = append(append(text, '\n'), bare([]byte(token.String()))...)
		}
	}
	r.bare = append(r.bare, text)
}

// bare returns text without blanks.
func bare(text []byte) []byte {
	return slices.DeleteFunc(slices.Clone(text), func(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' })
}
