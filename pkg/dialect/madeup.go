package dialect

import (
	"slices"

	"oneshot/pkg/diag"
)

// madeUp is the grammar of results that a model has made up: a turn of its tools,
// between marks of its own, or up to the next calls. Nothing in it is said to the
// user, and nothing is a call.
// The end of reasoning ends them, too.
func madeUp(ends, next []string) grammar {
	marks := newMarkList(func() []string { return unique(ends, next, []string{"</think>"}) })
	return grammar{body: func(s *Scanner, f *frame) body {
		return &madeUpBody{upTo: newUpTo(marks()), scanner: s, ends: ends, from: f.at, at: f.begin}
	}}
}

// A madeUpBody passes over made-up results.
type madeUpBody struct {
	upTo
	scanner *Scanner
	ends    []string
	from    int // where they begin
	at      int // offset of what comes next
}

func (b *madeUpBody) write(p []byte) (int, ending) {
	n, _, mark := b.next(p)
	b.at += n
	b.scanner.steps += n
	switch {
	case mark == "":
		return n, notYet
	case slices.Contains(b.ends, mark):
		b.report(b.at)
		return n, ended
	}
	b.report(b.at - len(mark))
	b.scanner.readAgain([]byte(mark))
	return n, left
}

func (b *madeUpBody) close() { b.report(b.at) }

func (b *madeUpBody) report(end int) {
	f := diag.New(diag.QuotedCall, diag.Bytes(b.from, end), "the model has made up results of calls here: they are not a part of what it says")
	b.scanner.find(f)
}
