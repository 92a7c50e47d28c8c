package dialect

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

const play = "All work and no play makes Jack a dull boy. "

// BenchmarkScan measures throughput (B2) through prose, code and calls.
func BenchmarkScan(b *testing.B) {
	texts := map[string]map[string]string{
		"tool": {
			"calls":  "```tool\nreturn search(\"weather in Bonn\", {limit: 5, all: true});\n```\n",
			"string": "```tool\nreturn file_put(\"a.txt\", \"" + strings.Repeat(play, 1000) + "\");\n```\n",
		},
		"toolcalls": {
			"braces": "func main() { fmt.Println(\"hello\") } // {x}, {\"a\": 1}\n\n",
		},
	}
	for _, d := range Dialects {
		texts[d.Name]["prose"] = play + "`code` and\nmore of it.\n"
		texts[d.Name]["plain"] = play + play + "\n"
		texts[d.Name]["code"] = "```go\nfunc main() { fmt.Println(\"hello\") }\n```\n\n"
		for name, text := range texts[d.Name] {
			b.Run(d.Name+"/"+name, func(b *testing.B) {
				benchmarkScan(b, d, []byte("So:\n"+strings.Repeat(text, 1+(1<<20)/len(text))))
			})
		}
	}
}

func benchmarkScan(b *testing.B, d Dialect, text []byte) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s := NewScanner(Options{Dialect: d}, func(Event) {})
		s.Write(text)
		s.Close()
	}
}

// BenchmarkCallList measures the dialect toolcalls against a strict reader that
// validates the same bytes (B2).
func BenchmarkCallList(b *testing.B) {
	calls := map[string]string{
		"small":  `    {"type": "noop", "id": "ID", "operation": "end", "parameters": {}},` + "\n",
		"usual":  `    {"type": "gmail_list", "id": "ID", "operation": "list", "parameters": {"maxResults": 10, "labelIds": ["INBOX", "UNREAD"], "includeSpam": false}},` + "\n",
		"chat":   `    {"type": "send_chat", "id": "ID", "operation": "respond", "parameters": {"content": "` + strings.Repeat(play, 10) + `\n\n\"Done.\""}},` + "\n",
		"file":   `    {"type": "file_put", "id": "ID", "operation": "write", "parameters": {"path": "a.txt", "content": "` + strings.Repeat(play+`\n`, 500) + `"}},` + "\n",
		"nested": `    {"type": "sheets_write", "id": "ID", "operation": "write", "parameters": {"values": [` + strings.Repeat(`[1, 2.5, "three", {"four": true}], `, 20) + `[]]}},` + "\n",
	}
	d := toolcalls(b)
	for name, call := range calls {
		var list strings.Builder
		list.WriteString("{\n  \"toolCalls\": [\n")
		for i := 0; list.Len() < 1<<20; i++ {
			list.WriteString(strings.Replace(call, "ID", strings.Repeat("i", i%7)+string(rune('a'+i%26))+jsonNumber(i), 1))
		}
		text := []byte(strings.TrimSuffix(list.String(), ",\n") + "\n  ]\n}\n")
		b.Run(name+"/toolcalls", func(b *testing.B) { benchmarkScan(b, d, text) })
		b.Run(name+"/jsontext", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if !jsontext.Value(text).IsValid() {
					b.Fatal("not JSON")
				}
			}
		})
	}
}

func jsonNumber(i int) string { return mustJSON(i) }
