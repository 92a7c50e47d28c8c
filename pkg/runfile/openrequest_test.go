package runfile

import (
	"testing"
	"time"

	"oneshot/pkg/chat"
)

// TestOpenRequest checks when a request counts as cut off: from its record on, or from an immediate retry after a failed
// attempt, to the next record that ends it. No record shows whether a retry after a wait was sent.
func TestOpenRequest(t *testing.T) {
	request := Request{By: "a", EstimatedTokens: 9}
	attempt := func(a chat.Attempt) Attempt { return Attempt{Attempt: a} }
	for name, test := range map[string]struct {
		records []Body
		lost    int
	}{
		"request":           {[]Body{request}, 9},
		"early call":        {[]Body{request, Call{ID: "c1"}}, 9},
		"response":          {[]Body{request, Response{}}, 0},
		"end":               {[]Body{request, End{}}, 0},
		"last attempt":      {[]Body{request, attempt(chat.Attempt{Number: 3, Last: true})}, 0},
		"wait for a retry":  {[]Body{request, attempt(chat.Attempt{Number: 1, Wait: time.Second})}, 0},
		"another model":     {[]Body{request, attempt(chat.Attempt{Number: 1})}, 9},
		"skipped model":     {[]Body{request, attempt(chat.Attempt{Number: 1, Skipped: true})}, 9},
		"after a wait":      {[]Body{request, attempt(chat.Attempt{Number: 1, Wait: time.Second}), attempt(chat.Attempt{Number: 2})}, 0},
		"an older request":  {[]Body{Request{By: "a"}}, 0},
		"after its failure": {[]Body{request, attempt(chat.Attempt{Number: 1, Wait: time.Second}), End{}, Resumed{}, request}, 9},
	} {
		var open OpenRequest
		for _, body := range test.records {
			if lost, ok := open.Add(Record{Body: body}); ok {
				t.Errorf("%s: lost %+v before the end", name, lost)
			}
		}
		if lost, ok := open.Close(); ok != (test.lost > 0) || lost.Usage.InputTokens != test.lost {
			t.Errorf("%s: lost %+v, want %d tokens", name, lost, test.lost)
		}
	}
}
