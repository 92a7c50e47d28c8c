package cmd

import (
	"slices"

	"github.com/spf13/cobra"
)

// fixOptions are the flags about safe fixes.
type fixOptions struct {
	on    bool
	write bool
	diff  bool
}

// define defines the flags. The noun names a file in their help.
func (o *fixOptions) define(c *cobra.Command, noun string) {
	f := c.Flags()
	f.BoolVar(&o.on, "fix", false, "print the "+noun+" with safe fixes applied instead of a report")
	f.BoolVar(&o.write, "write", false, "with --fix, change the files in place instead of printing the text of one")
	f.BoolVar(&o.diff, "diff", false, "with --fix, print the changes to the files as a unified diff")
	c.MarkFlagsMutuallyExclusive("write", "diff")
	c.MarkFlagsMutuallyExclusive("fix", "write-baseline")
}

// check refuses formats and arguments that the flags exclude.
func (o *fixOptions) check(noun, format string, args []string) error {
	switch {
	case o.write && !o.on:
		return usagef("add --fix", "--write needs --fix")
	case o.diff && !o.on:
		return usagef("add --fix", "--diff needs --fix")
	case !o.on:
		return nil
	case format != "text":
		return usagef("omit --format", "--fix cannot be combined with --format %s: it prints %s", format, o.printed(noun))
	case o.write && slices.ContainsFunc(args, isStdin):
		return usagef("omit --write to print the fixed text", "--write cannot be combined with stdin: it changes files in place")
	case !o.canFixSeveral() && len(args) > 1:
		return usagef("name one FILE, or add --write or --diff", "--fix takes one file, got %d", len(args))
	}
	return nil
}

// printed describes the content of stdout.
func (o *fixOptions) printed(noun string) string {
	switch {
	case o.write:
		return "no report"
	case o.diff:
		return "a diff"
	}
	return "the text of the " + noun
}

// canFixSeveral reports whether a command can fix several files: stdout takes the text of one.
func (o *fixOptions) canFixSeveral() bool { return o.write || o.diff }

// output returns the output for the fixed text of a file.
func (o *fixOptions) output(t *console, name string) (fixOutput, error) {
	switch {
	case o.write:
		return newFileRewriter(t, name)
	case o.diff:
		return newUnifiedDiff(t, name), nil
	}
	return newTextPrinter(t), nil
}

// noteTotal prints the number of fixes in all files.
func (o *fixOptions) noteTotal(t *console, fixes int) {
	if o.diff {
		t.note("safe fixes in the diff: %d", fixes)
		return
	}
	t.note("safe fixes applied: %d", fixes)
}
