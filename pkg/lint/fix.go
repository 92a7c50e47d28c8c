package lint

import (
	"bytes"
	"fmt"
	"iter"
	"slices"

	"oneshot/pkg/diag"
)

// maxPasses is how often a text is fixed and read again.
const maxPasses = 10

// A Fixed is a text after its safe fixes have been made, and what was read in it:
// a [Record] or a [Verdict].
type Fixed[R any] struct {
	Text []byte
	Read R      // in the text as it is now
	Made int    // how many fixes were made
	Open string // why there may be more to fix; "" if there is not
}

// Fix makes the safe fixes of all findings in the responses of a file, and those of what
// is found then, until there are none. What is executable stays the same: fixes that would
// change it are not made.
func Fix(file string, src []byte, o Options) iter.Seq[Fixed[Record]] {
	return inARow(file, src, o, func(r Record) (Fixed[Record], diag.Text) {
		f := fixRecord(r, func(text diag.Text) Record {
			again, _ := o.next(file, text)
			again.Record = r.Record
			return again
		})
		return f, diag.Text{Bytes: f.Text, Offset: r.Text.Offset, Before: r.Text.Before}
	})
}

// fixRecord fixes what was read in some lines of a file.
func fixRecord(first Record, read func(diag.Text) Record) Fixed[Record] {
	findings := func(r Record) []diag.Finding { return r.Findings }
	same := func(a, b Record) bool { return slices.EqualFunc(a.executable(), b.executable(), sameCall) }
	return fix(first.Text, first, read, findings, same)
}

// Fix makes the safe fixes of all findings in a file of one kind, and those of what is
// found then, until there are none.
func (c *Checker) Fix(file string, src []byte, kind Kind) Fixed[Verdict] {
	read := func(text diag.Text) Verdict {
		alone := NewChecker(c.answers, c.loader, c.missing, c.known)
		alone.schemas = c.schemas
		return alone.File(file, text.Bytes, kind)
	}
	findings := func(v Verdict) []diag.Finding { return v.Findings }
	text := diag.Text{Bytes: src}
	return fix(text, read(text), read, findings, func(_, _ Verdict) bool { return true })
}

// fix makes safe fixes in a text, of which first was read, until there are none among the
// findings of what is read. A pass after which that is not the same as before is not made.
func fix[R any](text diag.Text, first R, read func(diag.Text) R, findings func(R) []diag.Finding, same func(a, b R) bool) Fixed[R] {
	f := Fixed[R]{Text: text.Bytes, Read: first}
	for range maxPasses {
		fixed, made, err := diag.Apply(string(f.Text), text.Inside(diag.SafeFixes(findings(f.Read))))
		if err != nil {
			f.Open = err.Error()
			return f
		}
		if fixed == string(f.Text) {
			return f
		}
		text.Bytes = []byte(fixed)
		next := read(text)
		if !same(f.Read, next) {
			f.Open = "the fixes that are left would change what is executed, and are not made"
			return f
		}
		f.Text, f.Read, f.Made = text.Bytes, next, f.Made+made
	}
	if len(diag.SafeFixes(findings(f.Read))) > 0 {
		f.Open = fmt.Sprintf("after %d passes there are still fixes to make", maxPasses)
	}
	return f
}

// executable returns the calls that would be run.
func (r Record) executable() []Call {
	return slices.DeleteFunc(slices.Clone(r.Calls), func(c Call) bool { return !c.Executable })
}

// sameCall reports whether two calls do the same, however their arguments are spaced.
func sameCall(a, b Call) bool {
	return a.Name == b.Name && a.ID == b.ID && a.Priority == b.Priority &&
		(bytes.Equal(a.Arguments, b.Arguments) || a.normal() == b.normal())
}
