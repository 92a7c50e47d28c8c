package cmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"oneshot/pkg/diag"
	"oneshot/pkg/diag/report"
	"oneshot/pkg/lint"
)

// open reads the baseline, and looks whether one can be written.
func (o *findingOptions) open() error {
	if o.writeBaseline == "-" {
		return usagef("name a file", "--write-baseline: stdout is for the report")
	}
	var err error
	if o.writeBaseline != "" {
		o.to, err = newTarget("--write-baseline", o.writeBaseline)
		return err
	}
	if o.baseline == "" {
		return nil
	}
	text, err := readFile(o.baseline)
	if err != nil {
		return err
	}
	if o.known, err = lint.ReadBaseline(o.baseline, text); err != nil {
		return &inputError{err}
	}
	o.base = file{o.baseline, text}
	return nil
}

// record writes the baseline.
func (o *findingOptions) record(t *talk) error {
	doc, n, err := lint.FormatBaseline(o.present)
	if err != nil {
		return err
	}
	if err := o.to.deliver(doc); err != nil {
		return err
	}
	verb := "are"
	if n == 1 {
		verb = "is"
	}
	t.note("%s %s recorded in %s", report.Count(n, "finding"), verb, o.writeBaseline)
	return nil
}

// unused reports the entries of the baseline that matched nothing, where there
// was something to match: their code is reported, and their file was counted, or
// there is no such file any more.
func (o *findingOptions) unused() []diag.Finding {
	if o.known == nil || !o.reported[diag.UnusedBaseline] {
		return nil
	}
	stale := o.known.Unused(func(e lint.Entry) bool {
		return o.reported[e.Code] && (o.read[e.File] || gone(e.File))
	})
	if o.strict {
		diag.Tighten(stale)
	}
	return stale
}

// gone reports whether there is no file of that name. Of stdin that cannot be
// said.
func gone(name string) bool {
	_, err := os.Lstat(filepath.FromSlash(name))
	return name != "-" && errors.Is(err, fs.ErrNotExist)
}
