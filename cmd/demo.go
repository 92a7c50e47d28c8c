package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"oneshot/pkg/quote"
)

// demoOptions are the flags of "oneshot demo".
type demoOptions struct {
	env      Env
	console  *console
	dir      string // of the sample files, or "" for a temporary folder
	noRecord bool
}

func newDemo(env Env, t *console) *cobra.Command {
	o := &demoOptions{env: env, console: t}
	c := &cobra.Command{
		Use:   "demo [flags]",
		Short: "Make a sample run without a server or a key",
		Long: `Demo looks for open tasks in sample notes, with a built-in model and real tools. The
answer goes to stdout, and the command lines of this run and of the next steps go to
stderr. The notes and the schema of the answer are in a temporary folder, which is
removed at the end; --dir keeps them.`,
		Example: "  oneshot demo\n  oneshot demo --dir \"$(mktemp -d)\"",
		RunE:    func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	f := c.Flags()
	f.StringVar(&o.dir, "dir", "", "write the sample files to `DIR`, a new or empty folder, and keep them")
	_ = c.MarkFlagDirname("dir") // the flag was defined above
	f.BoolVar(&o.noRecord, "no-run-file", false, "do not record the run")
	return c
}

// run is the command.
func (o *demoOptions) run(ctx context.Context) error {
	if err := o.console.checkOutput(); err != nil { // before any file is written
		return &hintedError{err, "send stdout to a terminal, a pipe or a file"}
	}
	if o.dir != "" {
		return o.runIn(ctx, o.dir)
	}
	dir, err := os.MkdirTemp("", "oneshot-demo-")
	if err != nil {
		return &hintedError{&outputError{err}, "set TMPDIR to a writable directory, or use --dir DIR"}
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			o.console.warn("rm -r "+quote.Shell(dir), "the temporary folder cannot be removed: %v", err)
		}
	}()
	return o.runIn(ctx, dir)
}

// runIn writes the sample files to a folder, and makes the run with them.
func (o *demoOptions) runIn(ctx context.Context, dir string) error {
	if err := writeDemoFiles(o.env.Prompts, dir); err != nil {
		return err
	}
	line := flagSource{values: map[string][]string{"no-stdin": {"true"}}}
	for _, f := range demoFlags(demo, dir) {
		line.add(f.name, f.value)
	}
	if o.noRecord {
		line.add("no-run-file", "true")
	}
	where := ""
	if o.dir == "" {
		where = " in a temporary folder with sample notes"
	}
	o.console.note("running%s: %s", where, demoCommand(demo, o.dir))
	err := run(ctx, o.env, o.console, line, []string{demoPrompt})
	switch {
	case isDemoMismatch(err): // the requests depend on nothing else of this machine
		return &hintedError{err, "check whether the managed policy " + o.env.ManagedPolicy + " changes the requests"}
	case err == nil:
		o.noteNextSteps()
	}
	return err
}

// noteNextSteps prints the commands that follow a first run.
func (o *demoOptions) noteNextSteps() {
	if !o.noRecord && !o.console.hasProgress() { // which names that command
		o.console.note("to see its steps: oneshot runs show last")
	}
	own := demoCommand("ollama/NAME", o.dir)
	if o.dir == "" {
		o.console.note("to keep its files: oneshot demo --dir DIR")
		own = "oneshot run --model ollama/NAME 'Why is the sky blue?'"
	}
	o.console.note("to find a model: oneshot doctor")
	o.console.note("to use it: %s", own)
}

// demoPrompt is the prompt of the recorded run.
const demoPrompt = "What is left to do before release 0.2?"

// A demoFlag is a flag of the sample run.
type demoFlag struct{ name, value string }

// demoFlags returns the flags of the run with the sample files in a folder. They are those of the recorded run, whose requests
// do not depend on the folder.
func demoFlags(model, dir string) []demoFlag {
	return []demoFlag{
		{"model", model}, {"tool", "vault_*"}, {"tool", "file_read"},
		{"root", filepath.Join(dir, "vault")}, {"schema", filepath.Join(dir, "todo.schema.json")},
	}
}

// demoCommand returns the command line of the run with the sample files in a folder; with "", its paths are relative to that
// folder.
func demoCommand(model, dir string) string {
	command := "oneshot run"
	for _, f := range demoFlags(model, dir) {
		command += " --" + f.name + " " + quote.Shell(f.value)
	}
	return command + " " + quote.Shell(demoPrompt)
}

// writeDemoFiles writes the shipped sample files to a new or empty folder.
func writeDemoFiles(shipped fs.FS, dir string) error {
	switch entries, err := os.ReadDir(dir); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return &inputError{fmt.Errorf("--dir: %w", err)}
	case len(entries) > 0:
		return usagef("name a new or empty folder", "--dir: %s is not empty", dir)
	}
	files, err := fs.Sub(shipped, "demo")
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, files); err != nil {
		return &outputError{err}
	}
	return nil
}
