package executor

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// A Replay returns recorded results from a run file instead of executing calls. Its methods may be called
// concurrently.
type Replay struct {
	mu      sync.Mutex
	results map[string][]runfile.Result // unused results by [replayKey], in order
}

// replayKey returns equal keys for equal calls.
func replayKey(tool string, arguments []byte) string { return tool + "\x00" + string(arguments) }

// A NoRecordError reports that a replay has no result for a call.
type NoRecordError struct {
	Tool string
	Why  string
}

func (e *NoRecordError) Error() string { return fmt.Sprintf("replay of tool %s: %s", e.Tool, e.Why) }

// NewReplay returns a replay of the results of a run file.
func NewReplay(log *runfile.Log) *Replay {
	r := &Replay{results: map[string][]runfile.Result{}}
	calls := map[string]runfile.Call{}
	for _, record := range log.LiveRecords() {
		switch b := record.Body.(type) {
		case runfile.Call:
			calls[b.ID] = b
		case runfile.Result:
			key := replayKey(calls[b.Call].Name, calls[b.Call].Effective)
			r.results[key] = append(r.results[key], b)
		}
	}
	return r
}

// Run returns the result of the recorded call with this ID, tool and arguments, or else the next one of a call
// with this tool and these arguments: concurrent calls were recorded in the order of their ends. A call that was
// not recorded, or whose result was truncated in the record, is a *[NoRecordError].
func (r *Replay) Run(_ context.Context, x chat.Execution) (chat.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := replayKey(x.Call.Name, x.Call.Arguments)
	left := r.results[key]
	if len(left) == 0 {
		return chat.Result{}, &NoRecordError{x.Call.Name, "the recorded run has no result for this call"}
	}
	at := max(0, slices.IndexFunc(left, func(result runfile.Result) bool { return result.Call == x.Call.ID }))
	next := left[at]
	copy(left[1:], left[:at]) // usually the first one
	r.results[key] = left[1:]
	if next.Truncated {
		return chat.Result{}, &NoRecordError{x.Call.Name, fmt.Sprintf("the recorded result of %d bytes is truncated", next.Bytes)}
	}
	next.Result.Labels = next.Labels
	return next.Result, nil
}
