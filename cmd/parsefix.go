package cmd

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"oneshot/pkg/diag"
	"oneshot/pkg/lint"
)

// checkFix refuses flags and arguments that the flags about fixes exclude.
func (o *parseOptions) checkFix(args []string) error {
	if o.fix.on && o.findings.strict {
		return usagef("omit --strict", "--fix cannot be combined with --strict, which allows no repairs")
	}
	return o.fix.check("response", o.format, args)
}

// A fixReport counts the fixes of responses, and prints the remaining findings.
type fixReport struct {
	*parseOptions
	fixes func(piece) iter.Seq[lint.Fixed[lint.ParseResult]]
	quota *quota
	made  int
	tally diag.Tally
}

// applyFixes applies the safe fixes in files, and prints the remaining findings on stderr.
func (o *parseOptions) applyFixes(ctx context.Context, names []string, options lint.Options) error {
	report := &fixReport{parseOptions: o, fixes: o.fixer(options), quota: o.findings.quota()}
	failed, err := fixEach(ctx, o.console, names, func(number int, name string) error {
		return report.fixFile(ctx, number, name, o.piecesOf(name, options))
	})
	if err != nil {
		return err
	}
	if failed != nil && len(names) == 1 {
		return failed
	}
	report.quota.note(o.console)
	o.fix.noteTotal(o.console, report.made)
	if failed != nil {
		return failed
	}
	return o.thresholdError(report.tally)
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

// A fixedPiece is a piece of a file with its fixes applied.
type fixedPiece struct {
	piece
	fixed []lint.Fixed[lint.ParseResult]
}

// fixFile applies the safe fixes in a file.
func (p *fixReport) fixFile(ctx context.Context, number int, name string, pieces iter.Seq2[piece, error]) error {
	out, err := p.fix.output(p.console, name)
	if err != nil {
		return err
	}
	defer out.discard()
	work := func(b piece) fixedPiece {
		b.number, b.name = number, name
		return fixedPiece{b, slices.Collect(p.fixes(b))}
	}
	made := 0
	take := func(b fixedPiece) error {
		for _, f := range b.fixed {
			made += f.Applied
		}
		return p.take(b, out)
	}
	if err := mapOrdered(ctx, pieces, work, take); err != nil {
		return err
	}
	if err := out.finish(made); err != nil {
		return err
	}
	p.made += made
	return nil
}

// take passes a fixed piece to the output, and prints its remaining findings.
func (p *fixReport) take(b fixedPiece, out fixOutput) error {
	switch {
	case b.Truncated:
		return &inputError{fmt.Errorf("%s: line %d is too long for --fix", displayName(b.name), b.LinesBefore+1)}
	case b.record != nil || p.mustKeepRunFiles() && b.LinesBefore == 0 && lint.IsRunFile(b.Bytes):
		return usagef("omit --fix to see its findings", "--fix: %s is a run file, which must not change", displayName(b.name))
	}
	for _, f := range b.fixed {
		if err := out.add(f.Original, f.Text); err != nil {
			return err
		}
		if f.Result.File != "" {
			p.printUnfixed(b.number, f)
		}
	}
	return nil
}

// mustKeepRunFiles reports whether run files are refused. With --field a file is records like any other, whose text is
// printed, but the checksums of a run file do not survive a change.
func (p *fixReport) mustKeepRunFiles() bool { return p.fields.Response == "" || p.fix.canFixSeveral() }

// printUnfixed prints the remaining findings of a record.
func (p *fixReport) printUnfixed(number int, f lint.Fixed[lint.ParseResult]) {
	r := &f.Result
	p.findings.printUnfixed(p.console, p.quota, subject{number, r.File, r.Text, r.Calls, &r.Findings})
	p.tally = p.tally.Add(diag.TallyOf(r.Findings))
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
