package cmd

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fatih/color"
	"github.com/spf13/pflag"

	"oneshot/pkg/diag"
	"oneshot/pkg/diag/report"
	"oneshot/pkg/lint"
	"oneshot/pkg/schema"
)

// findings shows findings to a person; only errors when nothing else may be
// displayName.
func (t *console) findings(findings []diag.Finding, sources map[string]diag.Text) {
	if t.quiet {
		findings = slices.DeleteFunc(slices.Clone(findings), func(f diag.Finding) bool { return f.Severity != diag.Error })
	}
	if t.format == "json" {
		for _, f := range findings {
			t.logFinding(f)
		}
		return
	}
	var text bytes.Buffer
	_ = report.Text(&text, findings, sources, t.paintSeverity) // a buffer takes everything
	_, _ = text.WriteTo(t.err)                                 // there is nobody left to tell
}

func (t *console) paintSeverity(s diag.Severity, text string) string {
	attr := color.FgCyan
	switch s {
	case diag.Error:
		attr = color.FgRed
	case diag.Warning:
		attr = color.FgYellow
	}
	return t.colorize(attr, text)
}

// findingOptions are the flags that say which findings count and how many are
// printed.
type findingOptions struct {
	failOn        threshold
	strict        bool
	selected      []string
	ignored       []string
	most          int
	baseline      string
	writeBaseline string

	print    bool // the fingerprints are
	reported map[diag.Code]bool
	known    *lint.Baseline  // nil: none
	base     file            // the text of known
	to       *outputFile     // nil: no baseline is written
	present  []lint.BaselineEntry    // what is written
	read     map[string]bool // the names of the files that have been counted
	prints   *lint.Fingerprints
	number   int // of the file that those are of
}

func (o *findingOptions) flags(f *pflag.FlagSet) {
	f.StringVar((*string)(&o.failOn), "fail-on", "error", "exit 1 on findings of this severity or worse: error, warning or never")
	f.BoolVar(&o.strict, "strict", false, "treat warnings as errors")
	f.StringArrayVar(&o.selected, "select", nil, "report only findings that match `CODE`: a code, code prefix, slug or family (repeatable), e.g. --select TC3,bad-schema,security")
	f.StringArrayVar(&o.ignored, "ignore", nil, "suppress findings that match `CODE`, even if --select matches (repeatable)")
	f.IntVar(&o.most, "max-findings", 0, "print at most `N` findings and count the rest (0: print all)")
	f.StringVar(&o.baseline, "baseline", "", "suppress the known findings in `FILE`")
	f.StringVar(&o.writeBaseline, "write-baseline", "", "write the findings to `FILE` for --baseline instead of reporting them")
}

// check refuses flags that cannot be meant, with a format for the report. It opens nothing.
func (o *findingOptions) check(format string) error {
	if err := checkFormat(format, reportFormats...); err != nil {
		return err
	}
	o.print = format == "sarif"
	if err := o.failOn.check(); err != nil {
		return err
	}
	if o.most < 0 {
		return usagef("0 prints all", "--max-findings: %d is less than 0", o.most)
	}
	return o.choose()
}

// choose finds out which codes are reported.
func (o *findingOptions) choose() error {
	selected, err := codesFlag("--select", o.selected)
	if err != nil {
		return err
	}
	ignored, err := codesFlag("--ignore", o.ignored)
	if err != nil {
		return err
	}
	o.reported = map[diag.Code]bool{}
	for _, r := range diag.Rules {
		o.reported[r.Code] = (len(selected) == 0 || selected[r.Code]) && !ignored[r.Code]
	}
	return nil
}

// codesFlag returns the codes that the values of a flag name.
func codesFlag(flag string, values []string) (map[diag.Code]bool, error) {
	codes := map[diag.Code]bool{}
	for _, value := range values {
		for name := range strings.SplitSeq(value, ",") {
			name = strings.TrimSpace(name)
			named := diag.Named(name)
			if len(named) == 0 {
				return nil, unknownCode(flag, name)
			}
			for _, c := range named {
				codes[c] = true
			}
		}
	}
	return codes, nil
}

// unknownCode says that a flag names no code.
func unknownCode(flag, name string) error {
	var names []string
	for _, r := range diag.Rules {
		names = append(names, string(r.Code), r.Slug)
	}
	for _, f := range diag.Families {
		names = append(names, f.Name)
	}
	hint := cmp.Or(schema.DidYouMean(name, names), "oneshot parse --list-codes lists them")
	return usagef(hint, "%s: unknown code %q", flag, name)
}

// A subject is what findings are about: a file or a part of one.
type subject struct {
	number   int // of the file; its parts come one after the other
	name     string
	text     diag.Text
	calls    []lint.Call
	findings *[]diag.Finding
}

// remembers reports whether what counts depends on what has been counted.
func (o *findingOptions) remembers() bool { return o.known != nil || o.to != nil || o.print }

// count leaves in a subject the findings that count, and remembers them where a
// baseline is to be written.
func (o *findingOptions) count(s subject) {
	if o.strict {
		diag.WarningsToErrors(*s.findings)
	}
	*s.findings = slices.DeleteFunc(*s.findings, func(f diag.Finding) bool { return !o.reported[f.Code] })
	if o.remembers() {
		o.compare(s)
	}
}

// compare leaves in a subject the findings that are not known, with their fingerprints.
func (o *findingOptions) compare(s subject) {
	if o.read == nil {
		o.read = map[string]bool{}
	}
	o.read[lint.CleanFileName(s.name)] = true
	if o.prints == nil || o.number != s.number {
		o.prints, o.number = lint.NewFingerprints(), s.number
	}
	o.prints.SetText(s.text)
	kept := (*s.findings)[:0]
	for _, f := range *s.findings {
		e := o.prints.Entry(f, s.calls)
		f.Fingerprint = e.Fingerprint
		switch {
		case o.to != nil:
			o.present = append(o.present, e)
		case o.known == nil || !o.known.Match(e):
			kept = append(kept, f)
		}
	}
	*s.findings = kept
}

// settle writes the baseline, or returns what is wrong with the one that was read,
// when all subjects have been counted.
func (o *findingOptions) settle(t *console) ([]diag.Finding, error) {
	if o.to != nil {
		return nil, o.record(t)
	}
	return o.unused(), nil
}

// A quota bounds how many findings are printed.
type quota struct {
	most int // 0: there is no bound
	left int
	cut  int // findings that were not printed
}

func (o *findingOptions) quota() *quota { return &quota{most: o.most, left: o.most} }

// take returns the findings that may be printed, and how many may not.
func (q *quota) take(findings []diag.Finding) (shown []diag.Finding, cut int) {
	if q.most == 0 {
		return findings, 0
	}
	n := min(q.left, len(findings))
	q.left -= n
	q.cut += len(findings) - n
	return findings[:n], len(findings) - n
}

// rest says how many findings were not printed. The writer remembers its error.
func (q *quota) rest(w io.Writer) {
	if q.cut > 0 {
		fmt.Fprintf(w, "… and %s\n", report.Count(q.cut, "more finding"))
	}
}

// note says the same to a person, beside a report that has no room for it.
func (q *quota) note(t *console) {
	if q.cut > 0 {
		t.note("%s not printed (--max-findings)", report.Count(q.cut, "more finding"))
	}
}

// printFixable says how many of the findings --fix would mend. The writer remembers its
// error.
func printFixable(w io.Writer, n int) {
	if n > 0 {
		fmt.Fprintf(w, "%d of these can be fixed with --fix\n", n)
	}
}

// A threshold says which findings make a command's verdict no.
type threshold string

// check refuses a --fail-on that is none of the known ones.
func (t threshold) check() error {
	switch t {
	case "error", "warning", "never":
		return nil
	}
	return usagef("use --fail-on error, warning or never", "--fail-on: unknown value %q", string(t))
}

// reached reports whether any finding is at or above the threshold.
func (t threshold) reached(found diag.Tally) bool {
	return t != "never" && found != diag.Tally{} && found.Worst().Rank() >= diag.Severity(t).Rank()
}
