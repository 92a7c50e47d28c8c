package dialect

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// fuzzRows runs checkLaws on any text, in one of some dialects, selected by a number,
// and in one of its modes.
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

// One target per grammar: JavaScript statements, JSON, a name with JSON (and messages
// with recipients), tags with the key in them, tag pairs, Python calls, and private
// quotes.

func FuzzScript(f *testing.F) { fuzzRows(f, taughtDialects()[:1]) }

func FuzzJSON(f *testing.F) { fuzzRows(f, slices.Concat(taughtDialects()[1:], jsonDialects())) }

func FuzzNamed(f *testing.F) {
	fuzzRows(f, complete(slices.Concat(namedDialects(), channelDialects())))
}

func FuzzTags(f *testing.F) { fuzzRows(f, slices.DeleteFunc(complete(markupDialects()), hasPairs)) }

func FuzzPairs(f *testing.F) {
	fuzzRows(f, slices.DeleteFunc(complete(markupDialects()), hasNoPairs))
}

func FuzzPython(f *testing.F) { fuzzRows(f, complete(pythonDialects())) }

func FuzzQuoted(f *testing.F) { fuzzRows(f, complete(privateQuoteDialects())) }

// hasPairs reports whether the keys of a dialect are in tags of their own.
func hasPairs(d Dialect) bool {
	return strings.Contains(d.Example, "<arg_key>") || strings.Contains(d.Example, "_arg_key>")
}

func hasNoPairs(d Dialect) bool { return !hasPairs(d) }

// FuzzDetect runs checkLaws with dialect detection.
func FuzzDetect(f *testing.F) {
	for _, d := range Dialects() {
		f.Add(d.Example, uint64(1))
		for _, c := range cases(f, d) {
			f.Add(c.input, uint64(len(c.input)))
		}
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		modes(nil)[seed%uint64(len(modes(nil)))].checkLaws(t, text, randomSizes(r, len(text))...)
	})
}

// FuzzAround checks the functions around the scanner with any two texts: rendering,
// native calls, and Neutralise.
func FuzzAround(f *testing.F) {
	for _, text := range some(nasty, 0) {
		f.Add("key", text)
		f.Add(text, "value")
		f.Add(plainJSON(text), "marker-00000000")
	}
	for _, marker := range some(knownMarkers, 0) {
		f.Add(plainJSON(marker), marker+marker)
	}
	for _, text := range nativeTexts {
		f.Add(text, "")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		checkRenderAs(t, a, b)
		checkInertAs(t, a, b)
		checkNativeAs(t, a)
	})
}
