package dialect

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// fuzzRows holds the laws for any text in some dialects, one of which a number
// chooses, and in one of the modes.
func fuzzRows(f *testing.F, rows []Dialect) {
	for i, d := range rows {
		f.Add(d.Example, uint8(i), uint64(1))
		f.Add(d.Example[:len(d.Example)/2]+d.Example, uint8(i), uint64(2))
		for _, c := range cases(f, d) {
			f.Add(c.input, uint8(i), uint64(len(c.input)))
		}
	}
	f.Fuzz(func(t *testing.T, text string, row uint8, seed uint64) {
		d := &rows[int(row)%len(rows)]
		r := rand.New(rand.NewPCG(seed, 1))
		m := modes(d)[seed%uint64(len(modes(d)))]
		m.checkLaws(t, text, randomSizes(r, len(text))...)
	})
}

// fuzzDialects does the same for dialects by name.
func fuzzDialects(f *testing.F, names []string, seeds ...string) {
	var rows []Dialect
	for _, name := range names {
		rows = append(rows, find(f, name))
	}
	for _, seed := range seeds {
		f.Add(seed, uint8(0), uint64(1))
	}
	fuzzRows(f, rows)
}

func FuzzScript(f *testing.F) { fuzzDialects(f, []string{"tool"}) }

func FuzzJSON(f *testing.F) { fuzzRows(f, slices.Concat(ownDialects[1:], jsonDialects)) }

func FuzzPython(f *testing.F) { fuzzRows(f, pythonDialects) }

func FuzzQuoted(f *testing.F) { fuzzRows(f, quotedDialects) }

func FuzzTags(f *testing.F) { fuzzRows(f, markupDialects) }

// FuzzDetect holds the laws where the dialect is told from the text.
func FuzzDetect(f *testing.F) {
	for _, d := range Dialects {
		f.Add(d.Example, uint64(1))
		for _, c := range cases(f, d) {
			f.Add(c.input, uint64(len(c.input)))
		}
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		mode{Reasoning: Reasoning(seed % 3)}.checkLaws(t, text, randomSizes(r, len(text))...)
	})
}
