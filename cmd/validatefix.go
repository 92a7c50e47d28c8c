package cmd

import (
	"context"

	"oneshot/pkg/diag"
	"oneshot/pkg/lint"
)

// fixFiles replaces the named files that have safe fixes or prints their diff, and prints the remaining findings on stderr.
func (v *validation) fixFiles(ctx context.Context, names []string) error {
	failed, err := fixEach(ctx, v.console, names, func(_ int, name string) error {
		out, err := v.fix.output(v.console, name)
		if err != nil {
			return err
		}
		defer out.discard()
		text, err := readNamed(ctx, v.env, name)
		if err != nil {
			return err
		}
		f := file{name: name, text: text}
		kind, ok := v.admit(f)
		if !ok {
			return nil
		}
		return v.fixFile(f, kind, out)
	})
	switch {
	case err != nil:
		return err
	case failed != nil && len(v.kinds) == 0:
		return failed // nothing was checked
	}
	if err := v.checkFlagUse(); err != nil {
		return err
	}
	if failed == nil && len(v.all) == 0 {
		return &inputError{errNoKnownKind}
	}
	err = v.finishFixes()
	if failed != nil {
		return failed
	}
	return err
}

// printFixed prints a file with safe fixes applied, and the remaining findings on stderr.
func (v *validation) printFixed(f file, kind lint.Kind) error {
	if err := v.fixFile(f, kind, newTextPrinter(v.console)); err != nil {
		return err
	}
	return v.finishFixes()
}

// fixFile applies the safe fixes to a file, and prints the remaining findings.
func (v *validation) fixFile(f file, kind lint.Kind, out fixOutput) error {
	fixed := v.checker.Fix(f.name, f.text, kind)
	f.text = fixed.Text
	result := v.checker.CheckFile(f.name, f.text, kind) // the result in fixed ignores the tools of other files
	result, err := v.checkEnvironment(result, f)
	if err != nil {
		return err
	}
	if err := out.add(fixed.Original, fixed.Text); err != nil {
		return err
	}
	v.findings.printUnfixed(v.console, v.quota, subject{number: len(v.all), name: f.name, text: diag.Text{Bytes: f.text}, findings: &result.Findings})
	if fixed.Unfinished != "" {
		v.console.note("%s: partly fixed: %s", f.name, fixed.Unfinished)
	}
	v.all = append(v.all, v.verdict(result, nil))
	if err := out.finish(fixed.Applied); err != nil {
		return err
	}
	v.made += fixed.Applied
	return nil
}

// finishFixes prints the number of fixes, and returns an error if files are still invalid.
func (v *validation) finishFixes() error {
	v.quota.note(v.console)
	v.fix.noteTotal(v.console, v.made)
	return v.invalidFilesError(v.all)
}
