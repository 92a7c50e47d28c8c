package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/policy"
	"oneshot/pkg/runfile"
)

// A resumed run repeats its recorded steps. The same loop requests, decides and executes, but the
// record supplies the recorded responses and results, and every step is compared with it. After the
// last recorded step the run continues live.

// ResumeHistory returns the records that a resumed run repeats. It leaves out the records about the end
// of the run, and requests at the end without a complete response, with the calls started from it.
// The error is an *[FinishedError].
func ResumeHistory(log *runfile.Log) ([]runfile.Record, error) {
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
	if intent := len(records) - 2; isToolAuthFailureAt(records, intent) {
		records = records[:intent] // it can succeed once the authorization is renewed
	}
	for {
		request := lastIndexOf[runfile.Request](records)
		if request < 0 || hasCompleteResponse(records[request:]) {
			return slices.Clip(records), nil
		}
		records = records[:request]
	}
}

// resumedTurns returns the turns at which a recorded run ended before it was resumed, and the turn at
// which it last ended: 0 if it was cut off. If useless replies or too many repairs ended the run,
// the resumed run asks once more.
func resumedTurns(log *runfile.Log) (turns []int, last int) {
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

// isToolAuthFailureAt reports whether records[i] and its successor are the intent of a change and its
// failure for a missing authorization.
func isToolAuthFailureAt(records []runfile.Record, i int) bool {
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

// hasCompleteResponse reports whether a request is followed by a complete response.
func hasCompleteResponse(records []runfile.Record) bool {
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

// statusOf returns the status of a call, and the code of its failure.
func (p recordedCalls) statusOf(id string) (CallStatus, chat.ErrorCode) {
	result, ran := p.results[id]
	switch {
	case ran:
		status, code, _ := statusOf(result.Result)
		return status, code
	case p.intents[id]:
		return CallError, chat.UnknownOutcome
	case p.discarded[id]:
		return CallDiscarded, ""
	}
	return CallSkipped, ""
}

// newRecordedCalls indexes records.
func newRecordedCalls(records []runfile.Record) recordedCalls {
	p := recordedCalls{results: map[string]runfile.Result{}, intents: map[string]bool{}, discarded: map[string]bool{}, secret: map[secretArguments]bool{}}
	for _, record := range records {
		switch b := record.Body.(type) {
		case runfile.Result:
			p.results[b.Call] = b
		case runfile.Intent:
			p.intents[b.Call] = true
		case runfile.Discarded:
			p.discarded[b.Call] = true
		case runfile.Call:
			p.secret[secretArguments{b.ID, false}] = b.Rule == policy.SecretRule
		case runfile.Approval:
			p.secret[secretArguments{b.Call, true}] = b.Rule == policy.SecretRule
		}
	}
	return p
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
	case runfile.Attachment:
		return "the attachment " + b.SHA256
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
