package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/policy"
	"oneshot/pkg/prompt"
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
	refused bool // the result was given without running anything
	started bool // in a goroutine of its own, which has to end before what follows is looked at
	result  chat.Result
	shown   json.RawMessage // the result as the model sees it
	took    time.Duration
	err     error // the run cannot go on; why is the cause of the batch's context
}

// A batch is the calls of one response.
type batch struct {
	run     *run
	ctx     context.Context // of its calls
	cancel  context.CancelCauseFunc
	seen    int // calls added, readable or not
	counted int // those of them that the budget counts
	slots   []*slot
	writes  bool           // one of them changes something
	final   bool           // finalResponse was called
	denied  *DeniedError   // a denial that ends the run
	running sync.WaitGroup // calls that were started
	said    chan struct{}  // closed when the latest call that talks has ended; nil before the first
	tokens  chan struct{}  // held by calls while they run
}

func newBatch(ctx context.Context, r *run) *batch {
	ctx, cancel := context.WithCancelCause(ctx)
	return &batch{run: r, ctx: ctx, cancel: cancel, tokens: make(chan struct{}, sideBySide)}
}

// add takes a call whose last byte has arrived: it is checked, decided,
// recorded and, where that is allowed, started. An error ends the run.
// faults are what was found in the text of the call.
func (b *batch) add(call chat.Call, faults []diag.Finding) error {
	b.seen++
	call.ID = b.run.uniqueID(call.ID, fmt.Sprintf("t%dc%d", b.run.out.Turns, b.seen))
	if call.Executable && !b.run.native && call.Name == b.run.ending {
		b.final = true
		return nil
	}
	s := &slot{call: call, written: call.Arguments}
	if call.Status == chat.StatusSuppressed && !b.run.native { // a draft
		b.run.report(s)
		return nil
	}
	if err := b.run.budget.call(); err != nil {
		return err
	}
	b.counted++
	switch {
	case call.Executable:
		s.check(b.run)
	case b.run.native: // every call has to get a result
		s.refuse(chat.InvalidArguments, "%s", messages(faults))
	default:
		b.run.report(s)
		return nil
	}
	if err := b.run.budget.repeat(s.call); err != nil {
		return err
	}
	decision := b.decide(s)
	s.report = b.run.report(s)
	b.slots = append(b.slots, s)
	b.writes = b.writes || s.def != nil && s.def.Effect != tool.Read
	early := decision.Early && !b.writes // nothing written stands before it
	if err := b.record(s, decision, early); err != nil {
		return err
	}
	if early {
		b.start(s)
	}
	return nil
}

// longestID is how long the id of a call can be that a model chooses.
const longestID = 64

// uniqueID returns the id of a call: the one that it has, if that is fit for it
// and no other call of the run has it, and otherwise one that was made.
func (r *run) uniqueID(given, made string) string {
	id := given
	if id == "" || len(id) > longestID || r.ids[id] {
		id = made
	}
	for r.ids[id] { // a model can choose any id
		id += "x"
	}
	r.ids[id] = true
	return id
}

// check finds the definition of a call and holds its arguments against it.
func (s *slot) check(r *run) {
	def, ok := r.cfg.Tools.Get(s.call.Name)
	if !ok {
		s.refuse(chat.UnknownTool, "Unknown tool: %s%s", shown(s.call.Name), suggestion(r.cfg.Tools.Suggest(s.call.Name)))
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
		return
	}
	s.call.Arguments = def.Complete(bound.Arguments)
}

// echoes reports whether the text of a call stands in an earlier result: whoever
// wrote what a tool returned must not be able to have it carried out by having
// it repeated.
func (r *run) echoes(s *slot) bool {
	if r.native {
		return r.echoesNative(s.call.Name, s.written)
	}
	text := inString(s.call.Text)
	return len(text) > 0 && slices.ContainsFunc(r.results, func(data []byte) bool { return bytes.Contains(data, text) })
}

// inString returns text as it stands in a JSON string.
func inString(text string) []byte {
	quoted := prompt.Quote(text)
	return quoted[1 : len(quoted)-1]
}

// shown is a name that a model made up, in a message: it can be of any length.
func shown(name string) string {
	const longest = 64
	if len(name) > longest {
		name = strings.ToValidUTF8(name[:longest], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, name)
}

func suggestion(name string) string {
	if name == "" {
		return ""
	}
	return "; did you mean " + name + "?"
}

// mostTold is how many faults of one call the model is told.
const mostTold = 10

func messages(findings []diag.Finding) string {
	lines := make([]string, 0, mostTold+1)
	for _, f := range findings[:min(len(findings), mostTold)] {
		lines = append(lines, f.Message)
	}
	if more := len(findings) - mostTold; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more faults", more))
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
	if d.Verdict == policy.Allow && b.run.echoes(s) {
		d = policy.Decision{Verdict: policy.Deny, Rule: "floor:echo", Why: "this call stands in an earlier result, and what results say is not done"}
	}
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

func (b *batch) record(s *slot, d policy.Decision, early bool) error {
	b.run.cfg.Observe(Event{Kind: EventCall, Turn: b.run.out.Turns, Call: *s.report, Verdict: d.Verdict, Rule: d.Rule, Text: d.Why})
	return b.run.record.append(runfile.Call{
		Turn: b.run.out.Turns, Index: b.seen - 1, ID: s.call.ID, Name: s.call.Name, Effect: string(s.report.Effect),
		Proposed: s.written, Effective: s.call.Arguments,
		Verdict: string(d.Verdict), Rule: d.Rule, Why: d.Why, Early: early,
	})
}

// start runs a call in a goroutine of its own, as soon as there is room, and one
// that talks when those before it have ended.
func (b *batch) start(s *slot) {
	s.started = true
	var before, said chan struct{}
	if s.def.Talks() {
		before, said = b.said, make(chan struct{})
		b.said = said
	}
	b.running.Go(func() {
		if said != nil {
			defer close(said)
		}
		if before != nil {
			<-before // a call ends soon after its context
		}
		select {
		case b.tokens <- struct{}{}:
			defer func() { <-b.tokens }()
		case <-b.ctx.Done():
		}
		if s.err = b.ctx.Err(); s.err == nil {
			b.perform(s)
		}
	})
}

// perform runs a call. An error of the runner, or a panic, ends all calls.
func (b *batch) perform(s *slot) {
	defer func() {
		if p := recover(); p != nil {
			s.err = &PanicError{Value: p, Stack: debug.Stack()}
		}
		if s.err != nil {
			b.cancel(fmt.Errorf("tool %s: %w", s.call.Name, s.err))
		}
	}()
	x := chat.Execution{Call: s.call}
	x.Deadline, _ = b.ctx.Deadline()
	begin := time.Now()
	s.result, s.err = b.run.cfg.Runner.Run(b.ctx, x)
	s.took = time.Since(begin)
	if s.err == nil && s.result.OK() && s.result.Data != nil && !json.Valid(s.result.Data) {
		s.result = chat.Failure(chat.Failed, "the tool's result is not JSON")
	}
}

// refund takes the calls of the batch, which turn out to be none, out of the
// budget.
func (b *batch) refund() {
	b.run.budget.calls -= b.counted
	for _, s := range b.slots {
		b.run.budget.same[repeatKey(s.call)]--
	}
}

// discard ends what the batch has started and drops its results.
func (b *batch) discard(why string) error {
	b.cancel(nil)
	b.running.Wait()
	var err error
	for _, s := range b.slots {
		switch {
		case !s.started || s.report.Status != CallSkipped:
		case s.def.Effect != tool.Read: // it may have taken effect
			s.report.Status, s.report.Code = CallError, chat.UnknownOutcome
			err = both(err, b.run.record.append(runfile.Unknown{Call: s.call.ID}))
		default:
			s.report.Status = CallDiscarded
			err = both(err, b.run.record.append(runfile.Discarded{Call: s.call.ID, Why: why}))
		}
	}
	return err
}

// execute runs every call that has not run yet. Each result is on record when it
// returns without an error; with one, nothing is left running.
func (b *batch) execute() error {
	if err := b.inOrder(); err != nil {
		return both(err, b.discard("the run has ended"))
	}
	b.cancel(nil)
	return nil
}

// inOrder runs calls of higher priority first, ties in order, and reads side by
// side between writes.
func (b *batch) inOrder() error {
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

// together runs reads side by side, and waits for them and for all that was
// started before.
func (b *batch) together(slots []*slot) error {
	for _, s := range slots {
		if !s.started && !s.refused {
			b.start(s)
		}
	}
	b.running.Wait()
	for _, s := range slots {
		if err := b.done(s); err != nil {
			return err
		}
	}
	return nil
}

// write runs one call that changes something; nothing else is running. Its
// intent is durable before it starts and its result before anything else
// happens.
func (b *batch) write(s *slot) error {
	if b.ctx.Err() != nil {
		return context.Cause(b.ctx)
	}
	if err := b.run.record.append(runfile.Intent{Call: s.call.ID}); err != nil {
		return err
	}
	if err := b.run.record.sync(); err != nil {
		return err
	}
	b.start(s)
	b.running.Wait()
	if err := b.done(s); err != nil {
		return err
	}
	if err := b.run.record.sync(); err != nil {
		return err
	}
	return b.refusedByTool(s)
}

// refusedByTool is the error of a change that the tool itself denied, such as a
// path outside the root: it counts like one that the policy denied.
func (b *batch) refusedByTool(s *slot) error {
	if e := s.result.Error; e != nil && e.Code == chat.Denied && !b.run.cfg.ContinueDenied {
		return &DeniedError{Tool: s.call.Name, Why: e.Message}
	}
	return nil
}

// done books the result of a call that has ended.
func (b *batch) done(s *slot) error {
	if s.err != nil {
		return context.Cause(b.ctx)
	}
	envelope, err := s.result.MarshalJSON()
	if err != nil {
		return fmt.Errorf("tool %s: %w", s.call.Name, err)
	}
	s.shown = envelope
	s.settle()
	b.run.note(s)
	b.run.remember(envelope)
	b.run.worked[s.call.Name] = b.run.worked[s.call.Name] || s.result.OK()
	b.run.cfg.Observe(Event{Kind: EventResult, Turn: b.run.out.Turns, Call: *s.report, Took: s.took, Text: s.why()})
	return b.run.record.append(runfile.Result{Call: s.call.ID, Result: s.result, Duration: s.took})
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

// why says what kept a call from succeeding, or "".
func (s *slot) why() string {
	switch {
	case s.result.Error != nil:
		return string(s.result.Error.Code) + ": " + s.result.Error.Message
	case len(s.result.Needs) > 0:
		return "needs " + strings.Join(s.result.Needs, ", ")
	}
	return ""
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
