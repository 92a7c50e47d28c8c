package cmd

import (
	"bytes"
	"slices"

	"github.com/fatih/color"

	"oneshot/pkg/diag"
	"oneshot/pkg/diag/report"
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
