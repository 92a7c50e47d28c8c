package dialect

import (
	"runtime"
	"testing"

	"oneshot/internal/hostile"
)

// steps returns the number of steps of a scanner that reads a text in pieces.
func (m mode) steps(text string, piece int) int {
	s := m.scanner(func(Event) {})
	for rest := []byte(text); len(rest) > 0; {
		n := min(piece, len(rest))
		s.Write(rest[:n])
		rest = rest[n:]
	}
	s.Close()
	return s.steps
}

// allocated returns the number of bytes allocated while a text is read.
func (m mode) allocated(text string) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m.steps(text, atOnce)
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// atOnce is a piece size larger than any text.
const atOnce = 1 << 30

// unsteady is the number of bytes of a text that may take more steps per byte, or
// fewer, than the rest: the last of many markers is followed by less text than a
// lookahead can hold, and text that begins like a message is held back.
const unsteady = 3 * maxLookahead

// checkLinear checks that twice the text takes twice the work (B4). It returns the
// steps per byte.
func (m mode) checkLinear(t testing.TB, h hostileText, size, piece int) float64 {
	t.Helper()
	size += h.unit - 1
	size -= size % h.unit
	half, steps := m.steps(h.text(size), piece), m.steps(h.text(2*size), piece)
	perByte := float64(steps) / float64(2*size)
	if float64(steps) > 2.05*float64(half)+unsteady*(1+perByte) {
		t.Errorf("%v, %s, pieces of %d: %d bytes take %d steps, half of them %d", m, h.name, piece, 2*size, steps, half)
	}
	return perByte
}

// checkAllocated checks that twice the text allocates at most about twice the memory.
func (m mode) checkAllocated(t *testing.T, h hostileText, size int) {
	t.Helper()
	half, whole := m.allocated(h.text(size)), m.allocated(h.text(2*size))
	if float64(whole) > 2.3*float64(half)+1<<18 {
		t.Errorf("%v, %s: %d bytes allocate %d bytes, half of them %d", m, h.name, 2*size, whole, half)
	}
}

// mostSteps bounds the steps per byte. A marker whose lookahead is read to its end
// takes the most.
const mostSteps = 200

// TestLinear checks many short texts in every dialect, and a longer version of the one
// that takes the most steps.
func TestLinear(t *testing.T) {
	const short = 1536
	eachRow(t, func(t *testing.T, d *Dialect) {
		m, most := mode{row: d}, 0.0
		var hardest hostileText
		for _, h := range hostileTo(d) {
			steps := m.checkLinear(t, h, short, atOnce)
			m.checkLinear(t, h, short, 1)
			if steps > most {
				hardest, most = h, steps
			}
		}
		if most > mostSteps {
			t.Errorf("%v, %s: %.0f steps for each byte", m, hardest.name, most)
		}
		m.checkLinear(t, hardest, growthSize/16, atOnce)
		m.checkLinear(t, hardest, growthSize/64, 1)
		for _, piece := range marksLike(d) {
			if steps := (mode{}).checkLinear(t, many("", piece), short, atOnce); steps > mostSteps {
				t.Errorf("all dialects, %q: %.0f steps for each byte", piece, steps)
			}
		}
	})
}

// killers are texts that make parsers of other projects superlinear, or make them
// recurse.
func killers() (all []hostileText) {
	for _, k := range hostile.Killers {
		all = append(all, hostileText{k.String(), k.Long, len(k.Piece)})
	}
	return all
}

// TestWorstCases checks the killers with dialect detection.
func TestWorstCases(t *testing.T) {
	for _, h := range killers() {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			mode{}.checkLinear(t, h, growthSize, atOnce)
			mode{}.checkLinear(t, h, growthSize/32, 4)
			mode{}.checkLinear(t, h, growthSize/32, 1)
		})
	}
}

// TestAllocated does not run in parallel: allocations are counted for the whole
// program.
func TestAllocated(t *testing.T) {
	for _, h := range killers() {
		mode{}.checkAllocated(t, h, growthSize/16)
	}
}
