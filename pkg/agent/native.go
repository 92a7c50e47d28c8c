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
	r.native, r.ending, r.functions = true, "", prompt.Functions(r.defs)
	r.system = r.texts.NativeSystem(r.cfg.System, r.defs)
}

// useDialect makes the model write its calls as text.
func (r *run) useDialect() {
	r.native, r.ending, r.functions = false, r.cfg.Dialect.Ending, nil
	r.system = r.texts.System(r.cfg.System, r.defs, r.cfg.Dialect)
}

// nativeCall takes a call parsed by the server. In a request for the answer it is only a finding.
func (l *listener) nativeCall(c chat.Call) {
	l.nativeCalls++
	switch {
	case l.err != nil:
	case l.native:
		call, faults := dialect.Native(c)
		for i := range faults {
			index := l.reply.batch.added
			faults[i] = withoutSpan(faults[i], c.Text)
			faults[i].Call = &index
		}
		l.reply.findings = append(l.reply.findings, faults...)
		l.fail(l.reply.batch.add(call, faults))
	default:
		l.reply.findings = append(l.reply.findings,
			diag.New(diag.OtherDialect, diag.Span{}, "the server parsed a call of %s in the request for the answer, where calls do not count; it is not run", quoteName(c.Name)))
	}
}

// withoutSpan removes the span of a finding about the arguments of a native call, which are not
// part of the reply's text. The message of an error quotes the position instead.
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

// reportLeakedCalls reports the first call of a tool of the run that was written where no calls are
// parsed: in text although calls are native, or in another dialect. Such calls never run. A written
// call of the ending tool is ignored, because it does no harm.
func (l *listener) reportLeakedCalls(text string) {
	if !slices.ContainsFunc(l.run.defs, func(def *tool.Definition) bool { return bytes.Contains(l.callFreeText, []byte(def.Name)) }) {
		return
	}
	reading := dialect.Scan(text, dialect.Options{})
	for i, c := range reading.Calls {
		row := reading.CallDialects[i].Name
		if !l.run.hasTool(c.Name) || !l.native && (c.Status == chat.StatusSuppressed || row == l.run.cfg.Dialect.Name || l.reply.coversCall(c)) {
			continue
		}
		why := "calls are native in this run"
		if !l.native {
			why = "this run reads " + l.run.cfg.Dialect.Name
		}
		l.reply.leaked = l.native
		var f dialect.Findings
		f.Add(diag.New(diag.OtherDialect, diag.Bytes(c.Start, c.End),
			"the text contains a call of %s in the dialect %s; %s, so it is not run", c.Name, row, why))
		l.reply.findings = append(l.reply.findings, f.Locate(text)...)
		return
	}
}

// hasTool reports whether the run has a tool with that name.
func (r *run) hasTool(name string) bool {
	return slices.ContainsFunc(r.defs, func(def *tool.Definition) bool { return def.Name == name })
}

// coversCall reports whether a parsed call or a finding overlaps the span of c.
func (p *reply) coversCall(c chat.Call) bool {
	touches := func(start, end int) bool { return start < c.End && c.Start < end }
	return slices.ContainsFunc(p.batch.invocations, func(inv *invocation) bool { return touches(inv.call.Start, inv.call.End) }) ||
		slices.ContainsFunc(p.findings, func(f diag.Finding) bool { return touches(f.Span.Start, f.Span.End) })
}

// appendNativeResults appends the results of native calls, one message each. A reply without calls
// ends the work.
func (r *run) appendNativeResults(p *reply) (over bool, err error) {
	for _, inv := range p.batch.invocations {
		content := prompt.Result(inv.envelope, r.boundary, inv.modelBytes())
		if changed := r.texts.Changed(inv.call.Name, inv.promptOutcome(), r.boundary); changed != "" {
			content += "\n\n" + changed
		}
		r.messages = append(r.messages, chat.Message{Role: chat.Tool, CallID: inv.call.ID, Name: inv.call.Name, Content: content})
	}
	switch {
	case p.batch.added > 0:
		r.repliesWithLeak = 0
		return false, nil
	case p.leaked && (r.cfg.TextAnswer || !r.isValidAnswer(p.text)):
		return false, r.remindOfLeak()
	}
	return r.endWork(p.text, "", true)
}

// remindOfLeak tells the model, once, that calls in its text do not count.
func (r *run) remindOfLeak() error {
	if r.repliesWithLeak++; r.repliesWithLeak > 1 && !r.resetIfResumePoint() {
		return &ModelError{Why: "leaked call"}
	}
	r.cfg.Observe(Event{Kind: EventReprompt, Turn: r.out.Turns, Text: "leaked call"})
	r.appendUser(r.texts.Leaked())
	return nil
}

// callsAsWritten returns the calls of a batch with the model's own arguments.
func (b *batch) callsAsWritten() []chat.Call {
	var calls []chat.Call
	for _, inv := range b.invocations {
		c := inv.call
		c.Arguments = inv.writtenArgs
		calls = append(calls, c)
	}
	return calls
}
