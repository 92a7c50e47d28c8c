package runner

import (
	"context"
	"fmt"
	"sync"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// A Replay gives calls the results that a run file has for them. It executes
// nothing. Its methods may be called from several goroutines.
type Replay struct {
	mu      sync.Mutex
	results map[string][]runfile.Result // by tool and arguments, in order
}

// A NoRecordError says that a replay has no result for a call.
type NoRecordError struct {
	Tool string
	Why  string
}

func (e *NoRecordError) Error() string { return fmt.Sprintf("replay of tool %s: %s", e.Tool, e.Why) }

// NewReplay returns the results of a run file.
func NewReplay(log *runfile.Log) *Replay {
	r := &Replay{results: map[string][]runfile.Result{}}
	calls := map[string]string{} // key by id
	for _, record := range log.Records {
		switch b := record.Body.(type) {
		case runfile.Call:
			calls[b.ID] = replayKey(b.Name, b.Effective)
		case runfile.Result:
			key := calls[b.Call]
			r.results[key] = append(r.results[key], b)
		}
	}
	return r
}

func replayKey(name string, args []byte) string { return name + "\x00" + string(args) }

// Run returns the next recorded result of a call with this tool and these
// arguments. A call that was not recorded, or whose result was too long to be
// kept whole, is a *[NoRecordError].
func (r *Replay) Run(_ context.Context, x chat.Execution) (chat.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := replayKey(x.Call.Name, x.Call.Arguments)
	if len(r.results[key]) == 0 {
		return chat.Result{}, &NoRecordError{x.Call.Name, "the recorded run has no result for this call"}
	}
	next := r.results[key][0]
	r.results[key] = r.results[key][1:]
	if next.Truncated {
		return chat.Result{}, &NoRecordError{x.Call.Name, fmt.Sprintf("the result of %d bytes was recorded cut", next.Bytes)}
	}
	return next.Result, nil
}
