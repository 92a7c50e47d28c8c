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

// findings prints findings on stderr; with --quiet only errors.
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
	_ = report.Text(&text, findings, sources, t.findingStyle(onStderr)) // a buffer takes everything
	_, _ = text.WriteTo(t.err)                                          // there is nowhere to report an error
}

// findingStyle returns the look of findings on a stream.
func (t *console) findingStyle(s termStream) report.Style {
	style := report.Style{Columns: t.columnsOf(s)}
	if t.hasColor(s) {
		style.Paint = paintSeverity
	}
	return style
}

// paintSeverity is a [report.Painter].
func paintSeverity(s diag.Severity, text string) string {
	attr := color.FgCyan
	switch s {
	case "":
		attr = color.Bold
	case diag.Error:
		attr = color.FgRed
	case diag.Warning:
		attr = color.FgYellow
	}
	return colored(attr, text)
}

// findingOptions are the flags that select findings and limit their number.
type findingOptions struct {
	failOn        threshold
	strict        bool
	selected      []string
	ignored       []string
	most          int
	baseline      string
	writeBaseline string

	print    bool // print fingerprints
	reported map[diag.Code]bool
	known    *lint.Baseline       // nil: none
	base     file                 // the text of known
	to       *outputFile          // nil: no baseline is written
	present  []lint.BaselineEntry // the entries of the new baseline
	read     map[string]bool      // the names of the files that have been counted
	prints   *lint.Fingerprinter
	number   int // of the file that prints belongs to
}

func (o *findingOptions) flags(f *pflag.FlagSet) {
	f.StringVar((*string)(&o.failOn), "fail-on", "error", "exit 1 on findings of `SEVERITY` or worse: error, warning or never")
	f.BoolVar(&o.strict, "strict", false, "treat warnings as errors")
	f.StringArrayVar(&o.selected, "select", nil, "report only findings that match `CODE`: a code, code prefix, slug or family (repeatable), e.g. --select TC3,bad-schema,security")
	f.StringArrayVar(&o.ignored, "ignore", nil, "suppress findings that match `CODE`, even if --select matches (repeatable)")
	f.IntVar(&o.most, "max-findings", 0, "print at most `N` findings and count the rest (0: print all)")
	f.StringVar(&o.baseline, "baseline", "", "suppress the known findings in `FILE`")
	f.StringVar(&o.writeBaseline, "write-baseline", "", "write the findings to `FILE` for --baseline instead of reporting them")
}

// check refuses invalid flags and formats. It opens nothing.
func (o *findingOptions) check(format string) error {
	if err := checkFormat(format, reportFormats...); err != nil {
		return err
	}
	o.print = format == "sarif"
	if err := o.failOn.check(); err != nil {
		return err
	}
	if o.most < 0 {
		return usagef("use 0 to print all", "--max-findings must be at least 0, got %d", o.most)
	}
	return o.selectCodes()
}

// selectCodes computes the reported codes.
func (o *findingOptions) selectCodes() error {
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

// codesFlag returns the codes that match the values of a flag.
func codesFlag(flag string, values []string) (map[diag.Code]bool, error) {
	codes := map[diag.Code]bool{}
	for _, value := range values {
		for name := range strings.SplitSeq(value, ",") {
			name = strings.TrimSpace(name)
			named := diag.CodesByName(name)
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

// unknownCode is the error for a flag value that matches no code.
func unknownCode(flag, name string) error {
	var names []string
	for _, r := range diag.Rules {
		names = append(names, string(r.Code), r.Slug)
	}
	for _, f := range diag.Families {
		names = append(names, f.Name)
	}
	hint := cmp.Or(schema.DidYouMean(name, names), "see oneshot parse --list-codes")
	return usagef(hint, "%s: unknown code %q", flag, name)
}

// A subject is the file, or part of one, that findings are about.
type subject struct {
	number   int // of the file; its parts are consecutive
	name     string
	text     diag.Text
	calls    []lint.Call
	findings *[]diag.Finding
}

// isStateful reports whether the result for a subject depends on earlier subjects.
func (o *findingOptions) isStateful() bool { return o.known != nil || o.to != nil || o.print }

// filterReported removes unreported findings from a subject, and collects the rest for a new baseline.
func (o *findingOptions) filterReported(s subject) {
	if o.strict {
		diag.WarningsToErrors(*s.findings)
	}
	*s.findings = slices.DeleteFunc(*s.findings, func(f diag.Finding) bool { return !o.reported[f.Code] })
	if o.isStateful() {
		o.applyBaseline(s)
	}
}

// applyBaseline sets the fingerprints of findings and removes those in the baseline.
func (o *findingOptions) applyBaseline(s subject) {
	if o.read == nil {
		o.read = map[string]bool{}
	}
	o.read[lint.CleanFileName(s.name)] = true
	if o.prints == nil || o.number != s.number {
		o.prints, o.number = lint.NewFingerprinter(), s.number
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

// finishBaseline writes the new baseline, or returns findings about the old one, after all subjects.
func (o *findingOptions) finishBaseline(t *console) ([]diag.Finding, error) {
	if o.to != nil {
		return nil, o.writeBaselineFile(t)
	}
	return o.staleEntries(), nil
}

// A quota limits the number of printed findings.
type quota struct {
	most int // 0: no limit
	left int
	cut  int // the number of findings not printed
}

func (o *findingOptions) quota() *quota { return &quota{most: o.most, left: o.most} }

// take returns the findings to print, and the others.
func (q *quota) take(findings []diag.Finding) (shown, cut []diag.Finding) {
	if q.most == 0 {
		return findings, nil
	}
	n := min(q.left, len(findings))
	q.left -= n
	q.cut += len(findings) - n
	return findings[:n], findings[n:]
}

// printRest prints the number of findings not printed. The writer keeps its error.
func (q *quota) printRest(w io.Writer) {
	if q.cut > 0 {
		fmt.Fprintf(w, "… and %s\n", report.Count(q.cut, "more finding"))
	}
}

// note prints the same on stderr, for report formats without a place for it.
func (q *quota) note(t *console) {
	if q.cut > 0 {
		t.note("%s not printed (--max-findings)", report.Count(q.cut, "more finding"))
	}
}

// printFixable prints the number of findings that --fix can fix. The writer keeps its error.
func printFixable(w io.Writer, n int) {
	if n > 0 {
		fmt.Fprintf(w, "%d of these can be fixed with --fix\n", n)
	}
}

// A threshold is the severity from which findings lead to exit 1.
type threshold string

// check refuses an unknown --fail-on.
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
