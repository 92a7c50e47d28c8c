package telemetry

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// An Export holds the traces and metrics of runs in the JSON form of OTLP, with the names of the semantic conventions of
// OpenTelemetry for generative AI. Identifiers derive from those of the runs, so that exporting a run again gives the same.
type Export struct {
	Traces  map[string]any // an ExportTraceServiceRequest
	Metrics map[string]any // an ExportMetricsServiceRequest
}

// An Exporter makes an [Export].
type Exporter struct {
	Version string // of the program
	Content bool   // also export messages, arguments and results
	// Mask masks secrets in texts. It must not be nil.
	Mask func(string) string

	spans   []any
	tokens  []any // data points
	seconds []any
	calls   []any
}

// Conventions of OTLP/JSON and of its semantic conventions.
const (
	kindInternal = 1
	kindClient   = 3
	statusError  = 2
	schemaURL    = "https://opentelemetry.io/schemas/1.37.0"
)

// attribute is a key and its value.
type attribute struct {
	key   string
	value any // string, int, float64, bool or []string
}

func attributes(list ...attribute) []any {
	out := []any{}
	for _, a := range list {
		var value any
		switch v := a.value.(type) {
		case string:
			if v == "" {
				continue
			}
			value = map[string]any{"stringValue": v}
		case int:
			value = map[string]any{"intValue": strconv.Itoa(v)} // 64-bit numbers are strings in JSON
		case bool:
			value = map[string]any{"boolValue": v}
		case float64:
			value = map[string]any{"doubleValue": v}
		case []string:
			values := []any{}
			for _, s := range v {
				values = append(values, map[string]any{"stringValue": s})
			}
			value = map[string]any{"arrayValue": map[string]any{"values": values}}
		}
		out = append(out, map[string]any{"key": a.key, "value": value})
	}
	return out
}

// A trace exports the records of one run.
type trace struct {
	*Exporter
	id       string // of the trace
	root     string // ID of the span of the run
	run      runfile.Run
	start    time.Time
	last     time.Time
	request  *runfile.Request
	asked    time.Time
	attempts int
	calls    map[string]calledTool
	totals   *fold
}

// A calledTool is a call whose result is not known yet.
type calledTool struct {
	runfile.Call
	at time.Time
}

// Add exports the records of a run. They must be in order.
func (x *Exporter) Add(records iter.Seq[runfile.Record]) {
	t := &trace{Exporter: x, calls: map[string]calledTool{}, totals: newFold()}
	for r := range records {
		t.totals.add(r)
		t.last = r.Time
		t.add(r)
	}
	if t.id != "" {
		t.finish()
	}
}

func (t *trace) add(r runfile.Record) {
	switch b := r.Body.(type) {
	case runfile.Run:
		t.id, t.root, t.run, t.start = identifier(b.ID, "trace", 16), identifier(b.ID, "run", 8), b, r.Time
	case runfile.Request:
		t.request, t.asked, t.attempts = &b, r.Time, 0
	case runfile.Attempt:
		t.attempts = b.Number
	case runfile.Response:
		t.response(r, b)
	case runfile.Call:
		t.calls[b.ID] = calledTool{b, r.Time}
	case runfile.Intent:
		if c, ok := t.calls[b.Call]; ok {
			c.at = r.Time
			t.calls[b.Call] = c
		}
	case runfile.Result:
		t.result(r, b)
	}
}

// identifier returns an ID of OTLP of a number of bytes, in hexadecimal digits.
func identifier(run, part string, size int) string {
	sum := sha256.Sum256([]byte(run + "\x00" + part))
	return hex.EncodeToString(sum[:size])
}

func (t *trace) span(part, parent, name string, kind int, start, end time.Time, failed string, attrs []any) {
	span := map[string]any{
		"traceId": t.id, "spanId": identifier(t.run.ID, part, 8), "name": name, "kind": kind,
		"startTimeUnixNano": nanos(start), "endTimeUnixNano": nanos(end), "attributes": attrs,
	}
	if parent != "" {
		span["parentSpanId"] = parent
	}
	if failed != "" {
		span["status"] = map[string]any{"code": statusError, "message": t.Mask(failed)}
	}
	t.spans = append(t.spans, span)
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

// response exports a request and its response as a span "chat". A replay repeats the usage of another run, which is not
// counted again.
func (t *trace) response(r runfile.Record, b runfile.Response) {
	isReplay := isReplay(t.run.Model)
	if isReplay {
		b.Usage = chat.Usage{}
	}
	provider, model := splitModel(b.By)
	attrs := []attribute{
		{"gen_ai.operation.name", "chat"}, {"gen_ai.provider.name", provider}, {"gen_ai.request.model", model},
		{"gen_ai.response.model", b.Model}, {"gen_ai.conversation.id", t.run.ID},
		{"gen_ai.response.finish_reasons", []string{string(b.Stop)}},
		{"gen_ai.usage.input_tokens", b.Usage.InputTokens}, {"gen_ai.usage.output_tokens", b.Usage.OutputTokens},
		{"gen_ai.usage.cache_read.input_tokens", b.Usage.CachedInputTokens}, {"gen_ai.usage.cache_creation.input_tokens", b.Usage.CacheWriteTokens},
		{"oneshot.usage.reasoning_tokens", b.Usage.ReasoningTokens}, {"oneshot.usage.estimated_tokens", b.Usage.EstimatedTokens},
		{"oneshot.turn", b.Turn}, {"oneshot.attempts", t.attempts + 1},
	}
	failure := ""
	if b.BrokenOff != "" {
		failure = b.BrokenOff
		attrs = append(attrs, attribute{"error.type", "broken_off"})
	}
	if t.Content && t.request != nil {
		attrs = append(attrs, attribute{"gen_ai.input.messages", t.inputMessages(*t.request)}, attribute{"gen_ai.output.messages", t.outputMessage(b)})
	}
	t.span("turn "+strconv.Itoa(b.Turn)+" "+strconv.Itoa(r.Seq), t.root, strings.TrimSpace("chat "+model), kindClient, t.asked, r.Time, failure, attributes(attrs...))
	if isReplay {
		return
	}
	common := []attribute{{"gen_ai.operation.name", "chat"}, {"gen_ai.provider.name", provider}, {"gen_ai.request.model", model}}
	for _, kind := range []struct {
		name   string
		tokens int
	}{{"input", b.Usage.InputTokens}, {"output", b.Usage.OutputTokens}} {
		t.tokens = append(t.tokens, t.histogram(t.asked, r.Time, float64(kind.tokens), attributes(append(slices.Clone(common), attribute{"gen_ai.token.type", kind.name})...)))
	}
	t.seconds = append(t.seconds, t.histogram(t.asked, r.Time, r.Time.Sub(t.asked).Seconds(), attributes(common...)))
}

// result exports a call as a span "execute_tool".
func (t *trace) result(r runfile.Record, b runfile.Result) {
	c, ok := t.calls[b.Call]
	if !ok {
		return
	}
	outcome, failed := outcomeOf(b.Result), ""
	attrs := []attribute{
		{"gen_ai.operation.name", "execute_tool"}, {"gen_ai.tool.name", c.Name}, {"gen_ai.tool.call.id", c.ID}, {"gen_ai.tool.type", "function"},
		{"gen_ai.conversation.id", t.run.ID}, {"oneshot.tool.effect", c.Effect}, {"oneshot.tool.outcome", outcome}, {"oneshot.turn", c.Turn},
	}
	if outcome != "ok" && outcome != "needs" {
		failed = outcome
		attrs = append(attrs, attribute{"error.type", outcome})
	}
	if t.Content {
		result, _ := b.Result.MarshalJSON() // results on record have JSON
		attrs = append(attrs, attribute{"gen_ai.tool.call.arguments", t.Mask(string(c.Effective))}, attribute{"gen_ai.tool.call.result", t.Mask(string(result))})
	}
	began := r.Time.Add(-b.Duration)
	if began.Before(t.start) {
		began = c.at
	}
	t.span("call "+c.ID, t.root, "execute_tool "+c.Name, kindInternal, began, r.Time, failed, attributes(attrs...))
	t.Exporter.calls = append(t.Exporter.calls, map[string]any{
		"startTimeUnixNano": nanos(t.start), "timeUnixNano": nanos(r.Time), "asInt": "1",
		"attributes": attributes(attribute{"gen_ai.tool.name", c.Name}, attribute{"oneshot.tool.outcome", outcome}, attribute{"oneshot.run.id", t.run.ID}, attribute{"gen_ai.tool.call.id", c.ID}),
	})
}

// finish exports the run as a span "invoke_agent".
func (t *trace) finish() {
	run, isReplay := t.totals.run, isReplay(t.run.Model)
	if isReplay {
		run.Models = nil
	}
	provider, model := splitModel(t.run.Model)
	var usage chat.Usage
	cost := chat.Cost{Known: true}
	for _, m := range run.Models {
		usage, cost = usage.Add(m.Usage), cost.Add(m.Cost)
	}
	attrs := []attribute{
		{"gen_ai.operation.name", "invoke_agent"}, {"gen_ai.provider.name", provider}, {"gen_ai.request.model", model}, {"gen_ai.agent.name", run.Agent},
		{"gen_ai.conversation.id", t.run.ID}, {"gen_ai.usage.input_tokens", usage.InputTokens}, {"gen_ai.usage.output_tokens", usage.OutputTokens},
		{"oneshot.run.id", t.run.ID}, {"oneshot.exit", run.Exit}, {"oneshot.turns", run.Turns}, {"oneshot.calls", run.Calls}, {"oneshot.replay", isReplay},
	}
	if cost.Known {
		attrs = append(attrs, attribute{"oneshot.cost_usd", float64(cost.Amount) / chat.NanosPerUSD})
	}
	failed := ""
	if run.Exit != "ok" {
		failed = run.Exit
		attrs = append(attrs, attribute{"error.type", run.Exit})
	}
	t.span("run", "", strings.TrimSpace("invoke_agent "+run.Agent), kindInternal, t.start, t.last, failed, attributes(attrs...))
}

// splitModel splits PROVIDER/NAME.
func splitModel(model string) (provider, name string) {
	provider, name, ok := strings.Cut(model, "/")
	if !ok {
		return "", model
	}
	return provider, name
}

// inputMessages returns the new messages of a request as the conventions form them.
func (t *trace) inputMessages(b runfile.Request) string {
	messages := []any{}
	for _, m := range b.Messages {
		messages = append(messages, map[string]any{"role": string(m.Role), "parts": []any{map[string]any{"type": "text", "content": t.Mask(m.Content)}}})
	}
	return toJSON(messages)
}

// outputMessage returns a response as the conventions form it.
func (t *trace) outputMessage(b runfile.Response) string {
	parts := []any{}
	if b.Reasoning != "" {
		parts = append(parts, map[string]any{"type": "reasoning", "content": t.Mask(b.Reasoning)})
	}
	if b.Content != "" {
		parts = append(parts, map[string]any{"type": "text", "content": t.Mask(b.Content)})
	}
	for _, c := range b.Calls {
		parts = append(parts, map[string]any{"type": "tool_call", "id": c.ID, "name": c.Name, "arguments": t.Mask(string(c.Arguments))})
	}
	return toJSON([]any{map[string]any{"role": "assistant", "parts": parts, "finish_reason": string(b.Stop)}})
}

func toJSON(v any) string {
	text, _ := json.Marshal(v) // of maps, lists and strings
	return string(text)
}

// histogram returns a data point with one value.
func (t *trace) histogram(start, end time.Time, value float64, attrs []any) map[string]any {
	return map[string]any{
		"startTimeUnixNano": nanos(start), "timeUnixNano": nanos(end), "count": "1", "sum": value, "min": value, "max": value,
		"bucketCounts": []string{"1"}, "explicitBounds": []float64{}, "attributes": append(attrs, attributes(attribute{"oneshot.run.id", t.run.ID})...),
	}
}

// Export returns what was added.
func (x *Exporter) Export() Export {
	resource := map[string]any{"attributes": attributes(attribute{"service.name", "oneshot"}, attribute{"service.version", x.Version})}
	scope := map[string]any{"name": "oneshot", "version": x.Version}
	metric := func(name, unit, description, kind string, points []any) map[string]any {
		data := map[string]any{"aggregationTemporality": 1, "dataPoints": points} // delta
		if kind == "sum" {
			data["isMonotonic"] = true
		}
		return map[string]any{"name": name, "unit": unit, "description": description, kind: data}
	}
	list := func(points []any) []any {
		if points == nil {
			return []any{}
		}
		return points
	}
	return Export{
		Traces: map[string]any{"resourceSpans": []any{map[string]any{"resource": resource, "schemaUrl": schemaURL,
			"scopeSpans": []any{map[string]any{"scope": scope, "spans": list(x.spans)}}}}},
		Metrics: map[string]any{"resourceMetrics": []any{map[string]any{"resource": resource, "schemaUrl": schemaURL,
			"scopeMetrics": []any{map[string]any{"scope": scope, "metrics": []any{
				metric("gen_ai.client.token.usage", "{token}", "Tokens of requests.", "histogram", list(x.tokens)),
				metric("gen_ai.client.operation.duration", "s", "Duration of requests.", "histogram", list(x.seconds)),
				metric("oneshot.tool.calls", "{call}", "Calls by tool and outcome.", "sum", list(x.calls)),
			}}}}}},
	}
}
