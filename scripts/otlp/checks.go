//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	maxRequest = 4 << 20
	many       = 3000     // runs of the large export
	maxRSS     = 64 << 10 // KiB
)

// checkAll makes the recordings, exports them and checks the telemetry that arrives.
func (d *drive) checkAll() (err error) {
	files, err := d.record()
	if err != nil {
		return err
	}
	c, err := startCollector(d.ctx, d.collector, d.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.stop()) }()
	for _, content := range []bool{false, true} {
		name := "without content"
		if content {
			name = "with content"
		}
		passed, err := d.export(c, files, content)
		d.check("every run is taken, "+name, err)
		d.check("the collector passes on everything that was sent, "+name, d.compareWithFileExport(passed, files, content))
		got, err := readTelemetry(passed)
		if err != nil {
			return err
		}
		for _, file := range files {
			d.check(filepath.Base(file)+" has the spans and numbers of its record, "+name, got.checkRun(file))
		}
	}
	d.check(fmt.Sprintf("%d runs in requests of at most %d bytes, within %d KiB of memory", many, maxRequest, maxRSS), d.exportMany(c, files[0]))
	if err := c.stopProcess(); err != nil {
		return fmt.Errorf("the collector: %w: %s", err, c.log.String())
	}
	d.check("a collector that has stopped is exit 5", d.exportToNone(c, files[0]))
	return nil
}

// export exports runs and returns the requests that the collector passed on.
func (d *drive) export(c *collector, files []string, content bool) ([]json.RawMessage, error) {
	c.taken()
	o, err := d.start(slices.Concat([]string{"runs", "export", "--otlp", c.URL, "--content=" + strconv.FormatBool(content)}, files)...)
	requests, passed := c.taken()
	switch want := fmt.Sprintf("runs exported: %d\n", len(files)); {
	case err != nil:
		return passed, err
	case o.exit != 0 || !strings.HasSuffix(o.stderr, want):
		return passed, fmt.Errorf("exit %d: %s", o.exit, o.stderr)
	}
	return passed, faultOf(requests)
}

// faultOf returns a fault of the requests or the answers of the collector.
func faultOf(requests []exchange) error {
	for _, r := range requests {
		if r.Status != 200 || r.Answer != `{"partialSuccess":{}}` || r.Bytes > maxRequest {
			return fmt.Errorf("%s of %d bytes: status %d, %s", r.Path, r.Bytes, r.Status, r.Answer)
		}
	}
	if len(requests) < 2 {
		return fmt.Errorf("%d requests", len(requests))
	}
	return nil
}

// compareWithFileExport compares the requests that the collector passed on with an export to a file: a member that the
// collector does not know would be missing.
func (d *drive) compareWithFileExport(passed []json.RawMessage, files []string, content bool) error {
	path := filepath.Join(d.dir, fmt.Sprintf("sent-%v.jsonl", content))
	o, err := d.start(slices.Concat([]string{"runs", "export", "--otlp", path, "--content=" + strconv.FormatBool(content)}, files)...)
	if err != nil || o.exit != 0 {
		return fmt.Errorf("exit %d, %w: %s", o.exit, err, o.stderr)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	sent := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	if len(sent) != len(passed) {
		return fmt.Errorf("%d requests became %d", len(sent), len(passed))
	}
	for i := range sent {
		if err := compareJSON(sent[i], passed[i]); err != nil {
			return fmt.Errorf("request %d: %w", i+1, err)
		}
	}
	return nil
}

// compareJSON compares documents, apart from empty members.
func compareJSON(a, b []byte) error {
	var before, after any
	if err := errors.Join(json.Unmarshal(a, &before), json.Unmarshal(b, &after)); err != nil {
		return err
	}
	return difference("", withoutEmpty(before), withoutEmpty(after))
}

// withoutEmpty leaves out empty objects and lists.
func withoutEmpty(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			if v[key] = withoutEmpty(member); v[key] == nil {
				delete(v, key)
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = withoutEmpty(v[i])
		}
		if len(v) == 0 {
			return nil
		}
	}
	return v
}

// difference returns the first difference between two values.
func difference(path string, a, b any) error {
	if of, ok := a.(map[string]any); ok {
		if in, ok := b.(map[string]any); ok {
			for key := range in {
				if _, ok := of[key]; !ok {
					of[key] = nil
				}
			}
			for key := range of {
				if err := difference(path+"/"+key, of[key], in[key]); err != nil {
					return err
				}
			}
			return nil
		}
	}
	if of, ok := a.([]any); ok {
		if in, ok := b.([]any); ok && len(in) == len(of) {
			for i := range of {
				if err := difference(fmt.Sprint(path, "/", i), of[i], in[i]); err != nil {
					return err
				}
			}
			return nil
		}
	}
	if reflect.DeepEqual(a, b) {
		return nil
	}
	return fmt.Errorf("%s: sent %v, passed on %v", path, a, b)
}

// exportMany exports thousands of runs of the state directory.
func (d *drive) exportMany(c *collector, file string) error {
	runs := filepath.Join(d.dir, ".local/state/oneshot/runs")
	if err := os.MkdirAll(runs, 0o700); err != nil {
		return err
	}
	for i := range many {
		id := fmt.Sprintf("20260101T000000.000Z-%06x", i)
		if err := copyRun(file, filepath.Join(runs, id+".jsonl"), id); err != nil {
			return err
		}
	}
	c.taken()
	start := time.Now()
	o, err := d.start("runs", "export", "--otlp", c.URL, "--content")
	requests, passed := c.taken()
	total := many + 2 // with those of the batch
	if err == nil && (o.exit != 0 || o.stderr != fmt.Sprintf("oneshot: runs exported: %d\n", total)) {
		err = fmt.Errorf("exit %d: %s", o.exit, o.stderr)
	}
	if err := errors.Join(err, faultOf(requests)); err != nil {
		return err
	}
	got, err := readTelemetry(passed)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.stdout, "      %d requests, %d spans, %d KiB, %v\n", len(requests), len(got.spans), o.maxRSS, time.Since(start).Round(time.Millisecond))
	if roots := len(got.named("invoke_agent")); roots != total || o.maxRSS > maxRSS {
		return fmt.Errorf("%d runs, %d KiB", roots, o.maxRSS)
	}
	return nil
}

// exportToNone exports to a collector that does not run.
func (d *drive) exportToNone(c *collector, file string) error {
	o, err := d.start("runs", "export", "--otlp", c.upstream, file)
	if err == nil && (o.exit != 5 || !strings.Contains(o.stderr, "runs exported before the failure: 0 of 1")) {
		err = fmt.Errorf("exit %d: %s", o.exit, o.stderr)
	}
	return err
}
