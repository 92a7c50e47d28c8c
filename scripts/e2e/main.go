//go:build unix

// Command e2e drives the oneshot binary against a real Ollama server that serves
// a scripted model, and checks every run from the outside: exit code, stdout,
// stderr, files, remaining processes. It does not use the program's
// packages.
//
// It does not build anything; scripts/ollama-e2e does, and calls it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"oneshot/scripts/command"
)

func main() { command.Main("e2e", run) }

// options are the values of the command line.
type options struct {
	oneshot, ollama, model string
	only                   *regexp.Regexp
	verbose                bool
}

func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("e2e", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.oneshot, "oneshot", "", "the `program` to drive")
	flags.StringVar(&o.ollama, "ollama", "", "the `server` to drive it against")
	flags.StringVar(&o.model, "model", "", "`folder` of the scripted models")
	flags.BoolVar(&o.verbose, "v", false, "print what every run said")
	only := flags.String("run", "", "run only the cases whose names match this `regexp`")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	var err error
	o.only, err = regexp.Compile(*only)
	return o, err
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	o, err := parseOptions(args, stderr)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "oneshot-e2e-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	server, err := StartServer(ctx, o.ollama, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	return tryCases(ctx, &Drive{Program: o.oneshot, Server: server, Models: o.model, Dir: dir}, o, stdout)
}

// tryCases runs the cases in order, prints a line for each, and then the count.
func tryCases(ctx context.Context, d *Drive, o options, stdout io.Writer) error {
	passed, failed := 0, 0
	for _, c := range Cases {
		if !o.only.MatchString(c.Name) {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		verdict := d.RunCase(ctx, c)
		if verdict.Err == nil {
			passed++
		} else {
			failed++
		}
		fmt.Fprintln(stdout, verdict)
		if o.verbose || verdict.Err != nil {
			verdict.Outcome.print(stdout)
		}
	}
	fmt.Fprintf(stdout, "%d passed, %d failed\n", passed, failed)
	switch {
	case failed > 0:
		return errors.New("some cases failed")
	case passed == 0:
		return errors.New("no case has that name")
	}
	return nil
}

// A Verdict is the result of a case.
type Verdict struct {
	Name    string
	Want    int
	Outcome Outcome
	Took    time.Duration
	Err     error // nil if the case passed
}

// String returns the line: name, actual and expected exit code, time, verdict.
func (v Verdict) String() string {
	line := fmt.Sprintf("%-28s exit %3d/%-3d %6.2fs  ", v.Name, v.Outcome.Exit, v.Want, v.Took.Seconds())
	if v.Err == nil {
		return line + "ok"
	}
	return line + "FAIL: " + strings.ReplaceAll(v.Err.Error(), "\n", "; ")
}
