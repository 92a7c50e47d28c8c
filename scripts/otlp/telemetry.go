//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// A span is a span as the collector passes it on.
type span struct {
	TraceID, SpanID, ParentSpanID, Name string
	Kind                                int
	Start                               int64 `json:"startTimeUnixNano,string"`
	End                                 int64 `json:"endTimeUnixNano,string"`
	Status                              struct{ Code int }
	Attributes                          attributes
}

// A point is a data point.
type point struct {
	AsInt      int     `json:",string"`
	Count      int     `json:",string"`
	Sum        float64 // of a histogram
	Attributes attributes
}

// attributes are attributes by key.
type attributes map[string]any

// UnmarshalJSON reads a list of keys and values.
func (a *attributes) UnmarshalJSON(text []byte) error {
	var list []struct {
		Key   string
		Value struct {
			StringValue *string
			IntValue    *int64 `json:",string"`
			DoubleValue *float64
			BoolValue   *bool
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*a = attributes{}
	for _, one := range list {
		switch v := one.Value; {
		case v.StringValue != nil:
			(*a)[one.Key] = *v.StringValue
		case v.IntValue != nil:
			(*a)[one.Key] = *v.IntValue
		case v.DoubleValue != nil:
			(*a)[one.Key] = *v.DoubleValue
		case v.BoolValue != nil:
			(*a)[one.Key] = *v.BoolValue
		default:
			(*a)[one.Key] = nil
		}
	}
	return nil
}

func (a attributes) int(key string) int64 {
	n, _ := a[key].(int64)
	return n
}

// telemetry is what a collector passes on.
type telemetry struct {
	spans  []span
	points map[string][]point // by metric
}

func readTelemetry(requests []json.RawMessage) (*telemetry, error) {
	t := &telemetry{points: map[string][]point{}}
	for _, text := range requests {
		var request struct {
			ResourceSpans   []struct{ ScopeSpans []struct{ Spans []span } }
			ResourceMetrics []struct {
				ScopeMetrics []struct {
					Metrics []struct {
						Name           string
						Sum, Histogram struct{ DataPoints []point }
					}
				}
			}
		}
		if err := json.Unmarshal(text, &request); err != nil {
			return nil, err
		}
		for _, resource := range request.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				t.spans = append(t.spans, scope.Spans...)
			}
		}
		for _, resource := range request.ResourceMetrics {
			for _, scope := range resource.ScopeMetrics {
				for _, m := range scope.Metrics {
					t.points[m.Name] = append(t.points[m.Name], append(m.Sum.DataPoints, m.Histogram.DataPoints...)...)
				}
			}
		}
	}
	return t, nil
}

// named returns the spans of an operation.
func (t *telemetry) named(operation string) (spans []span) {
	for _, s := range t.spans {
		if s.Attributes["gen_ai.operation.name"] == operation {
			spans = append(spans, s)
		}
	}
	return spans
}

// ofRun returns the telemetry of one run.
func (t *telemetry) ofRun(id string) *telemetry {
	of := &telemetry{points: map[string][]point{}}
	for _, s := range t.spans {
		if s.Attributes["gen_ai.conversation.id"] == id {
			of.spans = append(of.spans, s)
		}
	}
	for name, points := range t.points {
		for _, p := range points {
			if p.Attributes["oneshot.run.id"] == id {
				of.points[name] = append(of.points[name], p)
			}
		}
	}
	return of
}

// A record is a line of a run file, as far as the checks need it.
type record struct {
	Kind, Run, Model, Name string
	Time                   time.Time
	Exit                   int
	Charged                bool
	Usage                  struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
	}
	Result struct{ OK bool }
	Turns  int64
	Calls  json.RawMessage // a list of calls, or their number in the last record
	Batch  *struct{ Batch string }
}

func readRecords(file string) (records []record, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, nil
}

// checkRun compares the telemetry of a run with its record.
func (t *telemetry) checkRun(file string) error {
	records, err := readRecords(file)
	if err != nil {
		return err
	}
	first, last := records[0], records[len(records)-1]
	replay := strings.HasPrefix(first.Model, "replay:")
	t = t.ofRun(first.Run)
	var faults []error
	equal := func(what string, got, want any) {
		if got != want {
			faults = append(faults, fmt.Errorf("%s: %v, want %v", what, got, want))
		}
	}

	var input, output int64
	chats, tools, good := 0, 0, 0
	times := map[int64]bool{}
	pending := false
	for _, r := range records {
		times[r.Time.UnixNano()] = true
		switch r.Kind {
		case "request":
			pending = true
		case "attempt":
			chats++
			if r.Charged {
				input, output = input+r.Usage.Input, output+r.Usage.Output
			}
		case "response":
			pending = false
			chats++
			input, output = input+r.Usage.Input, output+r.Usage.Output
		case "result":
			tools++
			if r.Result.OK {
				good++
			}
		case "end":
			if pending {
				chats++
			}
		}
	}
	if replay {
		input, output = 0, 0
	}
	roots, requests, calls := t.named("invoke_agent"), t.named("chat"), t.named("execute_tool")
	equal("spans of runs", len(roots), 1)
	equal("spans of requests", len(requests), chats)
	equal("spans of calls", len(calls), tools)
	equal("spans", len(t.spans), 1+chats+tools)
	if len(roots) != 1 {
		return errors.Join(faults...)
	}
	root := roots[0]
	equal("start", root.Start, first.Time.UnixNano())
	equal("end", root.End, last.Time.UnixNano())
	equal("exit", root.Attributes["oneshot.exit"], last.Name)
	equal("turns", root.Attributes.int("oneshot.turns"), last.Turns)
	equal("calls", fmt.Sprint(root.Attributes.int("oneshot.calls")), string(last.Calls))
	equal("input tokens", root.Attributes.int("gen_ai.usage.input_tokens"), input)
	equal("output tokens", root.Attributes.int("gen_ai.usage.output_tokens"), output)
	equal("replay", root.Attributes["oneshot.replay"], replay)
	equal("parent of the run", root.ParentSpanID, "")
	equal("status", root.Status.Code == 2, last.Exit != 0)
	if first.Batch != nil {
		equal("batch", root.Attributes["oneshot.batch.id"], first.Batch.Batch)
	}

	ids := map[string]bool{}
	var sumInput int64
	for _, s := range t.spans {
		equal(s.Name+": another span has its ID", ids[s.SpanID], false)
		ids[s.SpanID] = true
		equal(s.Name+": trace", s.TraceID, root.TraceID)
		equal(s.Name+": length of the IDs", len(s.TraceID)*100+len(s.SpanID), 3216)
		equal(s.Name+": ends at a record", times[s.End], true)
		equal(s.Name+": ends after it started", s.End >= s.Start && s.Start >= root.Start, true)
		equal(s.Name+": has an error if its status is one", s.Attributes["error.type"] != nil, s.Status.Code == 2)
		if s.SpanID != root.SpanID {
			equal(s.Name+": parent", s.ParentSpanID, root.SpanID)
		}
	}
	for _, s := range requests {
		equal(s.Name+": kind", s.Kind, 3)
		sumInput += s.Attributes.int("gen_ai.usage.input_tokens")
		if !replay {
			equal("provider", s.Attributes["gen_ai.provider.name"], "openai")
			equal("model", s.Attributes["gen_ai.request.model"], "gpt-5-mini")
		}
	}
	equal("input tokens of requests", sumInput, input)
	succeeded := 0
	for _, s := range calls {
		equal(s.Name+": kind", s.Kind, 1)
		if s.Attributes["oneshot.tool.outcome"] == "ok" {
			succeeded++
		}
	}
	equal("calls that succeeded", succeeded, good)

	var tokens float64
	for _, p := range t.points["gen_ai.client.token.usage"] {
		tokens += p.Sum
	}
	equal("tokens of the metric", int64(tokens), input+output)
	durations, called := 0, 0
	for _, p := range t.points["gen_ai.client.operation.duration"] {
		durations += p.Count
	}
	for _, p := range t.points["oneshot.tool.calls"] {
		called += p.AsInt
	}
	if replay {
		chats, tools = 0, 0
	}
	equal("requests of the metric", durations, chats)
	equal("calls of the metric", called, tools)
	return errors.Join(faults...)
}
