package provider_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
)

// textAt returns the text of segments of a body.
func textAt(t testing.TB, body []byte, pieces []wire.Segment) string {
	t.Helper()
	var all []byte
	for _, p := range pieces {
		text := string(body[p.Start:p.End])
		if p.Quoted {
			raw := text
			if err := json.Unmarshal([]byte(raw), &text); err != nil {
				t.Fatalf("%q is no string: %v", raw, err)
			}
		}
		if p.TextOffset > len(all) || p.TextOffset < 0 && len(all) > 0 {
			t.Fatalf("%q is at %d, want %d", text, p.TextOffset, len(all))
		}
		all = append(all, text[max(0, -p.TextOffset):]...)
	}
	return string(all)
}

// checkSources checks that the segments of texts contain them.
func checkSources(t testing.TB, decoder *wire.Protocol, body []byte) *wire.Sources {
	t.Helper()
	d := decoder.NewDecoder(1 << 20)
	d.TraceSources()
	_ = d.Write(body, nil) // the sources before an error count
	resp, _ := d.Close()
	from := d.Sources()
	if got := textAt(t, body, from.Content); got != resp.Content {
		t.Errorf("the content %q is found as %q", resp.Content, got)
	}
	if got := textAt(t, body, from.Reasoning); got != resp.Reasoning {
		t.Errorf("the reasoning %q is found as %q", resp.Reasoning, got)
	}
	if len(from.Calls) != len(resp.Calls) {
		t.Fatalf("%d calls are found of %d", len(from.Calls), len(resp.Calls))
	}
	for i, c := range resp.Calls {
		args := string(c.Arguments)
		if c.Arguments == nil {
			args = c.Text
		}
		if got := textAt(t, body, from.Calls[i].Arguments); got != "" && string(bytes.TrimSpace([]byte(got))) != string(bytes.TrimSpace([]byte(args))) {
			t.Errorf("the arguments %q are found as %q", args, got)
		}
		if got := textAt(t, body, from.Calls[i].Name); got != c.Name {
			t.Errorf("the name %q is found as %q", c.Name, got)
		}
	}
	return from
}

// checkPaths checks that a path leads to the segment in its object. Objects on several lines of
// an event stream are not JSON in the body and are skipped.
func checkPaths(t *testing.T, body []byte, pieces []wire.Segment) {
	t.Helper()
	paths := wire.NewPathFinder(body)
	for _, p := range pieces {
		path := paths.Path(p)
		at := gjson.GetBytes(body[p.ObjectStart:], strings.NewReplacer("[", ".", "]", "").Replace(path)).Index
		if at != p.Start-p.ObjectStart && !bytes.Contains(body[p.ObjectStart:p.Start], []byte("\ndata:")) {
			t.Errorf("%q, at %d of the object, has the path %s, which leads to %d", body[p.Start:p.End], p.Start-p.ObjectStart, path, at)
		}
	}
}

// Texts are found in the body for every format and streaming mode.
func TestSources(t *testing.T) {
	for _, format := range formatNames() {
		for _, c := range cases(t, format) {
			t.Run(c.file, func(t *testing.T) {
				from := checkSources(t, formats[format], c.body)
				checkPaths(t, c.body, slices.Concat(from.Content, from.Reasoning))
				for _, call := range from.Calls {
					checkPaths(t, c.body, slices.Concat(call.ID, call.Name, call.Arguments))
				}
			})
		}
	}
}

// The format of a body with content is detected.
func TestFormatOf(t *testing.T) {
	for _, format := range formatNames() {
		for _, c := range cases(t, format) {
			r := read(t, formats[format], maxBytes, c.body)
			says := r.Response.Content != "" || len(r.Response.Calls) > 0
			refused := !says && r.Err != nil && r.Err.Kind == wire.ServerError
			if got := provider.DetectProtocol(c.body); got != nil && got != formats[format] && !refused || says && got == nil {
				t.Errorf("%s: detected as %+v", c.file, got)
			}
		}
	}
}

// A body that is only an error has a format that reads it as one; an answer that only mentions
// an error is text.
func TestFormatOfErrors(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"no such model","type":"invalid_request_error","param":null,"code":"model_not_found"}}`: "native_openai_chat",
		`{"error":{"message":"slow down","code":429},"user_id":"u"}`:                                                 "native_openai_chat",
		`{"error":"model 'm' not found"}`:                                                                            "native_ollama_chat",
		"{\"error\":\"the runner has stopped\"}\n":                                                                   "native_ollama_chat",
		`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r"}`:               "native_anthropic",
		`{"error":{"code":503,"message":"Overloaded.","status":"UNAVAILABLE"}}`:                                      "native_gemini",
		`[{"error":{"code":400,"message":"No such key.","status":"INVALID_ARGUMENT"}}]`:                              "native_gemini",
		`{"type":"error","code":"server_error","message":"Gone.","param":null,"sequence_number":3}`:                  "native_openai_responses",
		"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"Gone.\"}}\n\n":      "native_anthropic",
		"data: {\"error\":{\"message\":\"Gone.\"},\"status_code\":500}\n\ndata: [DONE]\n\n":                          "native_openai_chat",
		"data: {\"error\":{\"message\":\"Gone.\"},\"choices\":null,\"x\":1}\n\n":                                     "native_openai_chat",
		"event: error\ndata: gone\n\n":                                                                               "native_openai_chat",
		`{"error":"no such file","answer":[]}`:                                                                       "",
		`{"error":""}`:                                                                                               "",
		`{"error":null,"type":"x"}`:                                                                                  "",
		`{"error":{"line":3}}`:                                                                                       "",
		`{"error":"no such file"`:                                                                                    "",
		`{"error":"no such file"} is what it said.`:                                                                  "",
		`{"type":"error"}`:              "",
		`[{"error":"x"},{"error":"y"}]`: "",
		`{"message":"Fine."}`:           "",
		`{}`:                            "",
	} {
		got := provider.DetectProtocol([]byte(body))
		if got != provider.ProtocolNamed(want) {
			t.Errorf("%s is detected as %+v, want %q", body, got, want)
			continue
		}
		if want == "" {
			continue
		}
		d := got.NewDecoder(1 << 20)
		_ = d.Write([]byte(body), nil) // Close repeats the error
		var e *wire.Error
		if _, err := d.Close(); !errors.As(err, &e) || e.Kind != wire.ServerError {
			t.Errorf("%s is read as %v", body, err)
		}
	}
}
