package cmd

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
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
// said.
func (t *talk) findings(findings []diag.Finding, sources map[string][]byte) {
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

func (t *talk) paintSeverity(s diag.Severity, text string) string {
	attr := color.FgCyan
	switch s {
	case diag.Error:
		attr = color.FgRed
	case diag.Warning:
		attr = color.FgYellow
	}
	return t.paint(attr, text)
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

	set      *pflag.FlagSet
	reported map[diag.Code]bool
	known    *lint.Baseline  // nil: none
	base     file            // the text of known
	to       *target         // nil: no baseline is written
	present  []lint.Entry    // what is written
	read     map[string]bool // the names of the files that have been counted
}

func (o *findingOptions) flags(f *pflag.FlagSet) {
	o.set = f
	f.StringVar((*string)(&o.failOn), "fail-on", "error", "findings that lead to exit 1: error, warning or never")
	f.BoolVar(&o.strict, "strict", false, "make an error of every warning")
	f.StringArrayVar(&o.selected, "select", nil, "report only findings of a `CODE`, a beginning of codes or a slug, e.g. --select TC3,bad-schema; can be repeated")
	f.StringArrayVar(&o.ignored, "ignore", nil, "do not report findings of a `CODE`, as for --select, over which it wins")
	f.IntVar(&o.most, "max-findings", 0, "print at most `N` findings and count the rest; 0 prints all")
	f.StringVar(&o.baseline, "baseline", "", "`FILE` of findings that are known: they are not reported")
	f.StringVar(&o.writeBaseline, "write-baseline", "", "record what is found in a `FILE` for --baseline, instead of reporting it")
}

// check refuses flags that cannot be meant. It opens nothing.
func (o *findingOptions) check() error {
	if err := o.failOn.check(); err != nil {
		return err
	}
	if o.most < 0 {
		return usagef("0 prints all", "--max-findings: %d is less than 0", o.most)
	}
	for flag, name := range map[string]string{"baseline": o.baseline, "write-baseline": o.writeBaseline} {
		if name == "" && o.set.Changed(flag) {
			return usagef("", "--%s: the name of the file is empty", flag)
		}
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
	hint := "oneshot parse --list-codes lists them"
	if near := schema.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return usagef(hint, "%s: there is no code %q", flag, name)
}

// A subject is a file and what was found in it.
type subject struct {
	file
	calls    []lint.Call
	findings *[]diag.Finding
}

// count leaves in a subject the findings that count, and remembers them where a
// baseline is to be written.
func (o *findingOptions) count(s subject) {
	if o.strict {
		diag.Tighten(*s.findings)
	}
	if o.read == nil {
		o.read = map[string]bool{}
	}
	o.read[filepath.ToSlash(s.name)] = true
	prints := lint.NewFingerprints(s.text)
	*s.findings = slices.DeleteFunc(*s.findings, func(f diag.Finding) bool {
		if !o.reported[f.Code] {
			return true
		}
		if o.known == nil && o.to == nil {
			return false
		}
		e := prints.Entry(f, s.calls)
		if o.to != nil {
			o.present = append(o.present, e)
			return true
		}
		return o.known.Knows(e)
	})
}

// settle writes the baseline, or returns what is wrong with the one that was read,
// when all subjects have been counted.
func (o *findingOptions) settle(t *talk) ([]diag.Finding, error) {
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
func (q *quota) note(t *talk) {
	if q.cut > 0 {
		t.note("%s not printed (--max-findings)", report.Count(q.cut, "more finding"))
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
	return usagef("--fail-on error, warning or never", "--fail-on: unknown value %q", string(t))
}

// reached reports whether any finding is at or above the threshold.
func (t threshold) reached(findings []diag.Finding) bool {
	return t != "never" && len(findings) > 0 && diag.Worst(findings).Rank() >= diag.Severity(t).Rank()
}
