package agent

import (
	"bytes"
	"slices"
	"strings"

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
		for i := range faults {
			index := l.reply.batch.seen
			faults[i] = withoutSpan(faults[i], c.Text)
			faults[i].Call = &index
		}
		l.reply.findings = append(l.reply.findings, faults...)
		l.fail(l.reply.batch.add(call, faults))
	default:
		l.reply.findings = append(l.reply.findings,
			diag.New(diag.OtherDialect, diag.Span{}, "the server read a call of %s; calls do not count there, and it is not run", quoteName(c.Name)))
	}
}

// withoutSpan returns a finding about the arguments of a native call, of which the
// text of the reply knows nothing. An error quotes its place.
func withoutSpan(f diag.Finding, args string) diag.Finding {
	if f.Severity == diag.Error && args != "" {
		f.Message += ", in " + excerptAt(args, f.Span.Start)
	}
	f.Span = diag.Span{}
	return f
}

// excerptAt quotes the text around an offset.
func excerptAt(text string, at int) string {
	const before, most = 16, 40
	from := max(0, min(at, len(text))-before)
	to := min(len(text), from+most)
	quoted := strings.ToValidUTF8(text[from:to], "")
	if from > 0 {
		quoted = "…" + quoted
	}
	if to < len(text) {
		quoted += "…"
	}
	return quoted
}

// reportLeakedCalls looks for a call of the run's tools that was not read: one in the text where calls
// are native, or in another dialect than the run's. Whatever the model was trained to
// runWrite, neither is run. (That it ends its work in the words of a dialect does no harm.)
func (l *listener) reportLeakedCalls(text string) {
	if !slices.ContainsFunc(l.run.defs, func(def *tool.Definition) bool { return bytes.Contains(l.content, []byte(def.Name)) }) {
		return
	}
	reading := dialect.Scan(text, dialect.Options{})
	for i, c := range reading.Calls {
		row := reading.Rows[i].Name
		if !l.run.hasTool(c.Name) || !l.native && (c.Status == chat.StatusSuppressed || row == l.run.cfg.Writes.Name || l.reply.hasReadAt(c)) {
			continue
		}
		why := "calls are native in this run"
		if !l.native {
			why = "this run reads " + l.run.cfg.Writes.Name
		}
		l.reply.leaked = l.native
		var f dialect.Findings
		f.Add(diag.New(diag.OtherDialect, diag.Bytes(c.Start, c.End),
			"a call of %s stands in the text, in the dialect %s; %s, and it is not run", c.Name, row, why))
		l.reply.findings = append(l.reply.findings, f.Locate(text)...)
		return
	}
}

// hasTool reports whether a tool of the run has that name.
func (r *run) hasTool(name string) bool {
	return slices.ContainsFunc(r.defs, func(def *tool.Definition) bool { return def.Name == name })
}

// hasReadAt reports whether something was read, or found, where a call stands.
func (p *reply) hasReadAt(c chat.Call) bool {
	touches := func(start, end int) bool { return start < c.End && c.Start < end }
	return slices.ContainsFunc(p.batch.invocations, func(s *invocation) bool { return touches(s.call.Start, s.call.End) }) ||
		slices.ContainsFunc(p.findings, func(f diag.Finding) bool { return touches(f.Span.Start, f.Span.End) })
}

// appendNativeResults tells the model what came of its calls, a message for each. A
// reply without calls ends the work.
func (r *run) appendNativeResults(p *reply) (over bool, err error) {
	for _, s := range p.batch.invocations {
		content := prompt.Result(s.shown, r.boundary, s.modelBytes())
		if changed := r.texts.Changed(s.call.Name, s.promptOutcome(), r.boundary); changed != "" {
			content += "\n\n" + changed
		}
		r.messages = append(r.messages, chat.Message{Role: chat.Tool, CallID: s.call.ID, Name: s.call.Name, Content: content})
	}
	switch {
	case p.batch.seen > 0:
		r.leaked = 0
		return false, nil
	case p.leaked && (r.cfg.TextAnswer || !r.isValidAnswer(p.text)):
		return false, r.remindOfLeak()
	}
	return r.endWork(p.text, "", true)
}

// remindOfLeak tells the model once that a call in its text is none.
func (r *run) remindOfLeak() error {
	if r.leaked++; r.leaked > 1 && !r.restarts() {
		return &ModelError{Why: "leaked call"}
	}
	r.cfg.Observe(Event{Kind: EventAgain, Turn: r.out.Turns, Text: "leaked call"})
	r.appendUser(r.texts.Leaked())
	return nil
}

// writtenArgs returns the calls of a batch as the model made them.
func (b *batch) callsAsWritten() []chat.Call {
	var calls []chat.Call
	for _, s := range b.invocations {
		c := s.call
		c.Arguments = s.writtenArgs
		calls = append(calls, c)
	}
	return calls
}
