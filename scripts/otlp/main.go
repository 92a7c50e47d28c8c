//go:build unix

// Command otlp records runs against a scripted model, exports them to a real OpenTelemetry collector, and compares the
// telemetry that the collector passes on with the records. It reads the records itself and does not use the program's
// packages.
//
// It does not build anything; scripts/otlp-e2e does, and calls it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"oneshot/scripts/command"
)

func main() { command.Main("otlp", run) }

// A drive is one call of the command.
type drive struct {
	ctx            context.Context
	oneshot        string
	collector      string // the program
	dir            string
	stdout         io.Writer
	passed, failed int
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	d := &drive{ctx: ctx, stdout: stdout}
	flags := flag.NewFlagSet("otlp", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&d.oneshot, "oneshot", "", "the `program` to drive")
	flags.StringVar(&d.collector, "collector", "", "the `collector` to export to")
	keep := flags.String("keep", "", "keep the records and the requests in a new `folder`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if d.dir, err = folder(*keep); err != nil {
		return err
	}
	if *keep == "" {
		defer func() { err = errors.Join(err, os.RemoveAll(d.dir)) }()
	}
	if err := d.checkAll(); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d passed, %d failed\n", d.passed, d.failed)
	if d.failed > 0 || d.passed == 0 {
		return errors.New("some checks failed")
	}
	return nil
}

// folder returns a new folder: the named one, or a temporary one.
func folder(keep string) (string, error) {
	if keep == "" {
		return os.MkdirTemp("", "oneshot-otlp-")
	}
	path, err := filepath.Abs(keep)
	if err != nil {
		return "", err
	}
	return path, os.Mkdir(path, 0o700)
}

// check reports a check; fault is nil if it passed.
func (d *drive) check(name string, fault error) {
	if fault == nil {
		d.passed++
		fmt.Fprintf(d.stdout, "ok    %s\n", name)
		return
	}
	d.failed++
	fmt.Fprintf(d.stdout, "FAIL  %s: %v\n", name, fault)
}
