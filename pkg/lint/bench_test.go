package lint

import (
	"strings"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/dialect"
	"oneshot/pkg/quote"
)

const (
	prose = "I will look at the release notes first, because the question is about what has changed since the last version. " +
		"There are two files that can hold the answer (`CHANGELOG.md` and `docs/notes.md`), and it's enough to read one of them:\n\n" +
		"1. **Find** the section of the last release.\n2. Compare it with what was asked: 3 items, none of them long.\n\n"
	listing = "package main\n\nimport \"fmt\"\n\n// main says hello.\nfunc main() {\n\tfor i := 0; i < 3; i++ {\n\t\tfmt.Println(\"hello\", i)\n\t}\n}\n"
)

// responses returns a typical response for each dialect: prose with one or two calls.
func responses() []string {
	calls := []chat.Call{
		{Name: "search", Arguments: []byte(`{"query":"release notes","limit":10,"labels":["INBOX","UNREAD"],"all":false}`)},
		{Name: "write_file", Arguments: []byte(`{"path":"main.go","content":` + quote.JSON(strings.Repeat(listing, 3)) + `}`)},
		{Name: "read_file", Arguments: []byte(`{"path":"docs/notes.md","first":120,"last":180}`)},
	}
	var all []string
	for i, d := range dialect.Dialects() {
		text := strings.Repeat(prose, i%3)
		for k := range 1 + i%2 {
			call, _ := d.Render(calls[(i+k)%len(calls)], nil)
			text += call
		}
		all = append(all, text)
	}
	return all
}

// BenchmarkText measures responses of 300 to 2,000 bytes in all dialects, with detection (B3).
func BenchmarkText(b *testing.B) {
	var all [][]byte
	size := 0
	for _, text := range responses() {
		all = append(all, []byte(text))
		size += len(text)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, text := range all {
			asText("response.txt", text, Options{})
		}
	}
}
