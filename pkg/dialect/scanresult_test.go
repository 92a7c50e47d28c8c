package dialect

import (
	"strings"
	"testing"

	"oneshot/pkg/diag"
)

// Of a text that is nothing but calls or faults, only so much is kept, and that
// is said.
func TestScanKeepsTheFirst(t *testing.T) {
	for name, c := range map[string]struct {
		statement       string
		calls, findings int
	}{
		"calls":  {"f();", MaxKept, 1},
		"faults": {"f(x);", MaxKept, MaxKept + 1},
		"junk":   {"x y;\nf();", MaxKept, MaxKept + 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := Scan(inFence(strings.Repeat(c.statement+"\n", 2*MaxKept)), Options{Dialect: tool(t)})
			if len(r.Calls) != c.calls || len(r.Findings) != c.findings {
				t.Errorf("%d calls and %d findings, want %d and %d", len(r.Calls), len(r.Findings), c.calls, c.findings)
			}
			last := r.Findings[len(r.Findings)-1]
			if last.Code != diag.TooMany || last.Span.Line < MaxKept/2 {
				t.Errorf("the last finding is %v, want TC901 with a place", last)
			}
			for _, f := range r.Findings {
				if f.Call != nil && *f.Call >= len(r.Calls) {
					t.Fatalf("%v is about call %d of %d", f, *f.Call, len(r.Calls))
				}
			}
		})
	}
}
