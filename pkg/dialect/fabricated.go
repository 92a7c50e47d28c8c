package dialect

import (
	"slices"

	"oneshot/pkg/diag"
)

// fabricatedResults is the grammar of results that a model has made up: a turn of its tools,
// between markers of its own, or up to the next calls. Nothing in it is said to the
// user, and nothing is a call.
// The end of reasoning ends them as well.
func fabricatedResults(ends, next []string) grammar {
	markers := newMarkerList(func() []string { return unique(ends, next, []string{"</think>"}) })
	return grammar{newBody: func(s *Scanner, f *frame) body {
		return &fabricatedBody{markerReader: newMarkerReader(markers()), scanner: s, closers: ends, startAt: f.at, at: f.bodyAt}
	}}
}

// A fabricatedBody passes over made-up results.
type fabricatedBody struct {
	markerReader
	scanner *Scanner
	closers []string
	startAt int // where they begin
	at      int // offset of what comes next
}

func (b *fabricatedBody) write(p []byte) (int, frameEnd) {
	n, _, marker := b.readUntil(p)
	b.at += n
	b.scanner.steps += n
	switch {
	case marker == "":
		return n, notYet
	case slices.Contains(b.closers, marker):
		b.report(b.at)
		return n, ended
	}
	b.report(b.at - len(marker))
	b.scanner.unread([]byte(marker))
	return n, left
}

func (b *fabricatedBody) close() { b.report(b.at) }

func (b *fabricatedBody) report(end int) {
	f := diag.New(diag.QuotedCall, diag.Bytes(b.startAt, end), "the model fabricated tool results here: they are not part of its text")
	b.scanner.report(f)
}
