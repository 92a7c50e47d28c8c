package agent

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/runfile"
)

// Clamped times never decrease, even if the clock was set back, and keep their distances on each
// side.
func TestClampTimes(t *testing.T) {
	for name, c := range map[string]struct{ at, want []int }{ // seconds before now
		"nothing":            {nil, nil},
		"as it was":          {[]int{9, 5, 5, 1}, []int{9, 5, 5, 1}},
		"a day ahead":        {[]int{-100, -103, -105}, []int{5, 2, 0}},
		"set back once":      {[]int{-100, -103, 8, 4}, []int{11, 8, 8, 4}},
		"set back again":     {[]int{7, 5, 6, 4, -9}, []int{17, 15, 15, 13, 0}},
		"set forward is not": {[]int{5000, 4999, 3}, []int{5000, 4999, 3}},
	} {
		now := time.Unix(1_000_000, 0)
		var records []runfile.Record
		for _, s := range c.at {
			records = append(records, runfile.Record{Header: runfile.Header{Time: now.Add(-time.Duration(s) * time.Second)}})
		}
		var got []int
		for _, r := range clampTimes(records, now) {
			got = append(got, int(now.Sub(r.Time).Seconds()))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
