package cmd

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"oneshot/pkg/diag"
	"oneshot/pkg/lint"
)

// checkFix refuses what cannot go together with --fix of a command that reads files of
// that name.
func checkFix(what, format string, args []string) error {
	switch {
	case format != "text":
		return usagef("without --format", "--fix prints the text of the %s, no report", what)
	case len(args) > 1:
		return usagef("one FILE at a time", "--fix prints the text of one file, and there are %d", len(args))
	}
	return nil
}

// checkFix refuses what cannot go together with --fix.
func (o *parseOptions) checkFix(args []string) error {
	switch {
	case !o.fix:
		return nil
	case o.findings.strict:
		return usagef("without --strict", "--fix makes the repairs that --strict does not allow")
	}
	return checkFix("response", o.format, args)
}

// A fixReport is what is said while a file with its safe fixes made is printed.
type fixReport struct {
	*parseOptions
	quota *quota
	out   heldOutput
	made  int
	tally diag.Tally
}

// printFixed writes a file with its safe fixes made to stdout, and says what is left to
// mend.
func (o *parseOptions) printFixed(ctx context.Context, args []string, options lint.Options) error {
	fixes := o.fixer(options)
	report := &fixReport{parseOptions: o, quota: o.findings.quota(), out: heldOutput{w: o.console.out, most: heldBytes}}
	work := func(p piece) fixedPiece { return fixedPiece{p, slices.Collect(fixes(p))} }
	if err := inOrder(ctx, o.pieces(args, options), work, report.take); err != nil {
		return err
	}
	if err := report.out.flush(); err != nil {
		return err
	}
	report.quota.note(o.console)
	o.console.note("safe fixes made: %d", report.made)
	return o.judge(report.tally)
}

// A fixedPiece is a piece of a file after its fixes have been made.
type fixedPiece struct {
	piece
	fixed []lint.Fixed[lint.Record]
}

// fixer returns what fixes the responses in a piece of a file.
func (o *parseOptions) fixer(options lint.Options) func(piece) iter.Seq[lint.Fixed[lint.Record]] {
	records := lint.NewRecords(o.fields, options)
	return func(p piece) iter.Seq[lint.Fixed[lint.Record]] {
		if o.fields.Response != "" || p.Records {
			return records.Fix(p.name, p.Chunk)
		}
		return lint.Fix(p.name, p.Bytes, options)
	}
}

// take prints what has been fixed, and what is left.
func (p *fixReport) take(b fixedPiece) error {
	switch {
	case b.Cut:
		return &inputError{fmt.Errorf("%s: line %d is too long to be printed", displayName(b.name), b.Before+1)}
	case p.fields.Response == "" && (b.record != nil || lint.IsRun(b.Bytes)):
		return usagef("without --fix, what is wrong in it is shown", "--fix: %s is a run file, which nobody may change", displayName(b.name))
	}
	for _, f := range b.fixed {
		if err := p.console.deliverFixed(f.Text); err != nil {
			return err
		}
		if f.Read.File != "" {
			p.say(b.number, f)
		}
	}
	return nil
}

// say says what is left to mend in a record.
func (p *fixReport) say(number int, f lint.Fixed[lint.Record]) {
	r := &f.Read
	p.findings.sayLeft(p.console, p.quota, subject{number, r.File, r.Text, r.Calls, &r.Findings})
	p.tally, p.made = p.tally.Add(diag.TallyOf(r.Findings)), p.made+f.Made
	if f.Open != "" {
		p.console.note("%s: not all is fixed: %s", title(r), f.Open)
	}
}

// sayLeft says what is left to mend in a text that has been fixed.
func (o *findingOptions) sayLeft(t *console, quota *quota, s subject) {
	o.count(s)
	shown, _ := quota.take(*s.findings)
	t.findings(shown, map[string]diag.Text{s.name: s.text})
}
