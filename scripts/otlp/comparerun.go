//go:build unix

package main

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// recordedCounts are the numbers of a run according to its record.
type recordedCounts struct {
	input, output    int64 // tokens
	requests         int
	calls, succeeded int
	times            map[int64]bool // of the records, in nanoseconds since 1970
}

func countRecords(records []record) recordedCounts {
	c := recordedCounts{times: map[int64]bool{}}
	isPending := false
	var next time.Time // when the next attempt is due
	for _, r := range records {
		c.times[r.Time.UnixNano()] = true
		switch r.Kind {
		case "request":
			isPending, next = true, time.Time{}
		case "attempt":
			if r.Skipped {
				continue
			}
			c.requests++
			isPending, next = !r.Last, r.Time.Add(r.Wait)
			if r.Charged {
				c.input, c.output = c.input+r.Usage.Input, c.output+r.Usage.Output
			}
		case "response":
			isPending = false
			c.requests++
			c.input, c.output = c.input+r.Usage.Input, c.output+r.Usage.Output
		case "result":
			c.calls++
			if r.Result.OK {
				c.succeeded++
			}
		case "end":
			if isPending && !r.Time.Before(next) {
				c.requests++
			}
		}
	}
	return c
}

// A runComparison compares the telemetry of a run with its record.
type runComparison struct {
	*telemetry // of the run
	records    []record
	recorded   recordedCounts
	isReplay   bool
	faults     []error
}

// checkRun compares the telemetry of a run with its record.
func (t *telemetry) checkRun(file string) error {
	records, err := readRecords(file)
	if err != nil {
		return err
	}
	c := &runComparison{telemetry: t.ofRun(records[0].Run), records: records, recorded: countRecords(records), isReplay: strings.HasPrefix(records[0].Model, "replay:")}
	if c.isReplay { // it costs nothing
		c.recorded.input, c.recorded.output = 0, 0
	}
	roots := c.named("invoke_agent")
	if c.expect("spans of runs", len(roots), 1); len(roots) == 1 {
		c.compareRoot(roots[0])
		c.compareSpans(roots[0])
		c.compareRequests()
		c.compareCalls()
		c.compareMetrics()
	}
	return errors.Join(c.faults...)
}

func (c *runComparison) expect(what string, got, want any) {
	if got != want {
		c.faults = append(c.faults, fmt.Errorf("%s: %v, want %v", what, got, want))
	}
}

// compareRoot compares the span of the run.
func (c *runComparison) compareRoot(root span) {
	first, last := c.records[0], c.records[len(c.records)-1]
	c.expect("start", root.Start, first.Time.UnixNano())
	c.expect("end", root.End, last.Time.UnixNano())
	c.expect("exit", root.Attributes["oneshot.exit"], last.Name)
	c.expect("turns", root.Attributes.int("oneshot.turns"), last.Turns)
	c.expect("calls", fmt.Sprint(root.Attributes.int("oneshot.calls")), string(last.Calls))
	c.expect("input tokens", root.Attributes.int("gen_ai.usage.input_tokens"), c.recorded.input)
	c.expect("output tokens", root.Attributes.int("gen_ai.usage.output_tokens"), c.recorded.output)
	c.expect("replay", root.Attributes["oneshot.replay"], c.isReplay)
	c.expect("parent of the run", root.ParentSpanID, "")
	c.expect("status", root.Status.Code == 2, last.Exit != 0)
	if first.Batch != nil {
		c.expect("batch", root.Attributes["oneshot.batch.id"], first.Batch.Batch)
	}
}

// compareSpans compares the common parts of all spans: IDs, parents, times and status.
func (c *runComparison) compareSpans(root span) {
	c.expect("spans", len(c.spans), 1+c.recorded.requests+c.recorded.calls)
	ids := map[string]bool{}
	for _, s := range c.spans {
		c.expect(s.Name+": another span has its ID", ids[s.SpanID], false)
		ids[s.SpanID] = true
		c.expect(s.Name+": trace", s.TraceID, root.TraceID)
		c.expect(s.Name+": digits of the trace ID", len(s.TraceID), 32)
		c.expect(s.Name+": digits of its ID", len(s.SpanID), 16)
		c.expect(s.Name+": ends at a record", c.recorded.times[s.End], true)
		c.expect(s.Name+": ends after it started", s.End >= s.Start, true)
		c.expect(s.Name+": starts after the run", s.Start >= root.Start, true)
		c.expect(s.Name+": has an error if its status is one", s.Attributes["error.type"] != nil, s.Status.Code == 2)
		if s.SpanID != root.SpanID {
			c.expect(s.Name+": parent", s.ParentSpanID, root.SpanID)
		}
	}
}

func (c *runComparison) compareRequests() {
	requests := c.named("chat")
	c.expect("spans of requests", len(requests), c.recorded.requests)
	var input int64
	for _, s := range requests {
		c.expect(s.Name+": kind", s.Kind, 3)
		input += s.Attributes.int("gen_ai.usage.input_tokens")
		if !c.isReplay {
			c.expect("provider", s.Attributes["gen_ai.provider.name"], "openai")
			c.expect("model", s.Attributes["gen_ai.request.model"], "gpt-5-mini")
		}
	}
	c.expect("input tokens of requests", input, c.recorded.input)
}

func (c *runComparison) compareCalls() {
	calls := c.named("execute_tool")
	c.expect("spans of calls", len(calls), c.recorded.calls)
	succeeded := 0
	for _, s := range calls {
		c.expect(s.Name+": kind", s.Kind, 1)
		if s.Attributes["oneshot.tool.outcome"] == "ok" {
			succeeded++
		}
	}
	c.expect("calls that succeeded", succeeded, c.recorded.succeeded)
}

// compareMetrics compares the data points. A replay has none.
func (c *runComparison) compareMetrics() {
	requests, calls := c.recorded.requests, c.recorded.calls
	if c.isReplay {
		requests, calls = 0, 0
	}
	var tokens float64
	for _, p := range c.points["gen_ai.client.token.usage"] {
		tokens += p.Sum
	}
	c.expect("tokens of the metric", int64(tokens), c.recorded.input+c.recorded.output)
	durations, called := 0, 0
	for _, p := range c.points["gen_ai.client.operation.duration"] {
		durations += p.Count
	}
	for _, p := range c.points["oneshot.tool.calls"] {
		called += p.AsInt
	}
	c.expect("requests of the metric", durations, requests)
	c.expect("calls of the metric", called, calls)
}
