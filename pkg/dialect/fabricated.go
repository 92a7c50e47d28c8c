package dialect

import (
	"slices"

	"oneshot/pkg/diag"
)

// fabricatedResults is the grammar of results that a model has made up: a turn of its tools,
// separator marks of its own, or up to the next calls. Nothing in it is said to the
// forUser, and nothing is a call.
// The lastEnd of reasoning ends them, too.
func fabricatedResults(ends, next []string) grammar {
	marks := newMarkerList(func() []string { return unique(ends, next, []string{"</think>"}) })
	return grammar{newBody: func(s *Scanner, f *frame) body {
		return &fabricatedBody{markerReader: newMarkerReader(marks()), scanner: s, closers: ends, startAt: f.at, at: f.bodyAt}
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
	n, _, mark := b.readUntil(p)
	b.at += n
	b.scanner.steps += n
	switch {
	case mark == "":
		return n, notYet
	case slices.Contains(b.closers, mark):
		b.report(b.at)
		return n, ended
	}
	b.report(b.at - len(mark))
	b.scanner.unread([]byte(mark))
	return n, left
}

func (b *fabricatedBody) close() { b.report(b.at) }

func (b *fabricatedBody) report(end int) {
	f := diag.New(diag.QuotedCall, diag.Bytes(b.startAt, end), "the model has made up results of calls here: they are not a part of what it says")
	b.scanner.report(f)
}
