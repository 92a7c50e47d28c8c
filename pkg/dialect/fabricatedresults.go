package dialect

import (
	"slices"
	"strings"

	"oneshot/pkg/diag"
)

// resultLine begins each result in the conversation of a run. A boundary of 128 random bits follows it.
var resultLine = marker{text: "--- ", role: resultOpen, lineStart: true, lookahead: thenBoundary}

// boundaryDigits is the length of the boundary in hexadecimal digits.
const boundaryDigits = 32

// thenBoundary matches the boundary.
func thenBoundary(text []byte) verdict {
	for i, c := range text {
		switch {
		case i == boundaryDigits:
			return verdictOf(c == ' ')
		case !('0' <= c && c <= '9' || 'a' <= c && c <= 'f'):
			return no
		}
	}
	return undecided
}

// thenMention matches text after a result tag that is only mentioned in a sentence: punctuation, or a blank and a
// letter.
func thenMention(text []byte) verdict {
	switch {
	case len(text) == 0:
		return undecided
	case !isBlank(text[0]):
		return verdictOf(strings.IndexByte(".,;:)!?", text[0]) >= 0)
	case len(text) == 1:
		return undecided
	}
	return verdictOf('a' <= lower(text[1]) && lower(text[1]) <= 'z')
}

// markAfterResult handles the start of a result that the model has fabricated. The calls after it are built on that result,
// so they do not count.
func (s *sink) markAfterResult() {
	s.afterResult = s.afterResult || s.hasCall && !s.reasoning.inside
}

// fabricatedResults is the grammar of tool results that a model has fabricated: between their own markers, or up
// to the next calls or the end of reasoning. They are neither content nor calls.
func fabricatedResults(ends, next []string) grammar {
	markers := newMarkerList(func() []string { return sortedUnion(ends, next, []string{"</think>"}) })
	return grammar{newBody: func(s *sink, f *frame) body {
		return &fabricatedBody{markerReader: newMarkerReader(markers()), sink: s, closers: ends, startAt: f.at, at: f.bodyAt}
	}}
}

// A fabricatedBody skips fabricated results.
type fabricatedBody struct {
	markerReader
	sink    *sink
	closers []string
	startAt int
	at      int // offset of the next byte
}

func (b *fabricatedBody) write(p []byte) (int, frameEnd) {
	n, _, marker := b.readUntilMarker(p)
	b.at += n
	b.sink.steps += n
	switch {
	case marker == "":
		return n, notYet
	case slices.Contains(b.closers, marker):
		b.report(b.at)
		return n, ended
	}
	b.report(b.at - len(marker))
	b.sink.unread([]byte(marker))
	return n, left
}

func (b *fabricatedBody) close() { b.report(b.at) }

func (b *fabricatedBody) report(end int) {
	f := diag.New(diag.QuotedCall, diag.Bytes(b.startAt, end), "the model fabricated tool results here: they are not part of its text")
	b.sink.report(f)
	b.sink.markAfterResult()
}
