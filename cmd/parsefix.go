package cmd

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"

	"oneshot/pkg/diag"
	"oneshot/pkg/lint"
)

// checkFix refuses formats and arguments that --fix excludes. The first parameter names the files in errors.
func checkFix(what, format string, args []string) error {
	switch {
	case format != "text":
		return usagef("omit --format", "--fix cannot be combined with --format %s: it prints the text of the %s", format, what)
	case len(args) > 1:
		return usagef("name one FILE", "--fix takes one file, got %d", len(args))
	}
	return nil
}

// checkFix refuses flags and arguments that --fix excludes.
func (o *parseOptions) checkFix(args []string) error {
	switch {
	case !o.fix:
		return nil
	case o.findings.strict:
		return usagef("omit --strict", "--fix cannot be combined with --strict, which allows no repairs")
	}
	return checkFix("response", o.format, args)
}

// A fixReport prints a file with safe fixes applied.
type fixReport struct {
	*parseOptions
	quota *quota
	out   bufferedOutput
	made  int
	tally diag.Tally
}

// printFixed prints a file with safe fixes applied, and the remaining findings on stderr.
func (o *parseOptions) printFixed(ctx context.Context, args []string, options lint.Options) error {
	fixes := o.fixer(options)
	report := &fixReport{parseOptions: o, quota: o.findings.quota(), out: bufferedOutput{w: o.console.out, most: bufferedBytes}}
	work := func(p piece) fixedPiece { return fixedPiece{p, slices.Collect(fixes(p))} }
	if err := mapOrdered(ctx, o.pieces(args, options), work, report.take); err != nil {
		return err
	}
	if err := report.out.flush(); err != nil {
		return err
	}
	report.quota.note(o.console)
	o.console.note("safe fixes applied: %d", report.made)
	return o.thresholdError(report.tally)
}

// A fixedPiece is a piece of a file with its fixes applied.
type fixedPiece struct {
	piece
	fixed []lint.Fixed[lint.ParseResult]
}

// fixer returns a function that fixes the responses in a piece of a file.
func (o *parseOptions) fixer(options lint.Options) func(piece) iter.Seq[lint.Fixed[lint.ParseResult]] {
	records := lint.NewRecordReader(o.fields, options)
	return func(p piece) iter.Seq[lint.Fixed[lint.ParseResult]] {
		if o.fields.Response != "" || p.Records {
			return records.Fix(p.name, p.Chunk)
		}
		return lint.Fix(p.name, p.Bytes, options)
	}
}

// take prints a fixed piece and its remaining findings.
func (p *fixReport) take(b fixedPiece) error {
	switch {
	case b.Truncated:
		return &inputError{fmt.Errorf("%s: line %d is too long to print", displayName(b.name), b.LinesBefore+1)}
	case p.fields.Response == "" && (b.record != nil || lint.IsRunFile(b.Bytes)):
		return usagef("omit --fix to see its findings", "--fix: %s is a run file, which must not change", displayName(b.name))
	}
	for _, f := range b.fixed {
		if _, err := io.WriteString(&p.out, p.console.verbatim(f.Text)); err != nil {
			return err
		}
		if f.Result.File != "" {
			p.printUnfixed(b.number, f)
		}
	}
	return nil
}

// printUnfixed prints the remaining findings of a record.
func (p *fixReport) printUnfixed(number int, f lint.Fixed[lint.ParseResult]) {
	r := &f.Result
	p.findings.printUnfixed(p.console, p.quota, subject{number, r.File, r.Text, r.Calls, &r.Findings})
	p.tally, p.made = p.tally.Add(diag.TallyOf(r.Findings)), p.made+f.Applied
	if f.Unfinished != "" {
		p.console.note("%s: partly fixed: %s", recordTitle(r), f.Unfinished)
	}
}

// printUnfixed prints the remaining findings of a fixed text.
func (o *findingOptions) printUnfixed(t *console, quota *quota, s subject) {
	o.filterReported(s)
	shown, _ := quota.take(*s.findings)
	t.findings(shown, map[string]diag.Text{s.name: s.text})
}
