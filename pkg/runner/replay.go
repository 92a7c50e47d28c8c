package runner

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// A Replay gives calls the results that a run file has for them. It executes
// nothing. Its methods may be called from several goroutines.
type Replay struct {
	mu      sync.Mutex
	results []recorded // that no call has had yet, in order
}

// A recorded result, and the call that it is of.
type recorded struct {
	call   runfile.Call
	result runfile.Result
}

// A NoRecordError says that a replay has no result for a call.
type NoRecordError struct {
	Tool string
	Why  string
}

func (e *NoRecordError) Error() string { return fmt.Sprintf("replay of tool %s: %s", e.Tool, e.Why) }

// NewReplay returns the results of a run file.
func NewReplay(log *runfile.Log) *Replay {
	r := new(Replay)
	calls := map[string]runfile.Call{}
	for _, record := range log.Standing() {
		switch b := record.Body.(type) {
		case runfile.Call:
			calls[b.ID] = b
		case runfile.Result:
			r.results = append(r.results, recorded{calls[b.Call], b})
		}
	}
	return r
}

// Run returns the result of the recorded call with this id, tool and arguments,
// or else the next one of a call with this tool and these arguments: calls that
// ran side by side were recorded in the order in which they ended. A call that
// was not recorded, or whose result was too long to be kept whole, is a
// *[NoRecordError].
func (r *Replay) Run(_ context.Context, x chat.Execution) (chat.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := slices.IndexFunc(r.results, func(c recorded) bool { return c.is(x.Call) && c.call.ID == x.Call.ID })
	if at < 0 {
		at = slices.IndexFunc(r.results, func(c recorded) bool { return c.is(x.Call) })
	}
	if at < 0 {
		return chat.Result{}, &NoRecordError{x.Call.Name, "the recorded run has no result for this call"}
	}
	next := r.results[at].result
	r.results = slices.Delete(r.results, at, at+1)
	if next.Truncated {
		return chat.Result{}, &NoRecordError{x.Call.Name, fmt.Sprintf("the result of %d bytes was recorded cut", next.Bytes)}
	}
	next.Result.Labels = next.Labels
	return next.Result, nil
}

// is reports whether a call asks for what was recorded.
func (c recorded) is(call chat.Call) bool {
	return c.call.Name == call.Name && bytes.Equal(c.call.Effective, call.Arguments)
}
