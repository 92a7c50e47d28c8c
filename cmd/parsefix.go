package cmd

import (
	"fmt"
	"io"

	"oneshot/pkg/diag"
	"oneshot/pkg/lint"
)

// checkFix refuses what cannot go together with --fix.
func (o *parseOptions) checkFix(args []string) error {
	switch {
	case !o.fix:
		return nil
	case o.findings.strict:
		return usagef("without --strict", "--fix makes the repairs that --strict does not allow")
	case o.format != "text":
		return usagef("without --format", "--fix prints the text of the response, no report")
	case len(args) > 1:
		return usagef("one FILE at a time", "--fix prints the text of one response, and there are %d", len(args))
	}
	return nil
}

// printFixed writes a response with its safe fixes made to stdout, and says what is
// left to mend.
func (o *parseOptions) printFixed(f file, options lint.Options) error {
	fixed := lint.Fix(f.name, f.text, options)
	if _, err := o.talk.out.Write(fixed.Text); err != nil {
		return err
	}
	after := file{f.name, fixed.Text}
	o.findings.count(subject{after, fixed.Record.Calls, &fixed.Record.Findings})
	quota := o.findings.quota()
	shown, _ := quota.take(fixed.Record.Findings)
	o.talk.findings(shown, after.source())
	quota.note(o.talk)
	o.talk.note("safe fixes made: %d", fixed.Made)
	if fixed.Open != "" {
		o.talk.note("not all is fixed: %s", fixed.Open)
	}
	return o.judge([]lint.Record{fixed.Record})
}

// printFixable says how many findings --fix would mend.
func printFixable(w io.Writer, records []lint.Record) {
	fixable := 0
	for _, r := range records {
		fixable += len(diag.SafeFixes(r.Findings))
	}
	if fixable > 0 {
		fmt.Fprintf(w, "%d of these can be fixed with --fix\n", fixable)
	}
}
