package dialect

import (
	"runtime"
	"testing"
)

// cost counts what reading a text takes: steps of the scanner and, of a long one,
// bytes allocated.
func (m mode) cost(text string, piece int) (steps int, allocated uint64) {
	var before, after runtime.MemStats
	if len(text) > 1<<16 {
		runtime.ReadMemStats(&before)
	}
	s := m.scanner(func(Event) {})
	for rest := []byte(text); len(rest) > 0; {
		n := min(piece, len(rest))
		s.Write(rest[:n])
		rest = rest[n:]
	}
	s.Close()
	if len(text) > 1<<16 {
		runtime.ReadMemStats(&after)
	}
	return s.steps, after.TotalAlloc - before.TotalAlloc
}

// atOnce is the size of pieces in which a text is not cut.
const atOnce = 1 << 30

// unsteady is how much of a text may take more steps for each byte, or fewer, than
// the rest: behind the last of many marks stands less than their leads can hold, and
// what begins like a message is held back.
const unsteady = 3 * longestLead

// checkLinear checks that twice the text takes twice the work (B4). It returns how
// many steps a byte takes.
func (m mode) checkLinear(t testing.TB, h aHostile, size, piece int) float64 {
	t.Helper()
	size += h.unit - 1
	size -= size % h.unit
	half, bytesOfHalf := m.cost(h.text(size), piece)
	steps, bytes := m.cost(h.text(2*size), piece)
	perByte := float64(steps) / float64(2*size)
	if float64(steps) > 2.05*float64(half)+unsteady*(1+perByte) {
		t.Errorf("%v, %s, pieces of %d: %d bytes take %d steps, half of them %d", m, h.name, piece, 2*size, steps, half)
	}
	if bytesOfHalf > 0 && float64(bytes) > 2.3*float64(bytesOfHalf)+1<<20 {
		t.Errorf("%v, %s, pieces of %d: %d bytes allocate %d bytes, half of them %d", m, h.name, piece, 2*size, bytes, bytesOfHalf)
	}
	return perByte
}

// checkLinear does the same in a dialect that is asked for.
func checkLinear(t testing.TB, d Dialect, text func(n int) string, size, piece int) {
	t.Helper()
	in(d).checkLinear(t, aHostile{"the text", text, 1}, size, piece)
}

// mostSteps is how many a byte may take: that of a mark whose lead is read up to
// its end.
const mostSteps = 200

// TestLinear checks many short texts in every dialect, and the one of them that
// takes the most steps as a longer one, too.
func TestLinear(t *testing.T) {
	const short = 1536
	eachRow(t, func(t *testing.T, d *Dialect) {
		m, most := mode{row: d}, 0.0
		var hardest aHostile
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

// TestKillers checks what kills other readers, where the dialect is told from the
// text.
func TestKillers(t *testing.T) {
	for _, h := range killers {
		for piece, size := range map[int]int{atOnce: growthSize, 1: growthSize / 8} {
			mode{}.checkLinear(t, h, size, piece)
		}
	}
}
