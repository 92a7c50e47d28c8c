package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
)

// splits is the number of random splits of each text.
const splits = 3

// splitDifference reads a text in pieces: the chunks of the row, single bytes,
// and some random pieces that are the same in every run. It returns how a
// reading differs from that of the whole text, or "".
func splitDifference(id, text string, chunks []string, s setting, whole reading) string {
	want := whole.describeAll()
	for _, way := range waysToSplit(id, text, chunks) {
		if got := readPieces(way.pieces, s).describeAll(); got != want {
			return way.name + ": " + firstDifference(want, got)
		}
	}
	return ""
}

// splitDifferenceUnnamed is splitDifference for a text whose dialect is
// detected.
func splitDifferenceUnnamed(id, text string, s setting) string {
	s.dialect = ""
	if broken := splitDifference(id, text, nil, s, readText(text, s)); broken != "" {
		return "dialect not named, " + broken
	}
	return ""
}

// A way is one way to split a text.
type way struct {
	name   string
	pieces [][]byte
}

// waysToSplit returns the splits of a text.
func waysToSplit(id, text string, chunks []string) []way {
	ways := []way{{name: "byte by byte", pieces: cutPieces(text, func(int) int { return 1 })}}
	if chunks != nil {
		w := way{name: "in the pieces of the row"}
		for _, c := range chunks {
			w.pieces = append(w.pieces, []byte(c))
		}
		ways = append(ways, w)
	}
	h := fnv.New64a()
	h.Write([]byte(id))
	random := rand.New(rand.NewPCG(h.Sum64(), 0))
	for range splits {
		longest := 2 + random.IntN(2+len(text)/2)
		w := way{pieces: cutPieces(text, func(int) int { return 1 + random.IntN(longest) })}
		w.name = "in pieces of " + pieceLengths(w.pieces)
		ways = append(ways, w)
	}
	return ways
}

// cutPieces cuts a text into pieces of the lengths that next returns.
func cutPieces(text string, next func(rest int) int) [][]byte {
	var pieces [][]byte
	for len(text) > 0 {
		n := min(next(len(text)), len(text))
		pieces = append(pieces, []byte(text[:n]))
		text = text[n:]
	}
	return pieces
}

// pieceLengths returns the lengths of pieces as text.
func pieceLengths(pieces [][]byte) string {
	all := make([]string, len(pieces))
	for i, p := range pieces {
		all[i] = fmt.Sprint(len(p))
	}
	return strings.Join(all, "+")
}

// describeAll returns everything in a reading, one fact per line.
func (g reading) describeAll() string {
	var b strings.Builder
	fmt.Fprintf(&b, "dialect %s\ncontent %q\nreasoning %q\n", g.dialect, g.content, g.reasoning)
	for _, c := range g.calls {
		fmt.Fprintf(&b, "call %d-%d %s priority %v text %q\n", c.Start, c.End, describeCall(c), c.Priority, c.Text)
	}
	for _, f := range g.findings {
		call := -1
		if f.Call != nil {
			call = *f.Call
		}
		fmt.Fprintf(&b, "finding %s call %d %s %+v %q %+v\n", f.Code, call, f.Path, f.Span, f.Message, f.Fixes)
	}
	return b.String()
}

// firstDifference returns the first fact that differs.
func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(a), len(b)) {
		x, y := "nothing", "nothing"
		if i < len(a) && a[i] != "" {
			x = a[i]
		}
		if i < len(b) && b[i] != "" {
			y = b[i]
		}
		if x != y {
			return fmt.Sprintf("\n  whole:  %s\n  pieces: %s", x, y)
		}
	}
	return "the same"
}
