package cmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"oneshot/pkg/redact"
	"oneshot/pkg/runfile"
	"oneshot/pkg/telemetry"
)

// exportOptions are the flags of "oneshot runs export".
type exportOptions struct {
	*runsOptions
	otlp    string
	content bool
}

func newExport(runs *runsOptions) *cobra.Command {
	o := &exportOptions{runsOptions: runs}
	c := &cobra.Command{
		Use:   "export --otlp URL|FILE [RUN...]",
		Short: "Export recorded runs as OpenTelemetry traces and metrics",
		Long: `Export sends recorded runs (all of the state directory, or those named by ID, FILE or
"last") to a collector as OTLP/JSON over HTTP, or writes them to a file with a request
on each line. Requests have at most 4 MB. A collector that is busy is asked again; after
a failure the command says how many runs were exported. A second export has the same
trace and span IDs. Messages, arguments and results are exported only with --content.
The headers in OTEL_EXPORTER_OTLP_HEADERS go to the collector.`,
		Example: "  oneshot runs export --otlp http://127.0.0.1:4318 last\n  oneshot runs export --otlp runs.otlp.jsonl",
		Args:    cobra.ArbitraryArgs,
		RunE:    func(c *cobra.Command, args []string) error { return o.export(c.Context(), args) },
	}
	c.ValidArgsFunction = recordedRuns().complete(runs.env, nil)
	o.defineBatch(c)
	c.Flags().StringVar(&o.otlp, "otlp", "", "send to the collector at `URL`, or write a new file; - is stdout")
	c.Flags().BoolVar(&o.content, "content", false, "also export messages, arguments and results, secrets masked")
	return c
}

func (o *exportOptions) export(ctx context.Context, names []string) (err error) {
	if o.otlp == "" {
		return usagef("for example --otlp http://127.0.0.1:4318, or a file", "--otlp is required")
	}
	paths, err := o.named(names)
	if err != nil {
		return err
	}
	own, err := o.console.defaults.ownPrices()
	if err != nil {
		return err
	}
	send, closeOutput, err := o.destination(ctx)
	if err != nil {
		return err
	}
	info, _ := debug.ReadBuildInfo()
	x := &telemetry.Exporter{Version: newBuild(version, info).Version, Content: o.content, Prices: own, Mask: func(text string) string { return redact.HideKeys(o.console.secrets.Hide(text)) }, Send: send}
	damaged, err := o.exportRuns(ctx, x, paths, len(names) > 0)
	err = closeOutput(err)
	if x.WithoutContent > 0 {
		o.console.warn("the records have it", "%d spans are exported without their content, which is larger than a request", x.WithoutContent)
	}
	if err != nil {
		o.console.note("runs exported before the failure: %d of %d", x.Sent, len(paths))
		return err
	}
	o.console.note("runs exported: %d", x.Sent)
	return damaged
}

// exportRuns exports runs and notes those that cannot be read to their end. If the user named the runs, it returns the first of
// these as damaged instead.
func (o *exportOptions) exportRuns(ctx context.Context, x *telemetry.Exporter, paths []string, named bool) (damaged, err error) {
	for _, path := range paths {
		if ctx.Err() != nil {
			return damaged, context.Cause(ctx)
		}
		unread, err := exportRun(x, path)
		if err != nil {
			return damaged, err
		}
		switch {
		case unread == nil:
		case named && damaged == nil:
			damaged = unread
		default:
			o.console.note("%v", unread)
		}
	}
	return damaged, x.Flush()
}

// named returns the files of the named runs, or of all.
func (o *exportOptions) named(names []string) ([]string, error) {
	switch {
	case len(names) == 0:
		return o.allFiles()
	case o.batch != "":
		return nil, usagef("omit one of them", "--batch cannot be combined with names of runs")
	}
	var paths []string
	for _, name := range names {
		path, err := o.find(name)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// exportRun adds a run to an export. Records before a damaged one are exported, too.
func exportRun(x *telemetry.Exporter, path string) (unread, err error) {
	f, err := openFile(path)
	if err != nil {
		return fmt.Errorf("not exported: %w", err), nil
	}
	defer f.Close()
	scan := runfile.NewScanner(f)
	if err := x.Add(scan.Records()); err != nil {
		return nil, err
	}
	if scan.Err == nil && scan.Size == 0 {
		scan.Err = (&runfile.Log{Torn: scan.Torn}).CheckNotEmpty()
	}
	if scan.Err == nil {
		return nil, nil
	}
	extent := "not exported"
	if scan.Size > 0 {
		extent = "exported as far as it is intact"
	}
	return fmt.Errorf("%s: %s: %w", extent, path, asInputError(scan.Err)), nil
}

// destination returns a function that delivers a request, and one that ends the delivery after an error or nil and returns the
// final error.
func (o *exportOptions) destination(ctx context.Context) (send func(telemetry.Signal, []byte) error, end func(error) error, err error) {
	if strings.HasPrefix(o.otlp, "http://") || strings.HasPrefix(o.otlp, "https://") {
		to, err := newOTLPCollector(ctx, o.env, o.console, o.otlp)
		if err != nil {
			return nil, nil, err
		}
		return to.send, to.exportError, nil
	}
	if o.otlp == "-" {
		return writeRequests(o.console.out), func(err error) error { return err }, nil
	}
	f, err := os.OpenFile(o.otlp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, nil, usagef("choose a new file", "--otlp: %w", err)
	}
	return writeRequests(f), func(err error) error {
		if closed := f.Close(); err == nil && closed != nil {
			err = &outputError{closed}
		}
		if err != nil {
			_ = os.Remove(o.otlp) // err matters more
		}
		return err
	}, nil
}

// writeRequests returns a function that writes each request as a line.
func writeRequests(to io.Writer) func(telemetry.Signal, []byte) error {
	return func(_ telemetry.Signal, request []byte) error {
		if _, err := to.Write(append(request, '\n')); err != nil { // one write for the line
			return &outputError{err}
		}
		return nil
	}
}
