package dialect

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// TestCollectorReuse checks that a collector reused for short texts, whole and cut,
// returns the results of a new one.
func TestCollectorReuse(t *testing.T) {
	eachRow(t, func(t *testing.T, d *Dialect) {
		texts, again := anyText(t, d), new(collector)
		for _, c := range cases(t, *d) {
			checkReuse(t, again, c.input, Options{})
			checkReuse(t, again, c.input[:len(c.input)/2], Options{Dialect: *d})
		}
		rapid.Check(t, func(rt *rapid.T) {
			for range 4 {
				text := texts.Draw(rt, "text")
				o := Options{
					Dialect:   rapid.SampledFrom([]Dialect{*d, {}}).Draw(rt, "dialect"),
					Tools:     rapid.SampledFrom([]Toolset{nil, knownTools()}).Draw(rt, "tools"),
					Reasoning: rapid.SampledFrom([]Reasoning{ReasoningAuto, ReasoningAuto, ReasoningOpen, ReasoningOff}).Draw(rt, "reasoning"),
				}
				checkReuse(rt, again, text, o)
				checkReuse(rt, again, text[:len(text)/2], o)
			}
		})
	})
}

func checkReuse(t failer, again *collector, text string, o Options) {
	t.Helper()
	want, got := new(collector).read(text, []byte(text), o), again.read(text, []byte(text), o)
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Dialect{})); diff != "" {
		t.Fatalf("%q:\n%s", text, diff)
	}
}
