//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
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

// telemetry is the output of a collector.
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
	Charged, Last, Skipped bool
	Wait                   time.Duration `json:"wait_ns"`
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
