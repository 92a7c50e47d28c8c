package wire

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An event of a stream, for both readers.
type event struct{ Name, Data string }

// plainEvents reads an event stream as the standard describes it: whole, line by line. An event
// at the end counts without its empty line.
func plainEvents(stream string) []event {
	var all []event
	var name string
	var data []string
	stream = strings.ReplaceAll(stream, "\r\n", "\n")
	stream = strings.ReplaceAll(stream, "\r", "\n")
	for _, line := range append(strings.Split(stream, "\n"), "") {
		if line == "" {
			if len(data) > 0 {
				all = append(all, event{name, strings.Join(data, "\n")})
			}
			name, data = "", nil
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "data":
			data = append(data, value)
		case "event":
			name = value[:min(len(value), maxEvent)]
		}
	}
	return all
}

// sseEvents reads an event stream in pieces of n bytes.
func sseEvents(t *testing.T, stream string, n int) []event {
	var all []event
	var s sse
	var data bytes.Buffer
	lines := 0
	end := func() {
		if lines > 0 {
			all = append(all, event{string(s.event), strings.TrimSuffix(data.String(), "\n")})
		}
		data.Reset()
		lines = 0
		s.endEvent()
	}
	for rest := []byte(stream); len(rest) > 0; {
		size, token := s.next(rest[:min(n, len(rest))])
		if size < 1 || size > n {
			t.Fatalf("a token of %d bytes", size)
		}
		switch token {
		case sseDataChunk:
			data.Write(rest[:size])
		case sseDataEnd:
			data.WriteByte('\n')
			lines++
		case sseEventEnd:
			end()
		case sseNotStream:
			t.Fatalf("%q is no event stream", stream)
		}
		rest = rest[size:]
	}
	if s.phase != inField || len(s.field) > 0 {
		if s.endLine('\n') == sseDataEnd {
			lines++
			data.WriteByte('\n')
		}
	}
	end()
	return all
}

// FuzzEventStream compares the parser with the plain reader, in pieces of any size.
func FuzzEventStream(f *testing.F) {
	for _, stream := range []string{
		"data: a\n\ndata:b\r\n\r\ndata: c\r\rdata: d",
		"event: error\ndata: {\ndata: }\n\n", "data\ndata:\ndata:  x\n\n", ": comment\n:\nid: 1\nretry\nretry: 5\n\n",
		"data: a\nevent: x\n\nevent: y\n\ndata: z\n\n", "databank: no\ndat: no\ndata : no\n\n", "data: \r\n\n\r\r\n\n",
		"event: " + strings.Repeat("x", 100) + "\ndata: a\n\n", "data:\u2028\x00\xff\n\n", "\n\n\ndata: a:b: c\n", "data:\nevent:0\nevent", "event: error\nevent\ndata: {}\n\n",
	} {
		f.Add(stream, 1)
	}
	f.Fuzz(func(t *testing.T, stream string, n int) {
		stream = ":\n" + stream // after a comment, the first field may have any name
		if diff := cmp.Diff(plainEvents(stream), sseEvents(t, stream, 1+int(uint(n)%8))); diff != "" {
			t.Errorf("%q (-plain +sse):\n%s", stream, diff)
		}
	})
}
