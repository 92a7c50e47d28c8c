package dialect

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// tool is the dialect that the laws are tested with where one is enough.
func tool(t testing.TB) Dialect {
	d, ok := Named("tool")
	if !ok {
		t.Fatal("no dialect tool")
	}
	return d
}

func toolcalls(t testing.TB) Dialect {
	d, ok := Named("toolcalls")
	if !ok {
		t.Fatal("no dialect toolcalls")
	}
	return d
}

// events reads a text in pieces of the given sizes, and then the rest, and
// joins neighbouring pieces of content.
func events(d Dialect, text string, sizes ...int) []Event {
	var all []Event
	s := NewScanner(Options{Dialect: d}, func(e Event) {
		if last := len(all) - 1; e.Content != "" && last >= 0 && all[last].Content != "" {
			all[last].Content += e.Content
			return
		}
		if last := len(all) - 1; e.Reasoning != "" && last >= 0 && all[last].Reasoning != "" {
			all[last].Reasoning += e.Reasoning
			return
		}
		all = append(all, e)
	})
	for _, size := range sizes {
		size = min(size, len(text))
		s.Write([]byte(text[:size]))
		text = text[size:]
	}
	s.Write([]byte(text))
	s.Close()
	return all
}

// everyByte are sizes for one byte at a time.
func everyByte(text string) []int {
	sizes := make([]int, len(text))
	for i := range sizes {
		sizes[i] = 1
	}
	return sizes
}

func randomSizes(r *rand.Rand, n int) []int {
	var sizes []int
	for n > 0 {
		size := 1 + r.IntN(1+r.IntN(64))
		sizes = append(sizes, size)
		n -= size
	}
	return sizes
}

// checkSplits holds the streaming law: any split of the same bytes gives the
// same calls, content and findings.
func checkSplits(t *testing.T, d Dialect, text string) {
	t.Helper()
	whole := events(d, text)
	check := func(how string, sizes ...int) {
		if diff := cmp.Diff(whole, events(d, text, sizes...)); diff != "" {
			t.Fatalf("%s of %q (-whole +split)\n%s", how, text, diff)
		}
	}
	check("byte by byte", everyByte(text)...)
	if len(text) <= 2048 {
		for i := range text {
			check(fmt.Sprintf("split at %d", i), i)
		}
		return
	}
	r := rand.New(rand.NewPCG(1, uint64(len(text))))
	for range 20 {
		check("random split", randomSizes(r, len(text))...)
	}
}

// checkContent holds the content law: pieces of content and calls follow each
// other in the text, and what is neither stands in fences.
func checkContent(t *testing.T, d Dialect, text string) {
	t.Helper()
	at, calls := 0, 0
	s := NewScanner(Options{Dialect: d}, func(e Event) {
		switch {
		case e.Content != "":
			i := strings.Index(text[at:], e.Content)
			if i < 0 {
				t.Fatalf("content %q does not stand behind byte %d of %q", e.Content, at, text)
			}
			at += i + len(e.Content)
		case e.Call != nil:
			calls++
			c := e.Call
			if c.Start < at || c.End < c.Start || c.End > len(text) || text[c.Start:c.End] != c.Text {
				t.Fatalf("call %q at [%d, %d) of %q", c.Text, c.Start, c.End, text)
			}
			at = c.End
			checkCall(t, *c, text)
		case e.Finding != nil:
			checkSpan(t, *e.Finding, text)
		}
	})
	s.Write([]byte(text))
	s.Close()
	if r := Scan(text, Options{Dialect: d}); len(r.Calls) != calls || len(r.Content) > len(text) {
		t.Fatalf("Scan reads %d calls of %q, the scanner %d", len(r.Calls), text, calls)
	}
	if r := Scan(text, Options{Dialect: d}); len(r.Calls) == 0 && !mayHoldCalls(d, text) && r.Content != text {
		t.Fatalf("the content of %q is not all of it: %q", text, r.Content)
	}
}

// mayHoldCalls reports whether a text has a word that a frame begins with.
func mayHoldCalls(d Dialect, text string) bool {
	return slices.ContainsFunc(d.framing.fences, func(f fenceForm) bool { return f.sure && strings.Contains(strings.ToLower(text), f.info) }) ||
		slices.ContainsFunc(d.framing.start, func(m mark) bool { return m.own != nil && m.own(trimLeft([]byte(text))) != no }) ||
		slices.ContainsFunc(d.framing.lists, func(key string) bool { return strings.Contains(text, key) }) ||
		slices.ContainsFunc(newMarkSet([]*Dialect{&d}).texts, func(mark string) bool {
			return mark != backticks.text && mark != tildes.text && mark != brace.text && strings.Contains(text, mark)
		})
}

func checkCall(t *testing.T, c chat.Call, text string) {
	t.Helper()
	switch {
	case c.Name == "":
		t.Fatalf("call without a name in %q", text)
	case c.Executable != (c.Status == chat.StatusOK || c.Status == chat.StatusRepaired):
		t.Fatalf("call %q is %s and executable: %t", c.Text, c.Status, c.Executable)
	case c.Executable && !json.Valid(c.Arguments):
		t.Fatalf("call %q has the arguments %q", c.Text, c.Arguments)
	}
}

func checkSpan(t *testing.T, f diag.Finding, text string) {
	t.Helper()
	if f.Span.Start < 0 || f.Span.End < f.Span.Start || f.Span.End > len(text) {
		t.Fatalf("%v at [%d, %d) of %d bytes", f, f.Span.Start, f.Span.End, len(text))
	}
	for _, fix := range f.Fixes {
		done := 0
		for _, e := range fix.Edits {
			if e.Start < done || e.End < e.Start || e.End > len(text) {
				t.Fatalf("%v: edits %v of %d bytes", f, fix.Edits, len(text))
			}
			done = e.End
		}
	}
}

func TestSplits(t *testing.T) {
	for _, d := range Dialects {
		for _, c := range cases(t, d) {
			t.Run(d.Name+"/"+c.name(), func(t *testing.T) {
				checkSplits(t, d, c.input)
				checkContent(t, d, c.input)
			})
		}
	}
}

// TestLongSplits joins all cases, so that openers, quotes and faults of one
// meet those of another.
func TestLongSplits(t *testing.T) {
	for _, d := range Dialects {
		var b strings.Builder
		for _, c := range cases(t, d) {
			b.WriteString(c.input + "\n```\n~~~\n")
		}
		checkSplits(t, d, b.String())
		checkContent(t, d, b.String())
	}
}

// endsLate are the dialects of which some calls end before what comes next: where
// an argument is text, or lines.
var endsLate = []string{"functionary_v32", "react", "harmony", "continue"}

// mayEndLate reports whether a call of a dialect may be known only with what comes
// next: that is so, too, where the closing mark of a tag is missing or wrong.
func mayEndLate(d Dialect, c chat.Call) bool {
	tags := slices.ContainsFunc(markupDialects, func(m Dialect) bool { return m.Name == d.Name })
	return slices.Contains(endsLate, d.Name) || tags && c.Status == chat.StatusRepaired
}

// TestCallAtLastByte checks that a call is emitted exactly at its last byte.
func TestCallAtLastByte(t *testing.T) {
	for _, d := range Dialects {
		for _, c := range cases(t, d) {
			var calls []chat.Call
			s := NewScanner(Options{Dialect: d}, func(e Event) {
				if e.Call != nil {
					calls = append(calls, *e.Call)
				}
			})
			for i := range len(c.input) {
				before := len(calls)
				s.Write([]byte{c.input[i]})
				for _, call := range calls[before:] {
					if call.Executable && call.End != i+1 && !mayEndLate(d, call) {
						t.Errorf("%s: %q ends at %d and comes at %d", c.name(), call.Text, call.End, i+1)
					}
				}
			}
		}
	}
}

// TestHoldBack checks that content is held back no longer than needed to see
// whether a fence begins.
func TestHoldBack(t *testing.T) {
	const most = longestRun + mostBlanks + len("tool") + longestLead + len(lineProtocol)
	for _, d := range Dialects {
		for _, c := range cases(t, d) {
			s := NewScanner(Options{Dialect: d}, func(Event) {})
			for i := range len(c.input) {
				s.Write([]byte{c.input[i]})
				if len(s.held) > most {
					t.Fatalf("%s: %d bytes are held: %q", c.name(), len(s.held), s.held)
				}
			}
		}
	}
}

// cost counts what reading a text takes: steps of the scanner, and bytes
// allocated.
func cost(d Dialect, text string, piece int) (steps int, allocated uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := NewScanner(Options{Dialect: d}, func(Event) {})
	for rest := []byte(text); len(rest) > 0; {
		n := min(piece, len(rest))
		s.Write(rest[:n])
		rest = rest[n:]
	}
	s.Close()
	runtime.ReadMemStats(&after)
	return s.steps, after.TotalAlloc - before.TotalAlloc
}

// TestLinear checks that twice the text takes twice the work (B4).
func TestLinear(t *testing.T) {
	for _, d := range Dialects {
		for name, text := range hostile[d.Name] {
			t.Run(d.Name+"/"+name, func(t *testing.T) {
				checkLinear(t, d, text, hostileSize[d.Name], 1<<30)
				checkLinear(t, d, text, hostileSize[d.Name]/8, 1)
			})
		}
	}
}

func checkLinear(t *testing.T, d Dialect, text func(n int) string, size, piece int) {
	half, bytesOfHalf := cost(d, text(size), piece)
	steps, bytes := cost(d, text(2*size), piece)
	if float64(steps) > 2.05*float64(half) {
		t.Errorf("pieces of %d: %d bytes take %d steps, half of them %d", piece, 2*size, steps, half)
	}
	if float64(bytes) > 2.3*float64(bytesOfHalf)+1<<20 {
		t.Errorf("pieces of %d: %d bytes allocate %d bytes, half of them %d", piece, 2*size, bytes, bytesOfHalf)
	}
}

// TestMemory checks that what is kept while scanning is the text of the current
// call and its arguments, and nothing of the text before it (B4).
func TestMemory(t *testing.T) {
	const size = 4 * growthSize
	tests := map[string]struct {
		text  string
		calls int // bytes of the call that is open
	}{
		"prose":         {strings.Repeat("All work and no play. `x`\n", size/26), 0},
		"foreign fence": {"```go\n" + strings.Repeat("x := 1\n", size/7), 0},
		"done calls":    {"```tool\n" + strings.Repeat("f(\"abc\");\n", size/10), 0},
		"junk":          {"```tool\n" + strings.Repeat("const x = \"abc\";\n", size/17), 0},
		"string":        {"```tool\nf(\"" + strings.Repeat("text ", size/5), size},
		"template":      {"```tool\nf(`" + strings.Repeat("text\n", size/5), size},
		"items":         {"```tool\nf([" + strings.Repeat("\"ab\", ", size/6), size},
		"fault":         {"```tool\nf(x, [" + strings.Repeat("\"ab\", ", size/6), size},
		"truths":        {"```tool\nf([" + strings.Repeat("True, ", size/6), size},

		"JSON prose":     {"So: " + strings.Repeat("all {work} and {\"no\": 1} play. ", size/31), 0},
		"JSON done":      {`{"toolCalls":[` + strings.Repeat(`{"type":"f","id":"a","operation":"b","parameters":{}},`, size/54), 0},
		"JSON ids":       {`{"toolCalls":[` + numbered(`{"type":"f","id":"%d","operation":"b","parameters":{}},`, size), 0},
		"JSON junk":      {`{"toolCalls":[` + strings.Repeat("1, [2], ", size/8), 0},
		"JSON string":    {`{"toolCalls":[{"type":"f","parameters":{"x":"` + strings.Repeat("text ", size/5), size},
		"JSON items":     {`{"toolCalls":[{"type":"f","parameters":[` + strings.Repeat("\"ab\", ", size/6), size},
		"JSON members":   {`{"toolCalls":[{` + numbered(`"k%d":1,`, size/8), 2 * size},
		"JSON fault":     {`{"toolCalls":[{"type":"f","parameters":[x` + strings.Repeat("[\"ab\", ", size/7), size},
		"JSON undecided": {`{"a":"` + strings.Repeat("text ", size/5), size},
		"JSON single":    {`{"name":"f","arguments":{"x":"` + strings.Repeat("text ", size/5), size},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := tool(t)
			if strings.HasPrefix(name, "JSON") {
				d = toolcalls(t)
			}
			before := heap()
			s := NewScanner(Options{Dialect: d}, func(Event) {})
			for text := test.text; len(text) > 0; {
				n := min(4096, len(text))
				s.Write([]byte(text[:n]))
				text = text[n:]
			}
			kept := int(heap()) - int(before)
			// Buffers that grow have up to a quarter more room than they hold.
			if limit := test.calls*5/2 + 1<<20; kept > limit {
				t.Errorf("%d bytes are kept for a call of %d", kept, test.calls)
			}
			runtime.KeepAlive(s)
			runtime.KeepAlive(test.text)
		})
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// FuzzScan holds the streaming law and the content law for any text.
func FuzzScan(f *testing.F) {
	for _, d := range Dialects {
		for _, c := range cases(f, d) {
			f.Add(c.input, uint64(1))
		}
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		for _, d := range Dialects {
			whole := events(d, text)
			for _, sizes := range [][]int{everyByte(text), randomSizes(r, len(text))} {
				if diff := cmp.Diff(whole, events(d, text, sizes...)); diff != "" {
					t.Fatalf("pieces %v of %q (-whole +split)\n%s", sizes, text, diff)
				}
			}
			checkContent(t, d, text)
		}
	})
}
