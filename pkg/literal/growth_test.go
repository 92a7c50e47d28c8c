package literal

import (
	"runtime"
	"strings"
	"testing"
)

// TestGrowth checks that twice the text takes twice the work in Python, between string
// delimiters and with stops, whole and byte by byte (B4).
func TestGrowth(t *testing.T) {
	pieces := []string{
		"(", "[", "{", "'", `"`, `"""`, "'''", "''", "'a' ", "r'", "f'{", `b"`, "{'a':", "('a'", "(1,", "a(", "print(", "f(a=[", "]", ")", "#",
		`\`, `'\`, `\N{`, `\1`, "f(1),", "f()\n", "if x:\n", "it's ", "`", "1_", "x", ",", "=", "\n", "é",
		"<", "</cal", "[TOO", "<</call", "]<", "</call>", testDelimiter, `<|"|`, "<|", "{a:", "a:" + testDelimiter + "x" + testDelimiter + ",",
		testDelimiter + "x,b:", testDelimiter + "x,", "b:1,", "}", "{a:x ", " ", "c:" + testDelimiter + "}</call>", "a,b:" + testDelimiter + " ",
	}
	befores := []string{
		"", "f(", "f('", "f('''", "f(f'", "f({", "f(x,", "x=", "f([", "{", "{a:", "{a:[", "{a:x", "{a:" + testDelimiter,
		"{a:" + testDelimiter + strings.Repeat(" ", 999) + testDelimiter,
	}
	for _, private := range []bool{false, true} {
		for i, before := range befores {
			for k := i % growthShare; k < len(pieces); k += growthShare {
				piece := pieces[k]
				for _, size := range []int{1, 1 << 30} {
					n := growthSize / 64
					small := growth([]byte(before+strings.Repeat(piece, n/len(piece))), size, private)
					large := growth([]byte(before+strings.Repeat(piece, 2*n/len(piece))), size, private)
					if float64(large.steps) > 2.05*float64(small.steps)+200 {
						t.Errorf("%q and many %q, pieces of %d, private: %t: %d steps, twice as many take %d", before, piece, size, private, small.steps, large.steps)
					}
					if float64(large.bytes) > 2.5*float64(small.bytes)+1<<18 {
						t.Errorf("%q and many %q, pieces of %d, private: %t: %d bytes, twice as many take %d", before, piece, size, private, small.bytes, large.bytes)
					}
				}
			}
		}
	}
}

// growth reads a text as many parts and counts steps and allocated bytes.
func growth(text []byte, size int, private bool) workDone {
	var start, end runtime.MemStats
	runtime.ReadMemStats(&start)
	o := Options{Stops: NewStops(testStops...), Wrapper: "print"}
	s := NewPython(o)
	if private {
		s = NewDelimited(testDelimiter, o)
	}
	begin := 0
	for i := 0; i < len(text); {
		n, state := s.Write(text[i : i+min(size, len(text)-i)])
		i += n
		if state == NeedMore {
			continue
		}
		i -= len(s.Unread()) // these bytes are read again
		if i == begin {
			i++ // the byte belongs to no call or object
		}
		begin = i
		s.ResetAt(i)
		s.Next()
	}
	s.Close()
	runtime.ReadMemStats(&end)
	return workDone{s.steps, end.TotalAlloc - start.TotalAlloc}
}
