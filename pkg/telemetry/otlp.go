package telemetry

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"strconv"
	"time"

	"oneshot/pkg/pricing"
	"oneshot/pkg/runfile"
)

// A Signal is a kind of telemetry.
type Signal string

// The signals that an [Exporter] sends.
const (
	Traces  Signal = "traces"  // an ExportTraceServiceRequest
	Metrics Signal = "metrics" // an ExportMetricsServiceRequest
)

// DefaultMaxBytes is the size of a request that collectors accept by default.
const DefaultMaxBytes = 4 << 20

// frameBytes is an upper bound of the bytes around the spans or data points of a request.
const frameBytes = 4 << 10

// An Exporter makes traces and metrics of runs, in requests in the JSON form of OTLP and with the names of the semantic
// conventions of OpenTelemetry for generative AI. Identifiers derive from those of the runs, so that exporting a run again
// gives the same. It keeps at most one request of each signal.
type Exporter struct {
	Version string // of the program
	Content bool   // also export messages, arguments and results
	// Prices are those of models whose price was unknown when they ran.
	Prices pricing.Prices
	// Mask masks secrets in texts. It must not be nil.
	Mask func(string) string
	// Send takes a request, which it must not keep. After an error there are no more.
	Send func(Signal, []byte) error
	// MaxBytes limits a request; 0 means [DefaultMaxBytes].
	MaxBytes int

	// Sent is the number of runs whose last request was sent.
	Sent int
	// WithoutContent is the number of spans without their content, because it does not fit into a request.
	WithoutContent int

	added  int // runs
	spans  bytes.Buffer
	points map[string]*bytes.Buffer // by metric
	size   int                      // of the points
	err    error
}

// Add exports the records of a run, which must be in order. It returns the error of Send.
func (x *Exporter) Add(records iter.Seq[runfile.Record]) error {
	t := newTrace(x)
	for r := range records {
		if x.err != nil {
			return x.err
		}
		t.add(r)
	}
	if t.id != "" {
		t.finish()
		x.added++
	}
	return x.err
}

// Flush sends the rest.
func (x *Exporter) Flush() error {
	if x.err == nil && x.spans.Len() > 0 {
		x.spans.Write(requestEnd)
		x.err = x.Send(Traces, x.spans.Bytes())
	}
	if x.err == nil && x.size > 0 {
		request := x.requestStart("Metrics", "metrics")
		comma := ""
		for _, m := range metrics {
			points := x.points[m.name]
			if points == nil {
				continue
			}
			data := map[string]any{"aggregationTemporality": temporalityDelta, "dataPoints": json.RawMessage("[" + points.String() + "]")}
			if m.kind == "sum" {
				data["isMonotonic"] = true
			}
			request = append(request, comma...)
			request = append(request, toJSON(map[string]any{"name": m.name, "unit": m.unit, "description": m.description, m.kind: data})...)
			comma = ","
		}
		x.err = x.Send(Metrics, append(request, requestEnd...))
	}
	if x.err == nil {
		x.Sent = x.added
		x.spans.Reset()
		x.points, x.size = nil, 0
	}
	return x.err
}

// requestStart returns a request up to its spans or metrics.
func (x *Exporter) requestStart(noun, list string) []byte {
	resource := toJSON(map[string]any{"attributes": attributes(attribute{"service.name", "oneshot"}, attribute{"service.version", x.Version})})
	scope := toJSON(map[string]any{"name": "oneshot", "version": x.Version})
	return fmt.Appendf(nil, `{"resource%s":[{"resource":%s,"schemaUrl":"%s","scope%[1]s":[{"scope":%[4]s,"schemaUrl":"%[3]s","%[5]s":[`, noun, resource, schemaURL, scope, list)
}

// requestEnd ends a request that requestStart begins.
var requestEnd = []byte("]}]}]}")

// maxPayloadBytes returns the number of bytes for spans or data points in a request.
func (x *Exporter) maxPayloadBytes() int {
	if x.MaxBytes > 0 {
		return x.MaxBytes - frameBytes
	}
	return DefaultMaxBytes - frameBytes
}

// addSpan adds a span. Content are the attributes that it loses if it does not fit into a request.
func (x *Exporter) addSpan(span map[string]any, attrs, content []attribute) {
	span["attributes"] = attributes(append(attrs, content...)...)
	text := toJSON(span)
	if len(text) > x.maxPayloadBytes() && len(content) > 0 {
		x.WithoutContent++
		span["attributes"] = attributes(append(attrs, attribute{"oneshot.content_omitted", true})...)
		text = toJSON(span)
	}
	if x.spans.Len()+len(text) > x.maxPayloadBytes() {
		_ = x.Flush() // the error is kept
	}
	if x.spans.Len() == 0 {
		x.spans.Write(x.requestStart("Spans", "spans"))
	} else {
		x.spans.WriteByte(',')
	}
	x.spans.Write(text)
}

// addPoint adds a data point of a metric.
func (x *Exporter) addPoint(metric string, point map[string]any) {
	text := toJSON(point)
	if x.size+len(text) > x.maxPayloadBytes() {
		_ = x.Flush() // the error is kept
	}
	if x.points == nil {
		x.points = map[string]*bytes.Buffer{}
	}
	if x.points[metric] == nil {
		x.points[metric] = &bytes.Buffer{}
	} else {
		x.points[metric].WriteByte(',')
	}
	x.points[metric].Write(text)
	x.size += len(text) + 1
}

func toJSON(v any) []byte {
	text, _ := json.Marshal(v) // of maps, lists, strings and finite numbers
	return text
}

// Conventions of OTLP/JSON and of its semantic conventions.
const (
	kindInternal     = 1
	kindClient       = 3
	statusError      = 2
	temporalityDelta = 1
	schemaURL        = "https://opentelemetry.io/schemas/1.41.0"
)

// attribute is a key and its value.
type attribute struct {
	key   string
	value any // string, int, float64, bool or []string
}

// attributes returns attributes as OTLP encodes them. It leaves out empty texts and lists.
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
			if len(v) == 0 {
				continue
			}
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

// identifier returns an ID of OTLP of a number of bytes, in hexadecimal digits.
func identifier(run, part string, size int) string {
	sum := sha256.Sum256([]byte(run + "\x00" + part))
	return hex.EncodeToString(sum[:size])
}

// nanos returns a time in the form of OTLP, which has none before 1970: a collector refuses a whole request with one.
func nanos(t time.Time) string {
	return strconv.FormatInt(max(0, min(t.Unix(), math.MaxInt64/int64(time.Second)-1))*int64(time.Second)+int64(t.Nanosecond()), 10)
}

// A metric describes a metric.
type metric struct {
	name, unit, description string
	kind                    string    // histogram or sum
	bounds                  []float64 // of the buckets
}

// The names of the metrics.
const (
	tokenUsage      = "gen_ai.client.token.usage"
	requestDuration = "gen_ai.client.operation.duration"
	toolCalls       = "oneshot.tool.calls"
)

// metrics are the metrics of an export. The bounds are those that the conventions recommend.
var metrics = []metric{
	{tokenUsage, "{token}", "Number of input and output tokens used.", "histogram", powers(1, 4, 14)},
	{requestDuration, "s", "GenAI operation duration.", "histogram", powers(0.01, 2, 14)},
	{toolCalls, "{call}", "Calls by tool and outcome.", "sum", nil},
}

// powers returns n numbers that begin with first and grow by a factor.
func powers(first, factor float64, n int) []float64 {
	var out []float64
	for ; n > 0; n-- {
		out, first = append(out, first), first*factor
	}
	return out
}
