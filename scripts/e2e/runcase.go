//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Case is one run of the program with everything that is expected of it.
//
// In Args and Files {server} is the server's URL, {dir} a folder of the case and
// {vault} a folder with notes inside it.
type Case struct {
	Name     string
	Exit     int
	Args     []string
	Files    map[string]string // written to {dir} before the run
	Input    string            // standard input; without it, it stays open and silent
	Calls    bool              // the model calls natively
	Envelope bool              // stdout has a document also when the run fails
	Within   time.Duration     // if set, the run may take no longer
	Before   func(*Trial) error
	During   func(*Trial, *Program) error
	Check    func(*Trial, Outcome) error
}

// A Drive runs cases.
type Drive struct {
	Program string
	Server  *Server
	Models  string // the folder of the scripted model and its Modelfiles
	Dir     string
}

// A Trial is one case while it runs.
type Trial struct {
	*Drive
	Context context.Context
	Case    Case
	Dir     string // {dir}
	chats   int    // logged by the server before the run
}

// notes are the files of {vault}, and one outside it.
var notes = map[string]string{
	"vault/notes/apples.md": "# Apples\n\nApples are kept in the cellar.\n",
	"vault/notes/pears.md":  "# Pears\n\nPears are in the attic.\n",
	"outside.txt":           "You should not have read this.\n",
}

// RunCase runs a case and judges it.
func (d *Drive) RunCase(ctx context.Context, c Case) Verdict {
	start := time.Now()
	t := &Trial{Drive: d, Case: c, Dir: filepath.Join(d.Dir, "case-"+c.Name)}
	var cancel context.CancelFunc
	t.Context, cancel = context.WithTimeout(ctx, runLimit)
	defer cancel()
	o, err := t.run()
	if err == nil {
		err = errors.Join(t.judgeOutcome(o)...)
	}
	return Verdict{Name: c.Name, Want: c.Exit, Outcome: o, Took: time.Since(start), Err: err}
}

func (t *Trial) run() (Outcome, error) {
	if err := t.prepareCase(); err != nil {
		return Outcome{Exit: -1}, fmt.Errorf("before the run: %w", err)
	}
	args := t.expand(t.Case.Args)
	if args[0] == "run" && t.Case.Input == "" {
		args = slices.Insert(slices.Clone(args), 1, "--stdin-wait", "1ms") // stdin is open and silent
	}
	p, err := StartProgram(t.Context, t.Dir, t.Program, args, t.Case.Input)
	if err != nil {
		return Outcome{Exit: -1}, err
	}
	if t.Case.During != nil {
		if err := t.Case.During(t, p); err != nil {
			err = fmt.Errorf("during the run: %w", err)
			o, ended := p.Kill()
			return o, errors.Join(err, ended)
		}
	}
	return p.Wait()
}

// prepareCase writes the files, installs and loads the model, and runs the preparation of
// the case.
func (t *Trial) prepareCase() error {
	for _, files := range []map[string]string{notes, t.Case.Files} {
		if err := t.write(files); err != nil {
			return err
		}
	}
	name, modelfile := modelName, "Modelfile"
	if t.Case.Calls {
		name, modelfile = callerName, "Modelfile.tools"
	}
	if err := t.Server.InstallOnly(t.Context, name, filepath.Join(t.Models, modelfile)); err != nil {
		return err
	}
	if err := t.Server.Load(t.Context, name); err != nil {
		return err
	}
	if t.Case.Before != nil {
		if err := t.Case.Before(t); err != nil {
			return err
		}
	}
	var err error
	t.chats, err = t.Server.Chats()
	return err
}

func (t *Trial) write(files map[string]string) error {
	for name, content := range files {
		path := filepath.Join(t.Dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(t.expand([]string{content})[0]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (t *Trial) expand(texts []string) []string {
	r := strings.NewReplacer("{server}", t.Server.URL, "{dir}", t.Dir, "{vault}", filepath.Join(t.Dir, "vault"))
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = r.Replace(text)
	}
	return out
}

// RunOneshot runs the program to its end, in addition to the run of the case.
func (t *Trial) RunOneshot(args ...string) (Outcome, error) {
	p, err := StartProgram(t.Context, t.Dir, t.Program, t.expand(args), "")
	if err != nil {
		return Outcome{Exit: -1}, err
	}
	return p.Wait()
}

// judgeOutcome returns everything that is wrong, for this case and for any run.
func (t *Trial) judgeOutcome(o Outcome) []error {
	faults := faultsOfAnyRun(t.Case, o)
	if t.Case.Check != nil {
		faults = append(faults, t.Case.Check(t, o))
	}
	return faults
}

// faultsOfAnyRun checks the expectations of every run: the exit code, at most one
// document on stdout, a message on stderr about a failure, no remaining process.
func faultsOfAnyRun(c Case, o Outcome) []error {
	var faults []error
	add := func(wrong bool, format string, args ...any) {
		if wrong {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	add(o.Exit != c.Exit, "exit %d, want %d", o.Exit, c.Exit)
	add(c.Within > 0 && o.Took > c.Within, "took %v, want at most %v", o.Took, c.Within)
	add(len(o.Left) > 0, "left processes %v", o.Left)
	if c.Exit == exitOK || c.Envelope {
		add(!json.Valid([]byte(o.Stdout)) || !strings.HasSuffix(o.Stdout, "\n"), "stdout is not one JSON document and a line break")
	} else {
		add(o.Stdout != "", "stdout is not empty")
	}
	if c.Exit != exitOK {
		add(!strings.HasPrefix(o.Stderr, "oneshot: ") && !strings.Contains(o.Stderr, "\noneshot: "), "stderr has no line that begins with \"oneshot: \"")
	}
	return faults
}
