package agent

import (
	"slices"

	"oneshot/pkg/chat"
	"oneshot/pkg/policy"
	"oneshot/pkg/provider"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// run is the state of one run.
type run struct {
	cfg          Config
	journal      *journal
	gate         *Gate
	conversation *conversation
	exchange     *exchange
	userAnswers  *userAnswers
	retries      retries
	out          Outcome
}

// retries counts, by reason, the times that the model is asked again.
type retries struct {
	repairs            int  // answers sent back, counted from the last resume point
	uselessReplies     int  // in a row: empty, cut or broken off
	repliesWithoutCall int  // in a row
	repliesWithLeak    int  // in a row: with a call in the text although calls are native
	remindedOfRequired bool // the model was reminded of the required tools
}

func newRun(cfg Config) (*run, error) {
	c, err := newConversation(cfg)
	if err != nil {
		return nil, err
	}
	j := newJournal(cfg.GateConfig, cfg.History)
	j.state.Apply(cfg.Now, runfile.Run{InputLabels: policy.LabelNames(cfg.inputLabels())})
	r := &run{
		cfg: cfg, journal: j, conversation: c, gate: newGate(cfg.GateConfig, j, newUntrustedData(cfg)), userAnswers: newUserAnswers(cfg, j),
	}
	r.exchange = &exchange{gate: r.gate, journal: j, conversation: c, model: cfg.Model, answerModel: cfg.AnswerModel, limiter: cfg.Limiter, observesContent: cfg.ObserveContent, budget: newRequestBudget(cfg)}
	r.gate.conversation = func() []chat.Message { return c.messages }
	r.setGateNotation()
	return r, r.useRecordedReplies()
}

// setGateNotation tells the gate how the model writes its calls.
func (r *run) setGateNotation() {
	r.gate.native, r.gate.tools.ending = r.conversation.native, r.conversation.endingTool()
}

// useRecordedReplies makes the models answer from the records of the resumed run.
func (r *run) useRecordedReplies() error {
	if lastIndexOf[runfile.Request](r.cfg.History) < 0 {
		return nil
	}
	replay, err := provider.NewReplay("the record", &runfile.Log{Records: r.cfg.History})
	if err != nil {
		return err
	}
	x := r.exchange
	x.model = &resumedModel{replay, x.model}
	if x.answerModel != nil {
		x.answerModel = &resumedModel{replay, x.answerModel}
	}
	return nil
}

// resetIfResumePoint reports whether the run ended in this turn and was resumed. If so, it resets
// the counters of repairs and reminders, and the model gets another reminder instead of the end of
// the run.
func (r *run) resetIfResumePoint() bool {
	if !slices.Contains(r.cfg.ResumePoints, r.journal.turn) {
		return false
	}
	r.retries = retries{remindedOfRequired: r.retries.remindedOfRequired}
	return true
}

// emitReprompt reports that the model is asked again.
func (r *run) emitReprompt(why string) {
	r.journal.emit(Event{Kind: EventReprompt, Text: why})
}

// appendAssistant adds a reply to the conversation.
func (r *run) appendAssistant(p *reply) {
	calls := p.batch.callsAsWritten()
	if p.batch.isLeaked {
		calls = nil // the text has them
	}
	r.conversation.addAssistant(p.Response, calls)
	r.retries.uselessReplies = 0
}

// outcome returns the outcome of the run so far.
func (r *run) outcome() Outcome {
	out := r.out
	out.Model, out.Turns = r.exchange.by, r.journal.turn
	out.Usage, out.Cost = r.exchange.budget.ledger.total()
	out.Waited = r.exchange.waited
	out.Models = slices.Clone(r.exchange.budget.ledger.models)
	out.Findings, out.Effects, out.Labels = r.journal.findings, r.gate.outcomes.effects, r.journal.state.Labels()
	for _, report := range r.gate.outcomes.reports {
		out.Calls = append(out.Calls, *report)
	}
	if r.journal.isReplaying() {
		r.addUnreplayed(&out)
	}
	return out
}

// addUnreplayed adds to the outcome the recorded steps that a resumed run ended before repeating: they were paid for, and
// their effects remain.
func (r *run) addUnreplayed(out *Outcome) {
	spent := newLedger(r.cfg.Prices, r.cfg.spentBefore())
	out.Usage, out.Cost = spent.total()
	out.Models = spent.models
	past := r.journal.recorded
	for _, record := range r.journal.unreplayed {
		r.journal.state.Apply(record.Time, record.Body)
		switch b := record.Body.(type) {
		case runfile.Request:
			out.Turns = b.Turn
		case runfile.Response:
			out.Model = b.By
		case runfile.Call:
			if slices.ContainsFunc(out.Calls, func(c CallReport) bool { return c.ID == b.ID }) { // the run differs from its record here
				continue
			}
			out.Calls = append(out.Calls, CallReport{ID: b.ID, Tool: b.Name, Effect: tool.Effect(b.Effect), Status: CallSkipped, Arguments: b.Effective})
		case runfile.Intent:
			if result, ran := past.results[b.Call]; !ran || !hasChangedNothing(result.Result) {
				out.Effects = max(out.Effects, effectsOf(b.Key != ""))
			}
		}
	}
	out.Labels = r.journal.state.Labels()
	for i := range out.Calls {
		if c := &out.Calls[i]; c.Status == CallSkipped {
			c.Status, c.Code = past.statusOf(c.ID)
		}
	}
}
