package cmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"oneshot/pkg/diag"
	"oneshot/pkg/diag/report"
	"oneshot/pkg/lint"
)

// openBaseline reads the baseline, or checks that a new one can be written and replaces none of the checked files.
func (o *findingOptions) openBaseline(files []string) (err error) {
	switch {
	case o.writeBaseline == "-":
		return usagef("name a file", "--write-baseline cannot be -: stdout carries the report")
	case slices.ContainsFunc(files, func(name string) bool { return isRegular(name) && isSameFile(name, o.writeBaseline) }):
		return usagef("name another file", "--write-baseline: %s is one of the checked files", o.writeBaseline)
	case o.writeBaseline != "":
		o.to, err = resolveOutputFile("--write-baseline", o.writeBaseline)
		return err
	case o.baseline == "":
		return nil
	}
	text, err := readFlag("--baseline", o.baseline)
	if err != nil {
		return err
	}
	if o.known, err = lint.ReadBaseline(o.baseline, text); err != nil {
		return &inputError{err}
	}
	o.base = file{name: o.baseline, text: text}
	return nil
}

// isRegular reports whether a name is that of a regular file.
func isRegular(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// writeBaselineFile writes the baseline.
func (o *findingOptions) writeBaselineFile(t *console) error {
	doc, n, err := lint.FormatBaseline(o.present)
	if err != nil {
		return err
	}
	if err := o.to.writeOutput(doc); err != nil {
		return err
	}
	verb := "are"
	if n == 1 {
		verb = "is"
	}
	t.note("%s %s recorded in %s", report.Count(n, "finding"), verb, o.writeBaseline)
	return nil
}

// staleEntries returns findings about stale entries of the baseline: their code is reported and their file was checked or
// no longer exists, but no finding matched them.
func (o *findingOptions) staleEntries() []diag.Finding {
	if o.known == nil || !o.reported[diag.UnusedBaseline] {
		return nil
	}
	stale := o.known.Unused(func(e lint.BaselineEntry) bool {
		return o.reported[e.Code] && (o.read[e.File] || isMissing(e.File))
	})
	if o.strict {
		diag.WarningsToErrors(stale)
	}
	return stale
}

// isMissing reports whether no file has that name. Stdin is never missing.
func isMissing(name string) bool {
	_, err := os.Lstat(filepath.FromSlash(name))
	return name != "-" && errors.Is(err, fs.ErrNotExist)
}
