package telemetry

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// A trace exports the records of one run.
type trace struct {
	*Exporter
	id      string // of the trace; "" before the first record
	root    string // ID of the span of the run
	run     runfile.Run
	models  []runfile.Setting // of the run, or of its resumed part
	replay  bool
	start   time.Time
	last    time.Time
	request *runfile.Request        // without a response yet; nil if there is none
	sent    int                     // number of its record
	asked   time.Time               // when the latest attempt at it began
	attempt int                     // number of that attempt
	calls   map[string]runfile.Call // without a result yet, by ID
	totals  *fold
	series  []*series
}

// A series sums up the values of a metric with the same attributes. Each run has its own series: it is a process that
// counts from zero, and sums of several runs would depend on the selection of exported runs.
type series struct {
	metric  *metric
	key     string
	attrs   []attribute
	count   int
	sum     float64
	min     float64
	max     float64
	buckets []int
}

func newTrace(x *Exporter) *trace {
	return &trace{Exporter: x, calls: map[string]runfile.Call{}, totals: newFold(x.Prices)}
}

func (t *trace) add(r runfile.Record) {
	if r.Kind == runfile.KindResumed {
		t.exportCutOffRequest()
	}
	t.totals.add(r)
	t.last = r.Time
	t.asked = t.asked.Add(r.Waited()) // between two attempts
	switch b := r.Body.(type) {
	case runfile.Run:
		t.id, t.root, t.run, t.start = identifier(b.ID, "trace", 16), identifier(b.ID, "run", 8), b, r.Time
		t.replay, t.models = isReplay(b.Model), modelSettings(b.Resolved)
	case runfile.Request:
		t.request, t.sent, t.asked, t.attempt = &b, r.Seq, r.Time, 1
		if !t.Content {
			t.request.Messages = nil
		}
	case runfile.Attempt:
		t.failedAttempt(r, b)
	case runfile.Response:
		t.response(r, b)
	case runfile.Call:
		t.calls[b.ID] = b
	case runfile.Result:
		t.result(r, b)
	case runfile.Discarded:
		t.lostCall(r, b.Call, discarded)
	case runfile.UnknownOutcome:
		t.lostCall(r, b.Call, string(chat.UnknownOutcome))
	case runfile.Resumed:
		t.request = nil
		if models := modelSettings(b.Resolved); len(models) > 0 {
			t.models = models
		}
	case runfile.End:
		// An attempt that a signal cuts off is on record, with the wait for its turn. So a wait that is recorded here did not end.
		isForTurn := b.Waited > 0 && b.Exit > 128
		isWaiting := t.attempt > 1 && (r.Time.Before(t.asked) || isForTurn)
		if t.request != nil && !isWaiting {
			t.chat(r, exchanged{model: t.askedModel(), failure: b.Why, reason: b.Name})
		}
		t.request = nil
	}
}

// exportCutOffRequest exports the request during which the run was cut off, if its record has an estimate of its
// tokens.
func (t *trace) exportCutOffRequest() {
	open := t.totals.open // a copy: the totals close their own
	lost, ok := open.Close()
	if t.request == nil || !ok {
		return
	}
	end := runfile.Record{Header: runfile.Header{Seq: t.sent, Time: t.last}}
	t.chat(end, exchanged{model: lost.Model, usage: lost.Usage, failure: "the run was cut off", reason: Unfinished})
}

// span adds a span; part identifies it within the run.
func (t *trace) span(part, parent, name string, kind int, start, end time.Time, failure, reason string, attrs, content []attribute) {
	span := map[string]any{
		"traceId": t.id, "spanId": identifier(t.run.ID, part, 8), "name": name, "kind": kind,
		"startTimeUnixNano": nanos(start), "endTimeUnixNano": nanos(end),
	}
	if parent != "" {
		span["parentSpanId"] = parent
	}
	if reason != "" {
		span["status"] = map[string]any{"code": statusError, "message": t.Mask(failure)}
		attrs = append(attrs, attribute{"error.type", reason})
	}
	t.addSpan(span, attrs, content)
}

// An exchanged is the end of a request: its response, or its failure.
type exchanged struct {
	model    string // as PROVIDER/NAME
	usage    chat.Usage
	attrs    []attribute
	response *runfile.Response
	failure  string
	reason   string // of the failure; "" for none
}

func modelSettings(all []runfile.Setting) (models []runfile.Setting) {
	for _, s := range all {
		if s.Name == runfile.ModelSetting {
			models = append(models, s)
		}
	}
	return models
}

// askedModel returns the model of the request where its record does not name it, or "" if it may be any of several.
func (t *trace) askedModel() string {
	switch {
	case t.request != nil && t.request.Purpose == chat.PurposeAnswer && t.run.Responder != "":
		return t.run.Responder
	case len(t.models) == 0:
		return t.run.Model
	case len(t.models) > 1:
		return ""
	}
	return t.models[0].Value
}

// failedAttempt exports a failed attempt at a request. The request is open until its last attempt.
func (t *trace) failedAttempt(r runfile.Record, b runfile.Attempt) {
	if b.Skipped {
		return
	}
	e := exchanged{model: cmp.Or(b.By, t.askedModel()), failure: b.Error, reason: "_OTHER"} // the convention's name for no known type
	if b.Status != 0 {
		e.reason = strconv.Itoa(b.Status)
	}
	if b.Charged {
		e.usage = b.Usage
	}
	request := t.request
	t.chat(r, e)
	if b.Last {
		return
	}
	t.request, t.asked, t.attempt = request, r.Time.Add(b.Wait), b.Number+1
}

// response exports a request with its response.
func (t *trace) response(r runfile.Record, b runfile.Response) {
	e := exchanged{model: b.By, usage: b.Usage, response: &b, attrs: []attribute{{"gen_ai.response.model", b.Model}}}
	if b.Stop != "" {
		e.attrs = append(e.attrs, attribute{"gen_ai.response.finish_reasons", []string{string(b.Stop)}})
	}
	if b.BrokenOff != "" {
		e.failure, e.reason = b.BrokenOff, "broken_off"
	}
	t.chat(r, e)
}

// chat exports the latest request as a span "chat" that ends with a record. A replay repeats the usage and the times of
// another run, which are not counted again.
func (t *trace) chat(r runfile.Record, e exchanged) {
	if t.replay {
		e.usage = chat.Usage{}
	}
	provider, model := splitModel(e.model)
	common := []attribute{{"gen_ai.operation.name", "chat"}, {"gen_ai.provider.name", provider}, {"gen_ai.request.model", model}}
	attrs := slices.Concat(common, e.attrs, []attribute{{"gen_ai.conversation.id", t.run.ID}}, usageAttributes(e.usage))
	if t.request != nil {
		attrs = append(attrs, attribute{"oneshot.turn", t.request.Turn}, attribute{"oneshot.purpose", string(t.request.Purpose)})
	}
	attrs = append(attrs, attribute{"oneshot.attempt", t.attempt})
	var content []attribute
	if t.Content && t.request != nil && e.response != nil {
		content = []attribute{{"gen_ai.input.messages", t.inputMessages(t.request.Messages)}, {"gen_ai.output.messages", t.outputMessage(*e.response)}}
	}
	began := t.asked
	if r.Time.Before(began) {
		began = r.Time // the clock was set back
	}
	t.span("chat "+strconv.Itoa(r.Seq), t.root, strings.TrimSpace("chat "+model), kindClient, began, r.Time, e.failure, e.reason, attrs, content)
	t.request = nil
	if t.replay {
		return
	}
	if e.usage != (chat.Usage{}) {
		t.measure(tokenUsage, float64(e.usage.InputTokens), append(slices.Clone(common), attribute{"gen_ai.token.type", "input"}))
		t.measure(tokenUsage, float64(e.usage.OutputTokens), append(slices.Clone(common), attribute{"gen_ai.token.type", "output"}))
	}
	t.measure(requestDuration, r.Time.Sub(began).Seconds(), append(slices.Clone(common), attribute{"error.type", e.reason}))
}

// usageAttributes returns the attributes of a usage: none if there is none, and no parts that are zero.
func usageAttributes(u chat.Usage) (attrs []attribute) {
	if u == (chat.Usage{}) {
		return nil
	}
	attrs = []attribute{{"gen_ai.usage.input_tokens", u.InputTokens}, {"gen_ai.usage.output_tokens", u.OutputTokens}}
	for _, part := range []attribute{
		{"gen_ai.usage.cache_read.input_tokens", u.CachedInputTokens}, {"gen_ai.usage.cache_creation.input_tokens", u.CacheWriteTokens},
		{"gen_ai.usage.reasoning.output_tokens", u.ReasoningTokens}, {"oneshot.usage.estimated_tokens", u.EstimatedTokens},
	} {
		if part.value != 0 {
			attrs = append(attrs, part)
		}
	}
	return attrs
}

// result exports a call with its result.
func (t *trace) result(r runfile.Record, b runfile.Result) {
	c, ok := t.calls[b.Call]
	if !ok {
		return
	}
	outcome := outcomeOf(b.Result)
	failure, reason := "", ""
	if e := b.Result.Error; e != nil {
		failure, reason = outcome, outcome
		if t.Content {
			failure = e.Message
		}
	}
	var content []attribute
	if t.Content {
		result, _ := b.Result.MarshalJSON() // results on record have JSON
		content = []attribute{{"gen_ai.tool.call.result", t.Mask(string(result))}}
	}
	t.call(r, c, b.Duration, outcome, failure, reason, b.Cached != nil, content)
}

// lostCall exports a call that was started and has no result.
func (t *trace) lostCall(r runfile.Record, id, outcome string) {
	if c, ok := t.calls[id]; ok {
		t.call(r, c, 0, outcome, outcome, outcome, false, nil)
	}
}

// call exports a call as a span "execute_tool" that ends with a record.
func (t *trace) call(r runfile.Record, c runfile.Call, took time.Duration, outcome, failure, reason string, cached bool, content []attribute) {
	delete(t.calls, c.ID)
	attrs := []attribute{
		{"gen_ai.operation.name", "execute_tool"}, {"gen_ai.tool.name", c.Name}, {"gen_ai.tool.call.id", c.ID}, {"gen_ai.tool.type", "function"},
		{"gen_ai.conversation.id", t.run.ID}, {"oneshot.tool.effect", c.Effect}, {"oneshot.tool.outcome", outcome}, {"oneshot.tool.cached", cached},
		{"oneshot.turn", c.Turn},
	}
	if t.Content {
		content = append([]attribute{{"gen_ai.tool.call.arguments", t.Mask(string(c.Effective))}}, content...)
	}
	t.span("call "+strconv.Itoa(r.Seq), t.root, "execute_tool "+c.Name, kindInternal, r.Time.Add(-took), r.Time, failure, reason, attrs, content)
	if !t.replay {
		t.measure(toolCalls, 1, []attribute{{"gen_ai.tool.name", c.Name}, {"oneshot.tool.outcome", outcome}})
	}
}

// finish exports the run as a span "invoke_agent", and its metrics.
func (t *trace) finish() {
	t.exportCutOffRequest()
	run := t.totals.sum()
	if t.replay {
		run.Models = nil
	}
	provider, model := splitModel(t.run.Model)
	var usage chat.Usage
	cost := chat.Cost{Known: true}
	for _, m := range run.Models {
		usage, cost = usage.Add(m.Usage), cost.Add(m.Cost)
	}
	attrs := slices.Concat([]attribute{
		{"gen_ai.operation.name", "invoke_agent"}, {"gen_ai.provider.name", provider}, {"gen_ai.request.model", model}, {"gen_ai.agent.name", run.Agent},
		{"gen_ai.conversation.id", t.run.ID},
	}, usageAttributes(usage), []attribute{
		{"oneshot.run.id", t.run.ID}, {"oneshot.exit", run.Exit}, {"oneshot.turns", run.Turns}, {"oneshot.calls", run.Calls}, {"oneshot.replay", t.replay},
	})
	if b := t.run.Batch; b != nil {
		attrs = append(attrs, attribute{"oneshot.batch.id", b.Batch}, attribute{"oneshot.batch.index", b.Index})
	}
	if cost.Known {
		attrs = append(attrs, attribute{"oneshot.cost_usd", float64(cost.Amount) / chat.NanosPerUSD})
	}
	reason := ""
	if run.Exit != "ok" && run.Exit != Unfinished {
		reason = run.Exit
	}
	t.span("run", "", strings.TrimSpace("invoke_agent "+run.Agent), kindInternal, t.start, later(t.start, t.last), reason, reason, attrs, nil)
	for _, s := range t.series {
		t.addPoint(s.metric.name, t.point(s))
	}
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// measure adds a value to its series.
func (t *trace) measure(name string, value float64, attrs []attribute) {
	m := &metrics[slices.IndexFunc(metrics, func(m metric) bool { return m.name == name })]
	key := name + string(toJSON(attributes(attrs...)))
	i := slices.IndexFunc(t.series, func(s *series) bool { return s.key == key })
	if i < 0 {
		i = len(t.series)
		t.series = append(t.series, &series{metric: m, key: key, attrs: attrs, min: value, max: value, buckets: make([]int, len(m.bounds)+1)})
	}
	s := t.series[i]
	s.count++
	s.sum, s.min, s.max = s.sum+value, min(s.min, value), max(s.max, value)
	bucket, _ := slices.BinarySearch(m.bounds, value) // a bound belongs to the bucket below it
	s.buckets[bucket]++
}

// point returns the data point of a series.
func (t *trace) point(s *series) map[string]any {
	p := map[string]any{
		"startTimeUnixNano": nanos(t.start), "timeUnixNano": nanos(later(t.start, t.last)),
		"attributes": attributes(append(s.attrs, attribute{"oneshot.run.id", t.run.ID})...),
	}
	if s.metric.kind == "sum" {
		p["asInt"] = strconv.Itoa(s.count)
		return p
	}
	var counts []string
	for _, n := range s.buckets {
		counts = append(counts, strconv.Itoa(n))
	}
	p["count"], p["sum"], p["min"], p["max"] = strconv.Itoa(s.count), s.sum, s.min, s.max
	p["bucketCounts"], p["explicitBounds"] = counts, s.metric.bounds
	return p
}

// providerNames are the providers whose name in the conventions is not their own.
var providerNames = map[string]string{"gemini": "gcp.gemini"}

// splitModel splits PROVIDER/NAME. The provider is named as the conventions do.
func splitModel(model string) (provider, name string) {
	provider, name, ok := strings.Cut(model, "/")
	if !ok {
		return "", model
	}
	return cmp.Or(providerNames[provider], provider), name
}

// inputMessages returns messages of a request as the conventions form them.
func (t *trace) inputMessages(list []chat.Message) string {
	messages := []any{}
	for _, m := range list {
		parts := t.parts(m.Content, "", m.Calls)
		if m.Role == chat.Tool {
			parts = []any{map[string]any{"type": "tool_call_response", "id": m.CallID, "response": t.Mask(m.Content)}}
		}
		for _, a := range m.Attachments {
			modality := "document"
			if a.IsImage() {
				modality = "image"
			}
			parts = append(parts, map[string]any{"type": "file", "modality": modality, "mime_type": a.Type, "file_id": "sha256:" + a.SHA256})
		}
		messages = append(messages, map[string]any{"role": string(m.Role), "parts": parts})
	}
	return string(toJSON(messages))
}

// outputMessage returns a response as the conventions form it.
func (t *trace) outputMessage(b runfile.Response) string {
	return string(toJSON([]any{map[string]any{"role": "assistant", "parts": t.parts(b.Content, b.Reasoning, b.Calls), "finish_reason": string(b.Stop)}}))
}

// parts returns the parts of a message.
func (t *trace) parts(content, reasoning string, calls []chat.Call) []any {
	parts := []any{}
	if reasoning != "" {
		parts = append(parts, map[string]any{"type": "reasoning", "content": t.Mask(reasoning)})
	}
	if content != "" {
		parts = append(parts, map[string]any{"type": "text", "content": t.Mask(content)})
	}
	for _, c := range calls {
		parts = append(parts, map[string]any{"type": "tool_call", "id": c.ID, "name": c.Name, "arguments": rawOrText(t.Mask(string(c.Arguments)))})
	}
	return parts
}

// rawOrText returns a text as the JSON value that it is, or else as a string.
func rawOrText(text string) any {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}
