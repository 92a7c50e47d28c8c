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
	"oneshot/pkg/policy"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
	"oneshot/pkg/runfile"
)

// A resumed run repeats its recorded steps. The same loop requests, decides and executes, but the
// record supplies the recorded responses and results, and every step is compared with it. After the
// last recorded step the run continues live.

// A DivergedError says that a resumed run takes a step that differs from its record.
type DivergedError struct {
	Record int // number of the record, or 0
	Why    string
}

func (e *DivergedError) Error() string {
	if e.Record == 0 {
		return "the resumed run differs from its record: " + e.Why
	}
	return fmt.Sprintf("the resumed run differs from record %d: %s", e.Record, e.Why)
}

// An UnknownOutcomeError says that a run was cut off during a call with an effect, whose outcome is
// unknown.
type UnknownOutcomeError struct {
	Call, Tool string
	Arguments  string // as JSON, for a message
}

func (e *UnknownOutcomeError) Error() string {
	return "the run was cut off during call " + e.Call + " of " + e.Tool + " with " + wire.Excerpt(e.Arguments) + "; its outcome is unknown, so it is not repeated"
}

// An FinishedError says that a run has finished with an answer and cannot be resumed.
type FinishedError struct{}

func (*FinishedError) Error() string { return "the run has already finished" }

// History returns the records that a resumed run repeats. It leaves out the records about the end
// of the run, and requests at the end without a complete response, with the calls started from it.
// The error is an *[FinishedError].
func History(log *runfile.Log) ([]runfile.Record, error) {
	records := log.LiveRecords()
	if end, ok := lastBody(records).(runfile.End); ok {
		if end.Exit == 0 {
			return nil, &FinishedError{}
		}
		records = records[:len(records)-1]
	}
	for isCleanupRecord(lastBody(records)) {
		records = records[:len(records)-1]
	}
	if intent := len(records) - 2; isUnauthorizedAt(records, intent) {
		records = records[:intent] // it can succeed once the authorization is renewed
	}
	for {
		request := lastIndexOf[runfile.Request](records)
		if request < 0 || hasResponse(records[request:]) {
			return slices.Clip(records), nil
		}
		records = records[:request]
	}
}

// ResumePoints returns the turns at which a recorded run ended before it was resumed, and the turn at
// which it last ended: 0 if it was cut off. If useless replies or too many repairs ended the run,
// the resumed run asks once more.
func ResumePoints(log *runfile.Log) (turns []int, last int) {
	for _, record := range log.Records {
		switch b := record.Body.(type) {
		case runfile.Response:
			last = 0
		case runfile.End:
			if b.Exit != 0 {
				last = b.Turns
			}
		case runfile.Resumed:
			if last > 0 {
				turns = append(turns, last)
			}
			last = 0
		}
	}
	return turns, last
}

// resetIfResumePoint reports whether the run ended in this turn and was resumed. If so, it resets
// the counters of repairs and reminders, and the model gets another reminder instead of the end of
// the run.
func (r *run) resetIfResumePoint() bool {
	if !slices.Contains(r.cfg.ResumePoints, r.out.Turns) {
		return false
	}
	r.uselessReplies, r.repliesWithoutCall, r.repliesWithLeak, r.repairs = 0, 0, 0, 0
	return true
}

func lastBody(records []runfile.Record) runfile.Body {
	if len(records) == 0 {
		return nil
	}
	return records[len(records)-1].Body
}

// isCleanupRecord reports whether a record only gives the final status of a call at the end of a
// run.
func isCleanupRecord(b runfile.Body) bool {
	switch b.(type) {
	case runfile.Discarded, runfile.UnknownOutcome:
		return true
	}
	return false
}

// isUnauthorizedAt reports whether records[i] and its successor are the intent of a change and its
// failure for a missing authorization.
func isUnauthorizedAt(records []runfile.Record, i int) bool {
	if i < 0 {
		return false
	}
	intent, began := records[i].Body.(runfile.Intent)
	result, ended := records[i+1].Body.(runfile.Result)
	return began && ended && intent.Call == result.Call && result.Result.Error != nil && result.Result.Error.Code == chat.Unauthorized
}

// lastIndexOf returns the index of the last record of a kind, or -1.
func lastIndexOf[T runfile.Body](records []runfile.Record) int {
	for i, r := range slices.Backward(records) {
		if _, ok := r.Body.(T); ok {
			return i
		}
	}
	return -1
}

// hasResponse reports whether a request is followed by a complete response.
func hasResponse(records []runfile.Record) bool {
	i := lastIndexOf[runfile.Response](records)
	return i >= 0 && records[i].Body.(runfile.Response).BrokenOff == ""
}

// recordedCalls indexes the records of a resumed run by the ids of its calls.
type recordedCalls struct {
	results   map[string]runfile.Result
	intents   map[string]bool
	discarded map[string]bool
	secret    map[secretArguments]bool
}

// secretArguments identifies arguments that were denied because they hold a secret. No record has
// them.
type secretArguments struct {
	call       string
	byApprover bool // the approver gave them
}

// hasBegun reports whether a call was started.
func (p recordedCalls) hasBegun(id string) bool {
	_, ran := p.results[id]
	return ran || p.intents[id] || p.discarded[id]
}

// loadHistory prepares the run to repeat the records of the run that it resumes. Repeated steps
// emit no events.
func (r *run) loadHistory() error {
	records := r.cfg.History
	r.recordedCalls = recordedCalls{results: map[string]runfile.Result{}, intents: map[string]bool{}, discarded: map[string]bool{}, secret: map[secretArguments]bool{}}
	for _, record := range records {
		switch b := record.Body.(type) {
		case runfile.Result:
			r.recordedCalls.results[b.Call] = b
		case runfile.Intent:
			r.recordedCalls.intents[b.Call] = true
		case runfile.Discarded:
			r.recordedCalls.discarded[b.Call] = true
		case runfile.Call:
			r.recordedCalls.secret[secretArguments{b.ID, false}] = b.Rule == policy.SecretRule
		case runfile.Approval:
			r.recordedCalls.secret[secretArguments{b.Call, true}] = b.Rule == policy.SecretRule
		}
	}
	if len(records) > 0 { // the first record holds the options of the run
		r.journal.unreplayed = clampTimes(records[1:], time.Now())
	}
	if lastIndexOf[runfile.Request](records) < 0 {
		return nil
	}
	replay, err := provider.NewReplay("the record", &runfile.Log{Records: records})
	if err != nil {
		return err
	}
	r.cfg.Model = &resumedModel{replay, r.cfg.Model}
	if r.cfg.AnswerModel != nil {
		r.cfg.AnswerModel = &resumedModel{replay, r.cfg.AnswerModel}
	}
	observe := r.cfg.Observe
	r.cfg.Observe = func(e Event) {
		if len(r.journal.unreplayed) == 0 {
			observe(e)
		}
	}
	return nil
}

// clampTimes makes the times of records ascend and lie before now. If the clock was set back since,
// earlier records move back with later ones and keep their distances. Otherwise calls would wait
// for their rate limits until the clock reaches the old time.
func clampTimes(records []runfile.Record, now time.Time) []runfile.Record {
	records = slices.Clone(records)
	var shift time.Duration
	for i, r := range slices.Backward(records) {
		at := r.Time.Add(-shift)
		if ahead := at.Sub(now); ahead > 0 {
			shift, at = shift+ahead, at.Add(-ahead)
		}
		records[i].Time, now = at, at
	}
	return records
}

// replayResult gives a call its recorded result. It returns false if the call is to run. report
// says whether the model gets a change with an unknown outcome as a result, if no rule of the
// policy decides that.
func (inv *invocation) replayResult(p recordedCalls, report bool) bool {
	result, ran := p.results[inv.call.ID]
	switch {
	case ran && result.Truncated:
		inv.err = &DivergedError{Why: fmt.Sprintf("the recorded result of the call %s (%d bytes) is truncated", inv.call.ID, result.Bytes)}
	case ran:
		inv.result, inv.duration = result.Result, result.Duration
		inv.result.Labels = result.Labels
	case p.discarded[inv.call.ID]: // its result is not used
	case !p.intents[inv.call.ID] || inv.def.CanRepeat():
		return false
	case inv.decision.OnUnknownOutcome == "report" || inv.decision.OnUnknownOutcome == "" && report:
		inv.result = chat.Failure(chat.UnknownOutcome, "the run was cut off during this call; its outcome is unknown, so it is not repeated")
	default:
		inv.err = &UnknownOutcomeError{Call: inv.call.ID, Tool: inv.call.Name, Arguments: string(inv.call.Arguments)}
	}
	return true
}

// A resumedModel replies from the record and, after its end, from the live model.
type resumedModel struct {
	recorded *provider.Replay
	live     Model
}

// Reply answers from the record as long as it has responses.
func (m *resumedModel) Reply(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error) {
	if m.recorded.Over() {
		return m.live.Reply(ctx, req, delta)
	}
	resp, err := m.recorded.Reply(ctx, req, delta)
	var replay *provider.ReplayError
	if errors.As(err, &replay) {
		err = &DivergedError{Why: fmt.Sprintf("turn %d: %s\n%s", replay.Turn, replay.Why, replay.Diff)}
	}
	return resp, err
}

// diffSteps describes how a step differs from the recorded one, or "".
func diffSteps(recorded, now runfile.Body) string {
	if recorded.Kind() != now.Kind() {
		return fmt.Sprintf("expected a step of kind %s, got %s", recorded.Kind(), now.Kind())
	}
	if want, got := fingerprint(recorded), fingerprint(now); want != got {
		return fmt.Sprintf("expected %s, got %s", want, got)
	}
	return ""
}

// fingerprint returns the part of a step that must be the same when the step is repeated.
func fingerprint(b runfile.Body) string {
	switch b := b.(type) {
	case runfile.Request:
		return fmt.Sprintf("the request of turn %d", b.Turn) // resumedModel compares its content with the record
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
		_ = json.Compact(&text, b.JSON) // answers on record are valid JSON
		return text.String()
	}
	return ""
}
