package telemetry

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// recordsOf returns records of bodies, a second apart.
func recordsOf(id string, bodies ...runfile.Body) []runfile.Record {
	var out []runfile.Record
	for i, b := range bodies {
		out = append(out, runfile.Record{Header: runfile.Header{Seq: i + 1, Run: id, Kind: b.Kind(), Time: start.Add(time.Duration(i) * time.Second)}, Body: b})
	}
	return out
}

// A sent is a request as a collector reads it.
type sent struct {
	ResourceSpans []struct {
		ScopeSpans []struct {
			Spans []struct {
				TraceID, SpanID, ParentSpanID, Name string
				Kind                                int
				Start                               string `json:"startTimeUnixNano"`
				End                                 string `json:"endTimeUnixNano"`
				Status                              struct {
					Code    int
					Message string
				}
				Attributes []sentAttribute
			}
		}
	}
	ResourceMetrics []struct {
		ScopeMetrics []struct {
			Metrics []struct {
				Name           string
				Histogram, Sum *struct {
					DataPoints []struct {
						AsInt, Count   string
						Sum            float64
						BucketCounts   []string
						ExplicitBounds []float64
						Attributes     []sentAttribute
					}
				}
			}
		}
	}
}

type sentAttribute struct {
	Key   string
	Value map[string]any
}

// exportAll exports runs and returns the requests.
func exportAll(t *testing.T, x *Exporter, runs ...[]runfile.Record) (requests []sent, texts []string) {
	t.Helper()
	x.Version, x.Mask = "v", func(s string) string { return s }
	x.Send = func(_ Signal, body []byte) error {
		var request sent
		if err := json.Unmarshal(body, &request); err != nil {
			t.Fatal(err)
		}
		requests, texts = append(requests, request), append(texts, string(body))
		return nil
	}
	for _, records := range runs {
		if err := x.Add(slices.Values(records)); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Flush(); err != nil {
		t.Fatal(err)
	}
	return requests, texts
}

// describe returns a line for each span and data point.
func describe(requests []sent) (lines []string) {
	text := func(list []sentAttribute) string {
		var out []string
		for _, a := range list {
			for _, v := range a.Value {
				switch a.Key {
				case "gen_ai.usage.input_tokens", "error.type", "oneshot.exit", "oneshot.attempt", "oneshot.tool.outcome", "oneshot.calls", "gen_ai.request.model", "gen_ai.token.type":
					out = append(out, fmt.Sprintf("%s=%v", a.Key[strings.LastIndexByte(a.Key, '.')+1:], v))
				}
			}
		}
		return strings.Join(out, " ")
	}
	for _, r := range requests {
		for _, resource := range r.ResourceSpans {
			for _, s := range resource.ScopeSpans[0].Spans {
				from, to := s.Start[len(s.Start)-11:len(s.Start)-9], s.End[len(s.End)-11:len(s.End)-9]
				lines = append(lines, fmt.Sprintf("%s %d %s-%s status %d %q: %s", s.Name, s.Kind, from, to, s.Status.Code, s.Status.Message, text(s.Attributes)))
			}
		}
		for _, resource := range r.ResourceMetrics {
			for _, m := range resource.ScopeMetrics[0].Metrics {
				if m.Sum != nil {
					for _, p := range m.Sum.DataPoints {
						lines = append(lines, fmt.Sprintf("%s %s: %s", m.Name, p.AsInt, text(p.Attributes)))
					}
					continue
				}
				for _, p := range m.Histogram.DataPoints {
					lines = append(lines, fmt.Sprintf("%s %s values, sum %v: %s", m.Name, p.Count, p.Sum, text(p.Attributes)))
				}
			}
		}
	}
	return lines
}

// P9: an export contains everything that the run sent and started: failed attempts, a resumed part and its predecessor,
// which share the ID of a call, calls without a result, and the last request of a run that fails. Nothing is exported
// twice. A skipped model and an attempt that the run only waited for are not exported, because nothing was sent.
func TestExport(t *testing.T) {
	usage := func(n int) chat.Usage { return chat.Usage{InputTokens: n, OutputTokens: 1} }
	records := recordsOf("r",
		runfile.Run{ID: "r", Model: "openai/a"},
		runfile.Request{Turn: 1},
		runfile.Attempt{Turn: 1, Attempt: chat.Attempt{Number: 1, Error: "status 503", Status: 503, Wait: time.Second}},
		runfile.Attempt{Turn: 1, Attempt: chat.Attempt{Number: 2, Error: "cut", Charged: true, Usage: usage(7), By: "openai/a"}},
		runfile.Response{Turn: 1, Content: "the words", By: "openai/a", Usage: usage(700), Stop: "stop"},
		runfile.Call{Turn: 1, ID: "c1", Name: "read"},
		runfile.Result{Call: "c1", Result: chat.Failure(chat.NotFound, "no /secret/file"), Duration: 500 * time.Millisecond},
		runfile.Call{Turn: 1, ID: "c2", Name: "write"},
		runfile.UnknownOutcome{Call: "c2"},
		runfile.End{Name: "unknown_outcome", Turns: 1, Calls: 2},
		runfile.Resumed{KeptThrough: 7},
		runfile.Call{Turn: 1, ID: "c2", Name: "write"},
		runfile.Result{Call: "c2", Result: chat.Success([]byte("1"))},
		runfile.Call{Turn: 1, ID: "c3", Name: "read"},
		runfile.Discarded{Call: "c3"},
		runfile.Call{Turn: 1, ID: "c4", Name: "read"},
		runfile.Request{Turn: 2},
		runfile.End{Name: "unavailable", Why: "refused", Turns: 2, Calls: 4},
		runfile.Resumed{KeptThrough: 16},
		runfile.Request{Turn: 2},
		runfile.Attempt{Turn: 2, Attempt: chat.Attempt{Number: 1, Error: "openai/a: failed in another run; trying openai/b", Skipped: true}},
		runfile.Response{Turn: 2, By: "openai/b", Usage: usage(60)},
		runfile.Request{Turn: 3},
		runfile.Attempt{Turn: 3, Attempt: chat.Attempt{Number: 1, Error: "status 503", Status: 503, Wait: time.Minute}},
		runfile.End{Name: "signal", Why: "signal in the wait", Turns: 3, Calls: 4},
		runfile.Resumed{KeptThrough: 22},
		runfile.Request{Turn: 3},
		runfile.Attempt{Turn: 3, Attempt: chat.Attempt{Number: 1, Error: "status 429", Status: 429, Wait: 600 * time.Millisecond}},
		runfile.End{Name: "interrupted", Exit: 130, Why: "interrupted before its turn", Turns: 3, Calls: 4, Waited: 399 * time.Millisecond},
		runfile.Resumed{KeptThrough: 25},
		runfile.Request{Turn: 3},
		runfile.Attempt{Turn: 3, Attempt: chat.Attempt{Number: 1, Error: "lost", Charged: true, Usage: usage(5), By: "openai/b", Last: true}},
		runfile.End{Name: "unavailable", Why: "lost", Turns: 3, Calls: 4},
	)
	requests, texts := exportAll(t, &Exporter{}, records)
	want := []string{
		`chat a 3 01-02 status 2 "status 503": model=a attempt=1 type=503`,
		`chat a 3 03-03 status 2 "cut": model=a input_tokens=7 attempt=2 type=_OTHER`,
		`chat a 3 03-04 status 0 "": model=a input_tokens=700 attempt=3`,
		`execute_tool read 1 05-06 status 2 "NOT_FOUND": outcome=NOT_FOUND type=NOT_FOUND`,
		`execute_tool write 1 08-08 status 2 "UNKNOWN_OUTCOME": outcome=UNKNOWN_OUTCOME type=UNKNOWN_OUTCOME`,
		`execute_tool write 1 12-12 status 0 "": outcome=ok`,
		`execute_tool read 1 14-14 status 2 "discarded": outcome=discarded type=discarded`,
		`chat a 3 16-17 status 2 "refused": model=a attempt=1 type=unavailable`,
		`chat b 3 19-21 status 0 "": model=b input_tokens=60 attempt=1`,
		`chat a 3 22-23 status 2 "status 503": model=a attempt=1 type=503`,
		`chat a 3 26-27 status 2 "status 429": model=a attempt=1 type=429`,
		`chat b 3 30-31 status 2 "lost": model=b input_tokens=5 attempt=1 type=_OTHER`,
		`invoke_agent 1 00-32 status 2 "unavailable": model=a input_tokens=772 exit=unavailable calls=4 type=unavailable`,
		`gen_ai.client.token.usage 2 values, sum 707: model=a type=input`,
		`gen_ai.client.token.usage 2 values, sum 2: model=a type=output`,
		`gen_ai.client.token.usage 2 values, sum 65: model=b type=input`,
		`gen_ai.client.token.usage 2 values, sum 2: model=b type=output`,
		`gen_ai.client.operation.duration 2 values, sum 2: model=a type=503`,
		`gen_ai.client.operation.duration 1 values, sum 0: model=a type=_OTHER`,
		`gen_ai.client.operation.duration 1 values, sum 1: model=a`,
		`gen_ai.client.operation.duration 1 values, sum 1: model=a type=unavailable`,
		`gen_ai.client.operation.duration 1 values, sum 2: model=b`,
		`gen_ai.client.operation.duration 1 values, sum 1: model=a type=429`,
		`gen_ai.client.operation.duration 1 values, sum 1: model=b type=_OTHER`,
		`oneshot.tool.calls 1: outcome=NOT_FOUND`,
		`oneshot.tool.calls 1: outcome=UNKNOWN_OUTCOME`,
		`oneshot.tool.calls 1: outcome=ok`,
		`oneshot.tool.calls 1: outcome=discarded`,
	}
	if diff := cmp.Diff(want, describe(requests)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if all := strings.Join(texts, ""); strings.Contains(all, "the words") || strings.Contains(all, "/secret/file") {
		t.Error("it has content")
	}
	ids := map[string]bool{}
	for _, s := range requests[0].ResourceSpans[0].ScopeSpans[0].Spans {
		if ids[s.SpanID] || s.TraceID != requests[0].ResourceSpans[0].ScopeSpans[0].Spans[0].TraceID {
			t.Errorf("span %s has the ID of another, or another trace", s.Name)
		}
		ids[s.SpanID] = true
	}
	if _, again := exportAll(t, &Exporter{}, records); !slices.Equal(texts, again) {
		t.Error("a second export differs")
	}
}

// A failure belongs to the requested model. If the record does not name it, the export does not, either.
func TestExportFailedModel(t *testing.T) {
	models := func(names ...string) (settings []runfile.Setting) {
		for _, name := range names {
			settings = append(settings, runfile.Setting{Name: "model", Value: name})
		}
		return settings
	}
	attempt := func(by string) runfile.Attempt {
		return runfile.Attempt{Attempt: chat.Attempt{Number: 1, Error: "busy", Status: 503, By: by}}
	}
	request, answer, end := runfile.Request{Turn: 1}, runfile.Request{Turn: 1, Purpose: chat.PurposeAnswer}, runfile.End{Name: "unavailable"}
	one, two := runfile.Run{ID: "r", Model: "openai/a", Responder: "openai/r", Resolved: models("openai/a")}, runfile.Run{ID: "r", Model: "openai/a", Resolved: models("openai/a", "lmstudio/b")}
	for name, test := range map[string]struct {
		records []runfile.Body
		want    []string // models of the requests
	}{
		"one model":              {[]runfile.Body{one, request, attempt(""), end}, []string{"openai/a", "openai/a"}},
		"answer model":           {[]runfile.Body{one, answer, attempt(""), end}, []string{"openai/r", "openai/r"}},
		"several models":         {[]runfile.Body{two, request, attempt(""), end}, []string{"/", "/"}},
		"named model":            {[]runfile.Body{two, request, attempt("lmstudio/b"), end}, []string{"lmstudio/b", "/"}},
		"resumed with another":   {[]runfile.Body{two, request, runfile.Resumed{KeptThrough: 1, Resolved: models("lmstudio/b")}, request, end}, []string{"lmstudio/b"}},
		"resumed with the same":  {[]runfile.Body{one, request, runfile.Resumed{KeptThrough: 1}, request, end}, []string{"openai/a"}},
		"settings not on record": {[]runfile.Body{runfile.Run{ID: "r", Model: "openai/a"}, request, end}, []string{"openai/a"}},
	} {
		requests, _ := exportAll(t, &Exporter{}, recordsOf("r", test.records...))
		var got []string
		for _, s := range requests[0].ResourceSpans[0].ScopeSpans[0].Spans {
			var provider, model any = "", ""
			for _, a := range s.Attributes {
				switch a.Key {
				case "gen_ai.provider.name":
					provider = a.Value["stringValue"]
				case "gen_ai.request.model":
					model = a.Value["stringValue"]
				}
			}
			if strings.HasPrefix(s.Name, "chat") {
				got = append(got, fmt.Sprint(provider, "/", model))
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A request during which a run was killed is exported with its estimated input, whether the run was resumed or not. It
// ends with the latest record, since nobody knows when the process ended.
func TestExportKilled(t *testing.T) {
	request := runfile.Request{Turn: 1, By: "openai/a", EstimatedTokens: 9}
	requests, _ := exportAll(t, &Exporter{}, recordsOf("r",
		runfile.Run{ID: "r", Model: "openai/a"},
		request,
		runfile.Call{Turn: 1, ID: "c1", Name: "read", Early: true},
		runfile.Resumed{KeptThrough: 1},
		request,
		runfile.Attempt{Attempt: chat.Attempt{Number: 1, Error: "busy", Status: 503, Wait: time.Second}},
		runfile.Resumed{KeptThrough: 1},
		request,
	))
	want := []string{
		`chat a 3 01-02 status 2 "the run was cut off": model=a input_tokens=9 attempt=1 type=unfinished`,
		`chat a 3 04-05 status 2 "busy": model=a attempt=1 type=503`, // and killed in the wait before a retry
		`chat a 3 07-07 status 2 "the run was cut off": model=a input_tokens=9 attempt=1 type=unfinished`,
		`invoke_agent 1 00-07 status 0 "": model=a input_tokens=18 exit=unfinished calls=0`,
		`gen_ai.client.token.usage 2 values, sum 18: model=a type=input`,
		`gen_ai.client.token.usage 2 values, sum 0: model=a type=output`,
		`gen_ai.client.operation.duration 2 values, sum 1: model=a type=unfinished`,
		`gen_ai.client.operation.duration 1 values, sum 1: model=a type=503`,
	}
	if diff := cmp.Diff(want, describe(requests)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A replay is exported without tokens, times and calls, which are those of another run.
func TestExportReplay(t *testing.T) {
	requests, texts := exportAll(t, &Exporter{}, recordsOf("r",
		runfile.Run{ID: "r", Model: "replay:x.jsonl"}, runfile.Request{Turn: 1},
		runfile.Response{Turn: 1, By: "openai/a", Usage: chat.Usage{InputTokens: 777}}, runfile.Call{ID: "c", Name: "read"}, runfile.Result{Call: "c", Result: chat.Success([]byte("1"))},
		runfile.End{Name: "ok", Turns: 1},
	))
	if len(requests) != 1 || strings.Contains(texts[0], "777") || !strings.Contains(texts[0], `"key":"oneshot.replay","value":{"boolValue":true}`) {
		t.Errorf("%s", texts)
	}
	want := []string{`chat a 3 01-02 status 0 "": model=a attempt=1`, `execute_tool read 1 04-04 status 0 "": outcome=ok`, `invoke_agent 1 00-05 status 0 "": model=replay:x.jsonl exit=ok calls=1`}
	if diff := cmp.Diff(want, describe(requests)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Requests stay within the limit and together contain every span. A span that is too large for a request loses its
// content.
func TestExportPieces(t *testing.T) {
	const limit, count = 20_000, 100
	var runs [][]runfile.Record
	for i := range count {
		id := fmt.Sprintf("run%d", i)
		text := strings.Repeat("x", i*40)
		if i == 50 {
			text = strings.Repeat("y", 2*limit)
		}
		runs = append(runs, recordsOf(id,
			runfile.Run{ID: id, Model: "openai/a"}, runfile.Request{Turn: 1}, runfile.Response{Turn: 1, Content: text, By: "openai/a", Usage: chat.Usage{InputTokens: 1}}, runfile.End{Name: "ok"}))
	}
	x := &Exporter{Content: true, MaxBytes: limit}
	requests, texts := exportAll(t, x, runs...)
	spans, points := map[string]bool{}, 0
	for i, r := range requests {
		if len(texts[i]) > limit {
			t.Errorf("a request has %d bytes", len(texts[i]))
		}
		for _, resource := range r.ResourceSpans {
			for _, s := range resource.ScopeSpans[0].Spans {
				if spans[s.SpanID] {
					t.Errorf("span %s is exported twice", s.SpanID)
				}
				spans[s.SpanID] = true
			}
		}
		for _, resource := range r.ResourceMetrics {
			for _, m := range resource.ScopeMetrics[0].Metrics {
				points += len(m.Histogram.DataPoints)
			}
		}
	}
	if len(requests) < count/10 || len(spans) != 2*count || points != 3*count || x.Sent != count || x.WithoutContent != 1 {
		t.Errorf("%d requests, %d spans, %d points, %d sent, %d without content", len(requests), len(spans), points, x.Sent, x.WithoutContent)
	}
	if all := strings.Join(texts, ""); strings.Contains(all, "yyy") || !strings.Contains(all, "oneshot.content_omitted") {
		t.Error("the content that is too large is there, or not said to be missing")
	}
}

// After an error nothing more is sent, and only completely sent runs count.
func TestExportFailure(t *testing.T) {
	broken := errors.New("no more")
	sent, largest := 0, 0
	x := &Exporter{Version: "v", MaxBytes: 10_000, Mask: func(s string) string { return s }}
	x.Send = func(_ Signal, body []byte) error {
		largest = max(largest, len(body))
		if sent++; sent == 4 {
			return broken
		}
		return nil
	}
	var err error
	added := 0
	for err == nil && added < 100 {
		id := fmt.Sprintf("run%d", added)
		err = x.Add(slices.Values(recordsOf(id, runfile.Run{ID: id, Model: "openai/a"}, runfile.Request{Turn: 1}, runfile.Response{Turn: 1, By: "openai/a"}, runfile.End{Name: "ok"})))
		added++
	}
	if largest > x.MaxBytes {
		t.Errorf("a request has %d bytes", largest)
	}
	if !errors.Is(err, broken) || !errors.Is(x.Flush(), broken) || sent != 4 || x.Sent == 0 || x.Sent >= added-1 {
		t.Errorf("%v after %d requests; %d of %d runs", err, sent, x.Sent, added)
	}
}

// The buckets of a histogram are those of the conventions.
func TestBuckets(t *testing.T) {
	requests, _ := exportAll(t, &Exporter{}, recordsOf("r",
		runfile.Run{ID: "r", Model: "openai/a"}, runfile.Request{Turn: 1}, runfile.Response{Turn: 1, By: "openai/a", Usage: chat.Usage{InputTokens: 4, OutputTokens: 5}},
		runfile.Request{Turn: 2}, runfile.Response{Turn: 2, By: "openai/a", Usage: chat.Usage{InputTokens: 100_000_000, OutputTokens: 0}},
	))
	points := requests[1].ResourceMetrics[0].ScopeMetrics[0].Metrics[0].Histogram.DataPoints
	if got := strings.Join(points[0].BucketCounts, ""); got != "010000000000001" {
		t.Errorf("input: %s", got)
	}
	if got := strings.Join(points[1].BucketCounts, ""); got != "101000000000000" {
		t.Errorf("output: %s", got)
	}
	bounds, _ := json.Marshal(requests[1].ResourceMetrics[0].ScopeMetrics[0].Metrics[1].Histogram.DataPoints[0].ExplicitBounds)
	if string(bounds) != "[0.01,0.02,0.04,0.08,0.16,0.32,0.64,1.28,2.56,5.12,10.24,20.48,40.96,81.92]" || points[0].ExplicitBounds[13] != 67108864 {
		t.Errorf("bounds %s, %v", bounds, points[0].ExplicitBounds)
	}
}

// A time outside the range of OTLP becomes the nearest time in it.
func TestNanos(t *testing.T) {
	for at, want := range map[time.Time]string{
		{}:               "0",
		time.Unix(-1, 0): "0",
		time.Unix(1, 5):  "1000000005",
		start:            "1795649400000000000",
		time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC): "9223372035000000000",
	} {
		if got := nanos(at); got != want {
			t.Errorf("%v: %s, want %s", at, got, want)
		}
	}
}
