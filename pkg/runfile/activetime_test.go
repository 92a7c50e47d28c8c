package runfile

import (
	"testing"
	"time"
)

// TestActiveTime checks that the active time of a run is the sum of its legs without waits, and that a clock that was set
// back adds nothing.
func TestActiveTime(t *testing.T) {
	record := func(at int, b Body) Record {
		return Record{Header: Header{Kind: b.Kind(), Time: time.Unix(int64(at), 0)}, Body: b}
	}
	for name, c := range map[string]struct {
		records []Record
		want    time.Duration
	}{
		"none": {nil, 0},
		"one":  {[]Record{record(100, Run{}), record(103, End{})}, 3 * time.Second},
		"legs": {[]Record{record(100, Run{}), record(103, Request{}), record(500, Resumed{}), record(502, End{}), record(900, Resumed{})}, 5 * time.Second},
		"back": {[]Record{record(100, Run{}), record(104, Request{}), record(50, Response{}), record(10, Resumed{}), record(5, Request{}), record(11, End{})}, 5 * time.Second},
		"wait": {[]Record{record(100, Run{}), record(109, Request{Waited: 8 * time.Second}), record(110, Response{}), record(140, End{Waited: 29 * time.Second})}, 3 * time.Second},
		"retry": {[]Record{record(100, Run{}), record(101, Request{}), record(102, Attempt{}), record(163, Attempt{Waited: time.Minute}),
			record(224, Call{Early: true}), record(225, Response{Waited: time.Minute})}, 5 * time.Second},
	} {
		if got := (&Log{Records: c.records}).ActiveTime(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
