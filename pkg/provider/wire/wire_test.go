package wire_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"oneshot/pkg/provider/wire"
)

func TestErrorText(t *testing.T) {
	for _, tt := range []struct {
		body, want string
		codes      []string
	}{
		{`{"error":"model 'x' not found"}`, "model 'x' not found", nil},
		{`{"error":"too many","code":"slow_down"}`, "too many [slow_down]", []string{"slow_down"}},
		{`{"error":{"message":"slow down","type":"limit","code":"insufficient_quota"}}`, "slow down [insufficient_quota]", []string{"insufficient_quota", "limit"}},
		{`{"error":{"message":"slow down","code":null}}`, "slow down", nil},
		{`{"error":{"message":"code 429","code":429}}`, "code 429", []string{"429"}},
		{`{"error":{"message":"too long","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, "too long [context_length_exceeded]", []string{"context_length_exceeded", "invalid_request_error"}},
		{`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r"}`, "Overloaded [overloaded_error]", []string{"overloaded_error"}},
		{`[{"error":{"code":429,"message":"Resource exhausted.","errors":[{"message":"x","reason":"rateLimitExceeded"}],"status":"RESOURCE_EXHAUSTED"}}]`, "Resource exhausted. [rateLimitExceeded]", []string{"rateLimitExceeded", "RESOURCE_EXHAUSTED", "429"}},
		{`{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"bad tools\",\"type\":\"bad_request\"}}"}}}`, "Provider returned error: bad tools [bad_request]", []string{"bad_request", "400"}},
		{`{"error":{"message":"Provider returned error","metadata":{"raw":"upstream gone"}}}`, "Provider returned error: upstream gone", nil},
		{`{"error":{"detail":"own form"}}`, "own form", nil},
		{`{"error":{"reason":"unheard of"}}`, `{"reason":"unheard of"}`, nil},
		{`{"message":"gateway says no"}`, "gateway says no", nil},
		{`{"Message":"no access","__type":"AccessDeniedException"}`, "no access [AccessDeniedException]", []string{"AccessDeniedException"}},
		{`{"object":"error","message":"context is 4096","type":"BadRequestError","code":400}`, "context is 4096 [BadRequestError]", []string{"BadRequestError", "400"}},
		{`{"detail":"Not Found"}`, "Not Found", nil},
		{`{"detail":{"error":"nested"}}`, "nested", nil},
		{`{"detail":[{"loc":["body","model"],"msg":"field required"},{"loc":["body","n",0],"msg":"too big"}]}`, "body.model: field required; body.n.0: too big", nil},
		{`{"errors":["one",{"message":"two"}]}`, "one; two", nil},
		{`{"errors":[[["deep"]]]}`, `{"errors":[[["deep"]]]}`, nil},
		{`{"title":"Too Many Requests","status":429}`, "Too Many Requests", nil},
		{`{"choices":null,"base_resp":{"status_code":1004,"status_msg":"login fail"}}`, "login fail", nil},
		{`{"error":null}`, `{"error":null}`, nil},
		{`{"error":["a"]}`, `["a"]`, nil},
		{`{"error":"cut of`, `{"error":"cut of`, nil},
		{"{\n  \"error\": \"two\\nlines\"\n}\n", "two\nlines", nil},
		{" 405 method not allowed\n", "405 method not allowed", nil},
		{"<html>\n<h1>502</h1>\n</html>", "502", nil},
		{"<!doctype html><HTML><Title lang=en>\n 503  Service\nUnavailable </TITLE><h1>no</h1>", "503 Service Unavailable", nil},
		{"<html><title></title><h1>İ Bad Gateway</h1></html>", "İ Bad Gateway", nil},
		{"<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>", "Access Denied", nil},
		{"<html><title", "an untitled page", nil},
		{"", "", nil},
	} {
		if got := wire.ErrorText([]byte(tt.body)); got != tt.want {
			t.Errorf("ErrorText(%q) = %q, want %q", tt.body, got, tt.want)
		}
		if got := wire.ErrorCodes([]byte(tt.body)); !slices.Equal(got, tt.codes) {
			t.Errorf("ErrorCodes(%q) = %q, want %q", tt.body, got, tt.codes)
		}
	}
}

// Errors of hostile depth and length are parsed within limits.
func TestErrorTextOfMuch(t *testing.T) {
	for _, body := range []string{
		`{"errors":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
		`{"error":{"message":"x","details":[` + strings.Repeat(`{"reason":"r"},`, 1<<16) + `{}]}}`,
		strings.Repeat("[", 1<<20),
	} {
		if text, codes := wire.ErrorText([]byte(body)), wire.ErrorCodes([]byte(body)); text == "" || len(codes) > 10 {
			t.Errorf("%.40s: %.40s %v", body, text, codes)
		}
	}
}

func TestExcerpt(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"plain “text”", "plain “text”"},
		{"two\nlines\tand a tab", "two lines and a tab"},
		{"\x1b[31mred\x00\xff", "\ufffd[31mred\ufffd\ufffd"},
	} {
		if got := wire.Excerpt(tt.text); got != tt.want {
			t.Errorf("Excerpt(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
	long := wire.Excerpt(strings.Repeat("ü", 1000))
	if !strings.HasSuffix(long, "…") || len(long) > 420 || !utf8.ValidString(long) {
		t.Errorf("%d bytes: %q", len(long), long)
	}
}
