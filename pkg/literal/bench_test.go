package literal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

const benchText = "All work and no play makes Jack a dull boy. "

// benchNames are the requested members of a call.
var benchNames = []string{
	"type", "name", "tool_name", "tool", "function", "parameters", "arguments", "args", "tool_input", "input",
	"id", "call_id", "tool_call_id", "operation", "priority",
}

// BenchmarkCalls compares the time to read a list of calls with that of a strict
// reader that validates the same bytes (B2).
func BenchmarkCalls(b *testing.B) {
	calls := map[string]string{
		"small":  `{"name": "noop", "arguments": {}}`,
		"usual":  `{"name": "gmail_list", "arguments": {"maxResults": 10, "labelIds": ["INBOX", "UNREAD"], "includeSpam": false, "query": "is:unread"}}`,
		"list":   `    {"type": "gmail_list", "id": "ID", "operation": "list", "parameters": {"maxResults": 10, "labelIds": ["INBOX", "UNREAD"]}}`,
		"file":   `{"name": "file_put", "arguments": {"path": "a.txt", "content": "` + strings.Repeat(benchText+`\n`, 500) + `"}}`,
		"nested": `{"name": "sheets_write", "arguments": {"values": [` + strings.Repeat(`[1, 2.5, "three", {"four": true}], `, 20) + `[]]}}`,
	}
	for name, call := range calls {
		n := 1 + (1<<20)/len(call)
		text := []byte("[" + strings.Repeat(call+",\n", n-1) + call + "]")
		b.Run(name+"/literal", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if got := readBench(text, Options{}); got != n {
					b.Fatalf("%d calls, want %d", got, n)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/call")
		})
		b.Run(name+"/stops", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				readBench(text, Options{Stops: NewStops("</tool_call>", "[TOOL_CALLS]", "<|tool_call_end|>")})
			}
		})
		b.Run(name+"/jsontext", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if !jsontext.Value(text).IsValid() {
					b.Fatal("not JSON")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/call")
		})
	}
}

// readBench reads a list of calls and extracts the name, arguments and text of each.
func readBench(text []byte, o Options) (calls int) {
	s := NewJSON(o)
	s.ExpectPunct("[", false)
	inCall := false
	for len(text) > 0 {
		n, state := s.Write(text)
		text = text[n:]
		switch {
		case inCall && state == Done:
			members := s.Members()
			for i := range members {
				m := &members[i]
				if m.Kind() == '{' {
					calls += min(1, len(s.JSON(m)))
				} else if name, _ := m.Text(); name == "" {
					return -1
				}
			}
			if s.ObjectText() == "" || s.Findings() != nil {
				return -1
			}
			s.ExpectPunct(",]", false)
			inCall = false
		case state == Done && s.Punct() == ']':
			return calls
		case state == Done: // after an opening bracket or a comma
			s.ExpectPunct("", false)
		default:
			s.ExpectObject(benchNames)
			inCall = true
		}
	}
	return calls
}

// BenchmarkOthers measures the other grammars.
func BenchmarkOthers(b *testing.B) {
	python := []byte(strings.Repeat(`gmail_list(maxResults=10, labelIds=["INBOX", "UNREAD"], includeSpam=False, query='is:unread'), `, 10000))
	b.Run("python", func(b *testing.B) {
		b.SetBytes(int64(len(python)))
		b.ReportAllocs()
		for b.Loop() {
			s := NewPython(Options{})
			for rest := python; len(rest) > 2; s.Next() {
				n, _ := s.Write(rest)
				if call, ok := s.Call(); !ok || !call.Executable {
					b.Fatal(call, s.Findings())
				}
				rest = rest[n+2:]
			}
		}
	})
	object := []byte(strings.Repeat(withDelimiters(`{maxResults:10,labelIds:[~INBOX~,~UNREAD~],includeSpam:false,query:~is:unread~}`), 10000))
	b.Run("quoted", func(b *testing.B) {
		b.SetBytes(int64(len(object)))
		b.ReportAllocs()
		for b.Loop() {
			s := NewDelimited(testDelimiter, Options{Stops: NewStops("<tool_call|>")})
			for rest := object; len(rest) > 0; s.Next() {
				n, state := s.Write(rest)
				if state != Done {
					b.Fatal(fmt.Sprint(state, s.Findings()))
				}
				rest = rest[n:]
			}
		}
	})
}
