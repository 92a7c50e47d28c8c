package agent

import (
	"bytes"
	"slices"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/prompt"
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
// call is none.
func (l *listener) leaks(text string) {
	d, _ := dialect.Detect(text)
	reading := dialect.Scan(d, text)
	i := slices.IndexFunc(reading.Calls, func(c chat.Call) bool { return l.run.cfg.Tools != nil && l.run.cfg.Tools.Has(c.Name) })
	if i < 0 {
		return
	}
	c := reading.Calls[i]
	l.reply.leaked = true
	l.faults.Add(diag.New(diag.OtherDialect, diag.Bytes(c.Start, c.End),
		"a call of %s stands in the text, in the dialect %s; calls are native in this run, and it is not run", c.Name, d.Name))
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

// echoesNative reports whether the name and the arguments of a native call
// stand together in an earlier result.
func (r *run) echoesNative(c chat.Call) bool {
	text := inString(string(c.Arguments))
	return len(c.Arguments) > len("{}") && slices.ContainsFunc(r.results, func(data []byte) bool {
		return bytes.Contains(data, []byte(c.Name)) && (bytes.Contains(data, text) || bytes.Contains(data, c.Arguments))
	})
}
