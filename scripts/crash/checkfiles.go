//go:build unix

package main

import (
	"slices"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/runfile"
)

// checkFinalFiles checks that the records are in order, that the file of -o has its old or its new content, and
// that no other file is left.
func (j *judgement) checkFinalFiles() {
	if j.s.broken != "" {
		j.addViolation(unfit, "the run file was damaged: %s", j.s.broken)
	}
	for _, f := range runfile.Findings("run.jsonl", j.log, nil) {
		if f.Severity.Rank() >= diag.Warning.Rank() && !(f.Code == diag.RunTorn && j.s.last().hasNoRecord()) {
			j.addViolation(unfit, "%s: %s", f.Code, f.Message)
		}
	}
	for i, l := range j.s.legs {
		if l.file != fileBefore && l.file != j.w.whole {
			j.addViolation(unfit, "leg %d: the file of -o holds %q", i+1, l.file)
		}
		if l.exit == exitOK && l.place != "" && isFaultFatalToRun(l.place) && !l.hasUnrecordedEndWarning() {
			j.addViolation(unfit, "leg %d: exit 0 with a fault at %q", i+1, l.place)
		}
		if line := repeatedLine(l.stderr); line != "" {
			j.addViolation(unfit, "leg %d: stderr says twice: %s", i+1, line)
		}
		if l.exit > 0 && l.exit != exitIO && l.exit != exitUnknown && l.place != "" && isFaultFatalToRun(l.place) {
			j.addViolation(unfit, "leg %d: exit %d with a fault at %q: %s", i+1, l.exit, l.place, l.stderr)
		}
	}
	end, _ := j.lastLegs()
	for name, content := range j.files {
		if end.exit == exitOK && isTempFile(name) && content != j.w.whole && !j.s.tools {
			j.addViolation(unfit, "%s was left", name)
		}
	}
	if t := j.log.Torn; t != nil && end.exit == exitOK && !end.hasUnrecordedEndWarning() {
		j.addViolation(unfit, "the run file is torn: %s", t.Why)
	}
}

// repeatedLine returns a line of stderr that equals an earlier line or its end, or "".
func repeatedLine(stderr string) string {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	for i, line := range lines {
		if slices.ContainsFunc(lines[:i], func(before string) bool { return strings.HasSuffix(before, line) }) {
			return line
		}
	}
	return ""
}

// isFaultFatalToRun reports whether a fault at a failpoint ends the run. Faults in tools do not, nor does a file
// system without unnamed files.
func isFaultFatalToRun(place string) bool {
	return !strings.Contains(place, "temp file") && !strings.HasSuffix(place, "folder") && !strings.Contains(place, "link")
}

// isTempFile reports whether a file is a temporary file of a tool or of -o. A complete one of -o can be left: it
// exists between getting a name and being renamed.
func isTempFile(name string) bool {
	return strings.HasPrefix(name, "out/.") || strings.HasPrefix(name, "work/") && strings.Contains(name, "/.")
}
