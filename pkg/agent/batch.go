package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/policy"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// sideBySide is how many reads run at the same time.
const sideBySide = 8

// A slot is one call of a response, from its last byte to its result.
type slot struct {
	call    chat.Call
	written json.RawMessage // the arguments as the model wrote them
	def     *tool.Definition
	report  *CallReport
	result  chat.Result
	took    time.Duration
	err     error         // the run cannot go on
	started chan struct{} // closed when the call has ended; nil before it starts
	refused bool          // the result was given without running anything
}

// A batch is the calls of one response.
type batch struct {
	run    *run
	ctx    context.Context // of its calls
	cancel context.CancelFunc
	seen   int // calls added, readable or not
	slots  []*slot
	final  bool          // finalResponse was called
	denied *DeniedError  // a denial that ends the run
	tokens chan struct{} // held by running calls
}

func newBatch(ctx context.Context, r *run) *batch {
	ctx, cancel := context.WithCancel(ctx)
	return &batch{run: r, ctx: ctx, cancel: cancel, tokens: make(chan struct{}, sideBySide)}
}

// add takes a call whose last byte has arrived: it is checked, decided,
// recorded and, where that is allowed, started. An error ends the run.
func (b *batch) add(call chat.Call) error {
	b.seen++
	if call.ID == "" {
		call.ID = fmt.Sprintf("t%dc%d", b.run.out.Turns, b.seen)
	}
	s := &slot{call: call, written: call.Arguments}
	switch {
	case !call.Executable:
		b.run.report(s)
		return nil
	case call.Name == tool.FinalResponse.Name:
		b.final = true
		return nil
	}
	s.check(b.run)
	if err := b.run.budget.call(s.call.Name, s.call.Arguments); err != nil {
		return err
	}
	decision := b.decide(s)
	s.report = b.run.report(s)
	b.slots = append(b.slots, s)
	if err := b.record(s, decision); err != nil {
		return err
	}
	if b.early(s, decision) {
		b.start(s)
	}
	return nil
}

// check finds the definition of a call and holds its arguments against it.
func (s *slot) check(r *run) {
	def, ok := r.cfg.Tools.Get(s.call.Name)
	if !ok {
		s.refuse(chat.UnknownTool, "Unknown tool: %s%s", s.call.Name, suggestion(r.cfg.Tools.Suggest(s.call.Name)))
		return
	}
	s.def = def
	bound, findings := def.Bind(s.call)
	if !diag.HasErrors(findings) {
		findings = append(findings, def.Check(bound.Arguments)...)
		s.call = bound
	}
	if diag.HasErrors(findings) {
		s.refuse(chat.InvalidArguments, "%s", messages(findings))
	}
}

func suggestion(name string) string {
	if name == "" {
		return ""
	}
	return "; did you mean " + name + "?"
}

func messages(findings []diag.Finding) string {
	lines := make([]string, len(findings))
	for i, f := range findings {
		lines[i] = f.Message
	}
	return strings.Join(lines, "; ")
}

// refuse gives a call its result without running it.
func (s *slot) refuse(code chat.ErrorCode, format string, args ...any) {
	s.result, s.refused = chat.Failure(code, format, args...), true
}

// decide asks the policy about a call that could run.
func (b *batch) decide(s *slot) policy.Decision {
	if s.refused {
		return policy.Decision{Verdict: policy.Deny, Rule: "check", Why: s.result.Error.Message}
	}
	d := b.run.cfg.Policy.Decide(facts(s))
	if d.Verdict == policy.Allow {
		return d
	}
	s.refuse(chat.Denied, "%s", d.Why)
	if s.def.Effect != tool.Read && !b.run.cfg.ContinueDenied && b.denied == nil {
		b.denied = &DeniedError{Tool: s.call.Name, Why: d.Why, Hint: d.Hint}
	}
	return d
}

// report adds a call to the outcome, as not run.
func (r *run) report(s *slot) *CallReport {
	report := &CallReport{ID: s.call.ID, Tool: s.call.Name, Status: CallSkipped, Arguments: s.call.Arguments}
	if s.def != nil {
		report.Effect = s.def.Effect
	}
	r.reports = append(r.reports, report)
	return report
}

func (b *batch) record(s *slot, d policy.Decision) error {
	b.run.cfg.Observe(Event{Kind: EventCall, Turn: b.run.out.Turns, Call: *s.report, Text: d.Why})
	return b.run.cfg.Record.Append(runfile.Call{
		Turn: b.run.out.Turns, Index: b.seen - 1, ID: s.call.ID, Name: s.call.Name, Effect: string(s.report.Effect),
		Proposed: s.written, Effective: s.call.Arguments,
		Verdict: string(d.Verdict), Rule: d.Rule, Why: d.Why, Early: b.early(s, d),
	})
}

// early reports whether a call may start before its response has ended: the
// policy says so, and nothing written stands before it.
func (b *batch) early(s *slot, d policy.Decision) bool {
	if !d.Early || s.refused {
		return false
	}
	return !slices.ContainsFunc(b.slots, func(o *slot) bool { return o.def != nil && o.def.Effect != tool.Read })
}

// start runs a call in a goroutine of its own.
func (b *batch) start(s *slot) {
	s.started = make(chan struct{})
	x := chat.Execution{Call: s.call}
	x.Deadline, _ = b.ctx.Deadline()
	go func() {
		defer close(s.started)
		b.tokens <- struct{}{}
		defer func() { <-b.tokens }()
		begin := time.Now()
		s.result, s.err = b.run.cfg.Runner.Run(b.ctx, x)
		s.took = time.Since(begin)
	}()
}

// discard ends what the batch has started and drops its results.
func (b *batch) discard(why string) error {
	b.cancel()
	for _, s := range b.slots {
		if s.started == nil {
			continue
		}
		<-s.started
		s.report.Status = CallDiscarded
		if err := b.run.cfg.Record.Append(runfile.Discarded{Call: s.call.ID, Why: why}); err != nil {
			return err
		}
	}
	return nil
}

// execute runs every call that has not run yet: higher priority first, ties in
// order, reads side by side between writes. Each result is on record when it
// returns.
func (b *batch) execute() error {
	defer b.cancel()
	slices.SortStableFunc(b.slots, func(x, y *slot) int { return cmp.Compare(y.call.Priority, x.call.Priority) })
	var reads []*slot
	for _, s := range b.slots {
		if s.refused || s.def.Effect == tool.Read {
			reads = append(reads, s)
			continue
		}
		if err := b.together(reads); err != nil {
			return err
		}
		if err := b.write(s); err != nil {
			return err
		}
		reads = nil
	}
	return b.together(reads)
}

// together runs reads side by side and waits for all of them.
func (b *batch) together(slots []*slot) error {
	var wait sync.WaitGroup
	for _, s := range slots {
		if s.started == nil && !s.refused {
			b.start(s)
		}
		if s.started != nil {
			wait.Go(func() { <-s.started })
		}
	}
	wait.Wait()
	for _, s := range slots {
		if err := b.done(s); err != nil {
			return err
		}
	}
	return nil
}

// write runs one call that changes something. Its intent is durable before it
// starts and its result before anything else happens.
func (b *batch) write(s *slot) error {
	record := b.run.cfg.Record
	if err := record.Append(runfile.Intent{Call: s.call.ID}); err != nil {
		return err
	}
	if err := record.Sync(); err != nil {
		return err
	}
	b.start(s)
	<-s.started
	if err := b.done(s); err != nil {
		return err
	}
	return record.Sync()
}

// done books the result of a call that has ended.
func (b *batch) done(s *slot) error {
	if s.err != nil {
		return fmt.Errorf("tool %s: %w", s.call.Name, s.err)
	}
	s.settle()
	b.run.note(s)
	b.run.cfg.Observe(Event{Kind: EventResult, Turn: b.run.out.Turns, Call: *s.report, Took: s.took})
	return b.run.cfg.Record.Append(runfile.Result{Call: s.call.ID, Result: s.result, Duration: s.took})
}

// settle writes the outcome of a call into its report.
func (s *slot) settle() {
	switch {
	case s.result.OK():
		s.report.Status = CallOK
	case len(s.result.Needs) > 0:
		s.report.Status = CallNeeds
	case s.result.Error.Code == chat.Denied:
		s.report.Status, s.report.Code = CallDenied, chat.Denied
	default:
		s.report.Status, s.report.Code = CallError, s.result.Error.Code
	}
}

// note keeps what a tool needs until a call of it succeeds.
func (r *run) note(s *slot) {
	switch {
	case len(s.result.Needs) > 0:
		r.needs[s.call.Name] = &Needs{Tool: s.call.Name, Fields: s.result.Needs, Question: s.result.Question}
	case s.result.OK():
		delete(r.needs, s.call.Name)
	}
}
