//go:build unix

package main

import (
	"slices"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/runfile"
)

// checkFinalFiles: the record is in order, the file of -o is the old one or the new one, and nothing lies about.
func (j *judgement) checkFinalFiles() {
	if j.s.broken != "" {
		j.addCharge(unfit, "the run file was damaged: %s", j.s.broken)
	}
	for _, f := range runfile.Findings("run.jsonl", j.log, nil) {
		if f.Severity.Rank() >= diag.Warning.Rank() && !(f.Code == diag.RunTorn && j.s.last().hasNoRecord()) {
			j.addCharge(unfit, "%s: %s", f.Code, f.Message)
		}
	}
	for i, l := range j.s.legs {
		if l.file != fileBefore && l.file != j.w.whole {
			j.addCharge(unfit, "leg %d: the file of -o holds %q", i+1, l.file)
		}
		if l.exit == exitOK && l.place != "" && isFatalPlace(l.place) && !l.hasUnrecordedEnd() {
			j.addCharge(unfit, "leg %d: exit 0 with a fault at %q", i+1, l.place)
		}
		if line := repeatedLine(l.stderr); line != "" {
			j.addCharge(unfit, "leg %d: stderr says twice: %s", i+1, line)
		}
		if l.exit > 0 && l.exit != exitIO && l.exit != exitUnknown && l.place != "" && isFatalPlace(l.place) {
			j.addCharge(unfit, "leg %d: exit %d with a fault at %q: %s", i+1, l.exit, l.place, l.stderr)
		}
	}
	end, _ := j.lastLegs()
	for name, content := range j.files {
		if end.exit == exitOK && isLeftover(name) && content != j.w.whole && !j.s.tools {
			j.addCharge(unfit, "%s was left", name)
		}
	}
	if t := j.log.Torn; t != nil && end.exit == exitOK && !end.hasUnrecordedEnd() {
		j.addCharge(unfit, "the run file is torn: %s", t.Why)
	}
}

// repeatedLine returns a line of stderr that is a line, or the end of a line, before it, or "".
func repeatedLine(stderr string) string {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	for i, line := range lines {
		if slices.ContainsFunc(lines[:i], func(before string) bool { return strings.HasSuffix(before, line) }) {
			return line
		}
	}
	return ""
}

// isFatalPlace reports whether a fault at a place ends the run: those of tools are theirs alone, and a file
// system may have no files without a name.
func isFatalPlace(place string) bool {
	return !strings.Contains(place, "temp file") && !strings.HasSuffix(place, "folder") && !strings.Contains(place, "link")
}

// isLeftover reports whether a file is a draft, of a tool or of -o. One of -o that is whole can be left: it is there
// between the moment at which it gets a name and that at which it gets the right one.
func isLeftover(name string) bool {
	return strings.HasPrefix(name, "out/.") || strings.HasPrefix(name, "work/") && strings.Contains(name, "/.")
}
