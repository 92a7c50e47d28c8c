package dialect

import (
	"strings"
	"testing"
	"time"
)

// 100,000 openings of a dialect, and no end of any, are read within 100 ms by a run where the
// machine has nothing else to do, and so they are made inert; a busy one has five times as long. Of fences and tags this holds where all dialects are read as well; in general that
// takes time in proportion, which the growth tests hold.
func TestFloods(t *testing.T) {
	if growthSize < 1<<20 {
		t.Skip("make check runs it")
	}
	for _, opening := range []string{"```tool\n", "```\n", "<tool_call>", "<tool_call>{", "[TOOL_CALLS]", "<|python_tag|>", "<function=", "<think>", `{"toolCalls":[`} {
		text := strings.Repeat(opening, 100_000)
		for _, d := range []string{"tool", "toolcalls", ""} {
			if d == "" && opening != "```tool\n" && opening != "<tool_call>" {
				continue
			}
			row, _ := Lookup(d)
			takesLess(t, 2*time.Second, d+" "+opening, func() { Scan(text, Options{Dialect: row}) })
		}
		quoted := []byte(plainJSON(text))
		takesLess(t, 2*time.Second, "inert "+opening, func() { Neutralise(quoted) })
	}
}

// takesLess fails if doing something takes longer, every time of a few: the machine may be busy.
func takesLess(t *testing.T, limit time.Duration, what string, do func()) {
	t.Helper()
	best := time.Hour
	for range 8 {
		start := time.Now()
		do()
		if best = min(best, time.Since(start)); best <= limit {
			return
		}
	}
	t.Errorf("%q takes %v, want %v", what, best, limit)
}
