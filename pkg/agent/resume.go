package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/model"
	"oneshot/pkg/policy"
	"oneshot/pkg/runfile"
	"oneshot/pkg/wire"
)

// A run goes on by doing again what is on record of it: the same loop asks, decides and
// executes, what it asked and executed before is answered from the record, and every step is
// held against it. Behind the last one it does them for the first time.

// A DivergedError says that a run that is to go on does not do what is on record of it.
type DivergedError struct {
	Record int // number of the record; 0 where it is none
	Why    string
}

func (e *DivergedError) Error() string {
	if e.Record == 0 {
		return "the run does not go on as it began: " + e.Why
	}
	return fmt.Sprintf("the run does not go on as it began: record %d: %s", e.Record, e.Why)
}

// An UnknownOutcomeError says that a run was cut off while a call was changing something,
// and that nobody knows whether it did.
type UnknownOutcomeError struct {
	Call, Tool string
	Arguments  string // as JSON, for a message
}

func (e *UnknownOutcomeError) Error() string {
	return "the run was cut off during the call " + e.Call + " of " + e.Tool + " with " + wire.Excerpt(e.Arguments) + ", and whether it took effect is not known; it is not repeated"
}

// An AnsweredError says that a run has ended with its answer, so that it cannot go on.
type AnsweredError struct{}

func (*AnsweredError) Error() string { return "the run has its answer" }

// Continue returns what counts of the record of a run that is to go on: what only says how
// it ended is left out, and so are requests at the end without a whole response, with the
// calls that were started while it came. An error is an *[AnsweredError].
func Continue(log *runfile.Log) ([]runfile.Record, error) {
	records := log.Standing()
	if end, ok := last(records).(runfile.End); ok {
		if end.Exit == 0 {
			return nil, &AnsweredError{}
		}
		records = records[:len(records)-1]
	}
	for isLoose(last(records)) {
		records = records[:len(records)-1]
	}
	if changed := len(records) - 2; isUnauthorizedAt(records, changed) {
		records = records[:changed] // with an authorisation that is renewed it can be made
	}
	for {
		asked := lastIndexOf[runfile.Request](records)
		if asked < 0 || hasResponse(records[asked:]) {
			return slices.Clip(records), nil
		}
		records = records[:asked]
	}
}

func last(records []runfile.Record) runfile.Body {
	if len(records) == 0 {
		return nil
	}
	return records[len(records)-1].Body
}

// isLoose reports whether a record at the end says what became of calls because the run ended.
func isLoose(b runfile.Body) bool {
	switch b.(type) {
	case runfile.Discarded, runfile.UnknownOutcome:
		return true
	}
	return false
}

// isUnauthorizedAt reports whether two records say that a change was about to happen, and that
// it did not because there was no authorisation.
func isUnauthorizedAt(records []runfile.Record, i int) bool {
	if i < 0 {
		return false
	}
	intent, began := records[i].Body.(runfile.Intent)
	result, ended := records[i+1].Body.(runfile.Result)
	return began && ended && intent.Call == result.Call && result.Result.Error != nil && result.Result.Error.Code == chat.Unauthorized
}

// lastIndexOf returns where the last record of a kind stands, or -1.
func lastIndexOf[T runfile.Body](records []runfile.Record) int {
	for i, r := range slices.Backward(records) {
		if _, ok := r.Body.(T); ok {
			return i
		}
	}
	return -1
}

// emitApproval reports whether a whole response follows a request.
func hasResponse(records []runfile.Record) bool {
	i := lastIndexOf[runfile.Response](records)
	return i >= 0 && records[i].Body.(runfile.Response).Broken == ""
}

// A recorded is what is on record of a run that goes on, by the ids of its calls.
type recorded struct {
	results   map[string]runfile.Result
	intents   map[string]bool
	discarded map[string]bool
	secret    map[secretArguments]bool
}

// secretArguments names arguments that were denied for a secret in them, which no record has.
type secretArguments struct {
	call  string
	given bool // by who approved the call
}

// hasBegun reports whether a call had begun.
func (p recorded) hasBegun(id string) bool {
	_, ran := p.results[id]
	return ran || p.intents[id] || p.discarded[id]
}

// replayRecorded makes the run one that goes on, if it has a past. Nobody hears again of what
// happened then.
func (r *run) replayRecorded() error {
	records := r.cfg.Past
	r.past = recorded{results: map[string]runfile.Result{}, intents: map[string]bool{}, discarded: map[string]bool{}, secret: map[secretArguments]bool{}}
	for _, record := range records {
		switch b := record.Body.(type) {
		case runfile.Result:
			r.past.results[b.Call] = b
		case runfile.Intent:
			r.past.intents[b.Call] = true
		case runfile.Discarded:
			r.past.discarded[b.Call] = true
		case runfile.Call:
			r.past.secret[secretArguments{b.ID, false}] = b.Rule == policy.SecretRule
		case runfile.Approval:
			r.past.secret[secretArguments{b.Call, true}] = b.Rule == policy.SecretRule
		}
	}
	if len(records) > 0 { // the first one says what the run was started with
		r.record.past = clampTimes(records[1:], time.Now())
	}
	if lastIndexOf[runfile.Request](records) < 0 {
		return nil
	}
	replay, err := model.NewReplay("the record", &runfile.Log{Records: records})
	if err != nil {
		return err
	}
	r.cfg.Model = &resumedModel{replay, r.cfg.Model}
	if r.cfg.Responder != nil {
		r.cfg.Responder = &resumedModel{replay, r.cfg.Responder}
	}
	hear := r.cfg.Observe
	r.cfg.Observe = func(e Event) {
		if len(r.record.past) == 0 {
			hear(e)
		}
	}
	return nil
}

// clampTimes returns records of which none is later than the next one, and none than now. Where the clock
// was set back since, those before it go along: they are as long before one another as they were, and no
// call waits for a rate until the old time has come.
func clampTimes(records []runfile.Record, now time.Time) []runfile.Record {
	records = slices.Clone(records)
	var back time.Duration
	for i, r := range slices.Backward(records) {
		at := r.Time.Add(-back)
		if ahead := at.Sub(now); ahead > 0 {
			back, at = back+ahead, at.Add(-ahead)
		}
		records[i].Time, now = at, at
	}
	return records
}

// replayRecorded gives a call of the past the result that it had, and reports whether it is one. Where no
// rule says it, reports says whether the model is told of one whose outcome nobody knows.
func (s *invocation) replayRecorded(p recorded, reports bool) bool {
	result, ran := p.results[s.call.ID]
	switch {
	case ran && result.Truncated:
		s.err = &DivergedError{Why: fmt.Sprintf("the result of the call %s, of %d bytes, was recorded cut", s.call.ID, result.Bytes)}
	case ran:
		s.result, s.duration = result.Result, result.Duration
		s.result.Labels = result.Labels
	case p.discarded[s.call.ID]: // nobody looks at its result
	case !p.intents[s.call.ID] || s.def.Repeatable():
		return false
	case s.decision.Unknown == "report" || s.decision.Unknown == "" && reports:
		s.result = chat.Failure(chat.UnknownOutcome, "the run was cut off during this call, and whether it took effect is not known; it is not repeated")
	default:
		s.err = &UnknownOutcomeError{Call: s.call.ID, Tool: s.call.Name, Arguments: string(s.call.Arguments)}
	}
	return true
}

// A resumedModel plays what a model said before, and then asks it.
type resumedModel struct {
	past *model.Replay
	live Model
}

// Reply answers a request from the record as long as there is something in it.
func (m *resumedModel) Reply(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error) {
	if m.past.Over() {
		return m.live.Reply(ctx, req, delta)
	}
	resp, err := m.past.Reply(ctx, req, delta)
	var replay *model.ReplayError
	if errors.As(err, &replay) {
		err = &DivergedError{Why: fmt.Sprintf("turn %d: %s\n%s", replay.Turn, replay.Why, replay.Diff)}
	}
	return resp, err
}

// diffSteps says how a step differs from the one on record, or "".
func diffSteps(then, now runfile.Body) string {
	if then.Kind() != now.Kind() {
		return fmt.Sprintf("it is of the kind %s, and now there is one of the kind %s", then.Kind(), now.Kind())
	}
	if was, is := fingerprint(then), fingerprint(now); was != is {
		return fmt.Sprintf("it says %s, and now it is %s", was, is)
	}
	return ""
}

// fingerprint returns what has to be the same when a step is done again.
func fingerprint(b runfile.Body) string {
	switch b := b.(type) {
	case runfile.Request:
		return fmt.Sprintf("the request of turn %d", b.Turn) // what is in it is held against the record with what is said to it
	case runfile.Attempt:
		return fmt.Sprintf("attempt %d", b.Number)
	case runfile.Response:
		return fmt.Sprintf("response %q", b.Content)
	case runfile.Call:
		return fmt.Sprintf("%s of %s, %s, %s", b.ID, b.Name, b.Verdict, b.Digest)
	case runfile.Approval:
		return fmt.Sprintf("%s of %s, %v", b.Call, b.Digest, b.Approved)
	case runfile.Intent:
		return b.Call + " " + b.Key
	case runfile.Result:
		return b.Call
	case runfile.Discarded:
		return b.Call
	case runfile.UnknownOutcome:
		return b.Call
	case runfile.UserInput:
		return fmt.Sprintf("%s %q", b.Tool, b.Values)
	case runfile.Answer:
		var text bytes.Buffer
		_ = json.Compact(&text, b.JSON) // it was checked
		return text.String()
	}
	return ""
}
