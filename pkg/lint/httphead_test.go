package lint

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/diag"
)

// M3: an HTTP head only shifts the spans of a text.
func TestHeadMoves(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
	type place struct {
		what       string
		start, end int
	}
	places := func(r ParseResult, by int) (all []place) {
		for _, c := range r.Calls {
			all = append(all, place{c.Name + string(c.Arguments) + string(c.Status), c.Span.Start - by, c.Span.End - by})
		}
		for _, f := range r.Findings {
			all = append(all, place{string(f.Code), f.Span.Start - by, f.Span.End - by})
			for _, x := range f.Fixes {
				for _, e := range x.Edits {
					all = append(all, place{e.New, e.Start - by, e.End - by})
				}
			}
		}
		return all
	}
	for file, text := range texts(t) {
		for _, src := range []string{text, string(wrapped(t, text))} {
			if isBlank([]byte(src)) {
				continue
			}
			plain, headed := response("f", []byte(src), Options{}), response("f", []byte(head+src), Options{})
			if diff := cmp.Diff(places(plain, 0), places(headed, len(head)), cmp.AllowUnexported(place{})); diff != "" {
				t.Errorf("%s (-plain +headed):\n%s", file, diff)
			}
			if plain.Dialect != headed.Dialect || plain.Content != headed.Content {
				t.Errorf("%s: dialect %s, and %s behind a head", file, plain.Dialect, headed.Dialect)
			}
		}
	}
}

// However a capture is truncated, findings lie inside it, and a truncated head has no call.
func TestHeadCut(t *testing.T) {
	const whole = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n" +
		`{"choices":[{"message":{"tool_calls":[{"id":"x","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`
	for n := range whole {
		r := response("f", []byte(whole[:n]), Options{})
		if n > len("HTTP/1.1 100 Continue\r\n\r\n") && (!diag.HasErrors(r.Findings) || len(r.executableCalls()) > 0) {
			t.Errorf("%q: %v", whole[:n], r.Findings)
		}
		for _, f := range r.Findings {
			if f.Span.Start < 0 || f.Span.End > n {
				t.Errorf("%q: %v stands at %v", whole[:n], f, f.Span)
			}
		}
	}
}
