package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"oneshot/pkg/netguard"
	"oneshot/pkg/redact"
	"oneshot/pkg/runfile"
	"oneshot/pkg/telemetry"
)

// exportTimeout limits the export of one signal.
const exportTimeout = 30 * time.Second

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
"last") to a collector as OTLP/JSON over HTTP, or writes them to a file: a line with the
traces, and one with the metrics. A second export has the same trace and span IDs.
Messages, arguments and results are exported only with --content.`,
		Example: "  oneshot runs export --otlp http://127.0.0.1:4318 last\n  oneshot runs export --otlp runs.otlp.jsonl",
		Args:    cobra.ArbitraryArgs,
		RunE:    func(c *cobra.Command, args []string) error { return o.export(c.Context(), args) },
	}
	o.defineBatch(c)
	c.Flags().StringVar(&o.otlp, "otlp", "", "send to the collector at `URL`, or write a new file; - is stdout")
	c.Flags().BoolVar(&o.content, "content", false, "also export messages, arguments and results, secrets masked")
	return c
}

func (o *exportOptions) export(ctx context.Context, names []string) error {
	if o.otlp == "" {
		return usagef("for example --otlp http://127.0.0.1:4318, or a file", "--otlp is required")
	}
	paths, err := o.named(names)
	if err != nil {
		return err
	}
	x := &telemetry.Exporter{Version: version, Content: o.content, Mask: func(text string) string { return redact.HideKeys(o.console.secrets.Hide(text)) }}
	exported := 0
	for _, path := range paths {
		switch err := exportRun(x, path); {
		case err == nil:
			exported++
		case len(names) > 0:
			return err
		default:
			o.console.note("not exported: %v", err)
		}
	}
	out := x.Export()
	if strings.HasPrefix(o.otlp, "http://") || strings.HasPrefix(o.otlp, "https://") {
		err = o.send(ctx, out)
	} else {
		err = o.write(out)
	}
	if err == nil {
		o.console.note("runs exported: %d", exported)
	}
	return err
}

// named returns the files of the named runs, or of all.
func (o *exportOptions) named(names []string) ([]string, error) {
	switch {
	case len(names) == 0:
		return o.allFiles()
	case o.batch != "":
		return nil, usagef("omit one of them", "both --batch and the names of runs")
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

// exportRun adds a run to an export. What precedes a damaged record is exported, too.
func exportRun(x *telemetry.Exporter, path string) error {
	f, err := openFile(path)
	if err != nil {
		return err
	}
	defer f.Close()
	scan := runfile.NewScanner(f)
	x.Add(scan.Records())
	if scan.Err != nil {
		return fmt.Errorf("%s: %w", path, asInputError(scan.Err))
	}
	return nil
}

// write writes a line for the traces and one for the metrics.
func (o *exportOptions) write(out telemetry.Export) (err error) {
	to := io.Writer(o.console.out)
	if o.otlp != "-" {
		f, err := os.OpenFile(o.otlp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return usagef("choose a new file", "--otlp: %w", err)
		}
		defer func() {
			if closed := f.Close(); err == nil && closed != nil {
				err = &outputError{closed}
			}
		}()
		to = f
	}
	lines := json.NewEncoder(to)
	for _, signal := range []map[string]any{out.Traces, out.Metrics} {
		if err := lines.Encode(signal); err != nil {
			return &outputError{err}
		}
	}
	return nil
}

// send posts the traces and metrics to a collector.
func (o *exportOptions) send(ctx context.Context, out telemetry.Export) error {
	base, err := url.Parse(o.otlp)
	if err != nil || base.Host == "" {
		return usagef("for example --otlp http://127.0.0.1:4318", "--otlp: invalid URL %q", maskUserInfo(o.otlp))
	}
	o.console.secrets.AddURL(base)
	for _, signal := range []struct {
		path string
		body map[string]any
	}{{"v1/traces", out.Traces}, {"v1/metrics", out.Metrics}} {
		body, err := json.Marshal(signal.body)
		if err != nil {
			return err
		}
		if err := post(ctx, base.JoinPath(signal.path), body); err != nil {
			return fmt.Errorf("--otlp: %w", err)
		}
	}
	return nil
}

// A collectorError reports that a collector did not take an export.
type collectorError struct{ err error }

func (e *collectorError) Error() string { return e.err.Error() }
func (e *collectorError) Unwrap() error { return e.err }

func post(ctx context.Context, to *url.URL, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, exportTimeout)
	defer cancel()
	status, answer, err := netguard.Post(ctx, to, "application/json", body)
	switch {
	case err != nil:
		return causeOr(ctx, &collectorError{err})
	case status/100 != 2:
		return &collectorError{fmt.Errorf("%s: status %d: %s", to.Redacted(), status, strings.TrimSpace(string(answer)))}
	}
	return nil
}
