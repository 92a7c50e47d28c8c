package dialect

import (
	"runtime"
	"strings"
	"testing"
)

// kept returns the number of bytes in use after a text has been written, before the
// scanner is closed.
func (m mode) kept(text string) int {
	m.markers() // built once, so not counted
	before := heap()
	s := m.scanner(func(Event) {})
	for rest := []byte(text); len(rest) > 0; {
		n := min(4096, len(rest))
		s.Write(rest[:n])
		rest = rest[n:]
	}
	kept := int(heap()) - int(before)
	runtime.KeepAlive(s)
	runtime.KeepAlive(text)
	return kept
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// checkKept checks that a scanner keeps only the text of the current call and its
// arguments (B4). Growing buffers have up to a quarter of spare capacity.
func (m mode) checkKept(t *testing.T, name, text string, call int) {
	t.Helper()
	if kept := m.kept(text); kept > call*5/2+1<<17 {
		t.Errorf("%v, %s: %d bytes are kept for a call of %d", m, name, kept, call)
	}
}

// TestMemory checks prose, many calls, and an incomplete call in every dialect.
func TestMemory(t *testing.T) {
	size := growthSize / 8
	for i := range Dialects() { // not in parallel: the heap is that of the whole program
		d := &Dialects()[i]
		opening, _, _ := strings.Cut(renderedCall(d, "f", `{"a":"QQQQ"}`), "QQQQ")
		m := mode{row: d}
		m.checkKept(t, "prose", strings.Repeat("All work and no play. `x` [1] <b> {c}\n", size/38), 0)
		m.checkKept(t, "calls", strings.Repeat(d.Example+"\n", size/len(d.Example)), 0)
		m.checkKept(t, "a string", opening+strings.Repeat("text ", size/5), size)
		mode{}.checkKept(t, "a string", opening+strings.Repeat("text ", size/5), size)
	}
}

// TestMemoryOf checks texts of the prompt-only dialects.
func TestMemoryOf(t *testing.T) {
	size := growthSize / 2
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
		"JSON ids":       {`{"toolCalls":[` + numbered(`{"type":"f","id":"%d","operation":"b","parameters":{}},`, size), 16 * MaxKept},
		"JSON junk":      {`{"toolCalls":[` + strings.Repeat("1, [2], ", size/8), 0},
		"JSON string":    {`{"toolCalls":[{"type":"f","parameters":{"x":"` + strings.Repeat("text ", size/5), size},
		"JSON items":     {`{"toolCalls":[{"type":"f","parameters":[` + strings.Repeat("\"ab\", ", size/6), size},
		"JSON members":   {`{"toolCalls":[{` + numbered(`"k%d":1,`, size/8), 2 * size},
		"JSON fault":     {`{"toolCalls":[{"type":"f","parameters":[x` + strings.Repeat("[\"ab\", ", size/7), size},
		"JSON undecided": {`{"a":"` + strings.Repeat("text ", size/5), size},
		"JSON single":    {`{"name":"f","arguments":{"x":"` + strings.Repeat("text ", size/5), size},
	}
	for name, test := range tests {
		m := in(tool(t))
		if strings.HasPrefix(name, "JSON") {
			m = in(toolcalls(t))
		}
		m.checkKept(t, name, test.text, test.calls)
	}
}
