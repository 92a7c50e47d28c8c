package lint

import (
	"bytes"
	"fmt"
	"iter"
	"slices"

	"oneshot/pkg/diag"
)

// maxPasses bounds how often a text is fixed and read again.
const maxPasses = 10

// Fixed is a text after its safe fixes were applied, with the result of reading it again: a
// [ParseResult] or a [FileResult].
type Fixed[R any] struct {
	Original   []byte // before the fixes
	Text       []byte
	Result     R      // of the fixed text
	Applied    int    // number of applied fixes
	Unfinished string // why fixes may remain; "" if none do
}

// Fix applies the safe fixes of all findings in the responses of a file, and repeats that for the
// new findings until none has a safe fix. It drops fixes that would change the executable calls.
func Fix(file string, src []byte, o Options) iter.Seq[Fixed[ParseResult]] {
	return eachResponse(file, src, o, func(r ParseResult) (Fixed[ParseResult], diag.Text) {
		f := fixRecord(r, func(text diag.Text) ParseResult {
			again, _ := o.readNext(file, text)
			again.Record = r.Record
			return again
		})
		return f, diag.Text{Bytes: f.Text, Offset: r.Text.Offset, LinesBefore: r.Text.LinesBefore}
	})
}

// fixRecord fixes one response of a file.
func fixRecord(first ParseResult, read func(diag.Text) ParseResult) Fixed[ParseResult] {
	findings := func(r ParseResult) []diag.Finding { return r.Findings }
	same := func(a, b ParseResult) bool {
		return slices.EqualFunc(a.executableCalls(), b.executableCalls(), isSameCall)
	}
	return fixAll(first.Text, first, read, findings, same)
}

// Fix applies the safe fixes of all findings in a file of one kind, and repeats that for the new
// findings until none has a safe fix.
func (c *Checker) Fix(file string, src []byte, kind Kind) Fixed[FileResult] {
	read := func(text diag.Text) FileResult {
		fresh := NewChecker(c.answers, c.loader, c.missing, c.known)
		fresh.schemas = c.schemas
		return fresh.CheckFile(file, text.Bytes, kind)
	}
	findings := func(v FileResult) []diag.Finding { return v.Findings }
	text := diag.Text{Bytes: src}
	return fixAll(text, read(text), read, findings, func(_, _ FileResult) bool { return true })
}

// fixAll applies safe fixes to a text until no finding has one. First is the result of reading the
// text. A pass is dropped if same reports that it changes the result.
func fixAll[R any](text diag.Text, first R, read func(diag.Text) R, findings func(R) []diag.Finding, same func(a, b R) bool) Fixed[R] {
	f := Fixed[R]{Original: text.Bytes, Text: text.Bytes, Result: first}
	for range maxPasses {
		fixed, applied, err := diag.Apply(string(f.Text), text.LocalFixes(diag.SafeFixes(findings(f.Result))))
		if err != nil {
			f.Unfinished = err.Error()
			return f
		}
		if fixed == string(f.Text) {
			return f
		}
		text.Bytes = []byte(fixed)
		next := read(text)
		if !same(f.Result, next) {
			f.Unfinished = "the remaining fixes would change the executable calls and were not applied"
			return f
		}
		f.Text, f.Result, f.Applied = text.Bytes, next, f.Applied+applied
	}
	if len(diag.SafeFixes(findings(f.Result))) > 0 {
		f.Unfinished = fmt.Sprintf("fixes remain after %d passes", maxPasses)
	}
	return f
}

// executableCalls returns the executable calls.
func (r ParseResult) executableCalls() []Call {
	return slices.DeleteFunc(slices.Clone(r.Calls), func(c Call) bool { return !c.Executable })
}

// isSameCall reports whether two calls do the same, regardless of white space in their arguments.
func isSameCall(a, b Call) bool {
	return a.Name == b.Name && a.ID == b.ID && a.Priority == b.Priority &&
		(bytes.Equal(a.Arguments, b.Arguments) || a.normalizedArguments() == b.normalizedArguments())
}
