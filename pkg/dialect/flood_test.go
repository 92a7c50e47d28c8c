package dialect

import (
	"strings"
	"testing"
	"time"
)

// TestFloods checks that 100,000 unclosed openings of a dialect are read, and made inert, within 2 s, a limit for a
// busy machine. With all dialects it checks a fence and a tag only: there the growth tests check that the time is
// proportional.
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

// takesLess fails if do exceeds the limit in each of several attempts: the machine may be busy in some.
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
