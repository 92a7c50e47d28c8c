package dialect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

const play = "All work and no play makes Jack a dull boy. "

// BenchmarkProse measures throughput through text without calls (B2), in every dialect
// and with detection.
func BenchmarkProse(b *testing.B) {
	for name, text := range map[string]string{
		"plain": play + play + "\n",
		"prose": play + "`code` and\nmore of it.\n",
		"code":  "```go\nfunc main() { fmt.Println(\"hello\", a[i] < 3) }\n```\n\n",
	} {
		text := []byte("So:\n" + strings.Repeat(text, 1+(1<<20)/len(text)))
		b.Run(name+"/all", func(b *testing.B) { mode{}.benchmark(b, text, len(text)) })
		for i := range Dialects() {
			m := mode{row: &Dialects()[i]}
			b.Run(name+"/"+Dialects()[i].Name, func(b *testing.B) { m.benchmark(b, text, len(text)) })
		}
	}
}

// benchmark reads a text in pieces.
func (m mode) benchmark(b *testing.B, text []byte, piece int) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s := m.scanner(func(Event) {})
		for rest := text; len(rest) > 0; rest = rest[min(piece, len(rest)):] {
			s.Write(rest[:min(piece, len(rest))])
		}
		s.Close()
	}
}

// Arguments of calls of usual sizes: about 150 bytes, and 5 KB.
var (
	smallArguments = `{"query":"release notes","limit":10,"labels":["INBOX","UNREAD"],"all":false,"since":"2026-01-01"}`
	largeArguments = `{"path":"a.txt","mode":null,"content":"` + strings.Repeat(play+`\n`, 110) + `"}`
)

// BenchmarkCalls measures texts that consist of calls (B2). The baseline is a strict
// validator on a JSON array with the same arguments.
func BenchmarkCalls(b *testing.B) {
	for size, arguments := range map[string]string{"small": smallArguments, "large": largeArguments} {
		for i := range Dialects() {
			d := &Dialects()[i]
			call := renderedCall(d, "search", arguments)
			text := []byte(strings.Repeat(call, 1+(1<<19)/len(call)))
			b.Run(size+"/"+d.Name, func(b *testing.B) { mode{row: d}.benchmark(b, text, len(text)) })
		}
		b.Run(size+"/jsontext", func(b *testing.B) {
			one := `{"name":"search","arguments":` + arguments + "}"
			text := []byte("[" + strings.Repeat(one+",", (1<<19)/len(one)) + one + "]")
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if !jsontext.Value(text).IsValid() {
					b.Fatal("not JSON")
				}
			}
		})
	}
}

// BenchmarkResponses measures responses of usual size, each read alone: a sentence and
// two calls of about 100 bytes (B3).
func BenchmarkResponses(b *testing.B) {
	all := make([]string, len(Dialects()))
	for i := range Dialects() {
		d := &Dialects()[i]
		all[i] = smallResponse(d)
		b.Run("named/"+d.Name, func(b *testing.B) { scanEach(b, Options{Dialect: *d}, all[i]) })
		b.Run("detected/"+d.Name, func(b *testing.B) { scanEach(b, Options{}, all[i]) })
	}
	b.Run("mixed", func(b *testing.B) { scanEach(b, Options{}, all...) })
}

// smallResponse returns a response with text and two calls, or a single call if the
// dialect allows nothing else.
func smallResponse(d *Dialect) string {
	call := renderedCall(d, "search", smallArguments)
	other := renderedCall(d, "read_file", `{"path":"notes/2026.md","from":120,"lines":40}`)
	text := "I have to look at the release notes first, and then at what is open.\n\n" + call + other
	if len(Scan(text, Options{Dialect: *d}).Calls) == 0 {
		return call
	}
	return text
}

func scanEach(b *testing.B, o Options, texts ...string) {
	b.SetBytes(int64(len(strings.Join(texts, ""))))
	b.ReportAllocs()
	for b.Loop() {
		for _, text := range texts {
			if r := Scan(text, o); len(r.Calls) == 0 {
				b.Fatalf("no call in %q", text)
			}
		}
	}
}

// BenchmarkPieces measures a long string that arrives in pieces of four bytes: a text
// eight times as long should take eight times as long.
func BenchmarkPieces(b *testing.B) {
	for _, name := range []string{"tool", "toolcalls", "hermes", "mistral_args", "qwen3_coder_xml", "glm47_moe", "pythonic", "gemma4", "harmony"} {
		d := find(b, name)
		opening, _, _ := strings.Cut(renderedCall(&d, "put", `{"a":"QQQQ"}`), "QQQQ")
		for _, size := range []int{64 << 10, 512 << 10} {
			text := []byte(opening + strings.Repeat(play, size/len(play)))
			b.Run(fmt.Sprintf("%s/%dKB", name, size>>10), func(b *testing.B) { mode{row: &d}.benchmark(b, text, 4) })
			b.Run(fmt.Sprintf("all/%s/%dKB", name, size>>10), func(b *testing.B) { mode{}.benchmark(b, text, 4) })
		}
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
		b.Run(name+"/toolcalls", func(b *testing.B) { in(d).benchmark(b, text, len(text)) })
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

// BenchmarkMarked measures JSON dialects with markers, one of them with detection. The
// baseline is a strict validator on the JSON alone (B2).
func BenchmarkMarked(b *testing.B) {
	small := `{"name": "gmail_list", "arguments": {"maxResults": 10, "labelIds": ["INBOX", "UNREAD"], "includeSpam": false, "query": "is:unread"}}`
	large := `{"name": "file_put", "arguments": {"path": "a.txt", "content": "` + strings.Repeat(play+`\n`, 500) + `"}}`
	for _, c := range []struct{ name, dialect, before, between, following string }{
		{"hermes", "hermes", "<tool_call>\n", "\n</tool_call>\n<tool_call>\n", "\n</tool_call>\n"},
		{"mistral", "mistral", "[TOOL_CALLS][", ", ", "]"},
		{"detected", "", "<tool_call>\n", "\n</tool_call>\n<tool_call>\n", "\n</tool_call>\n"},
	} {
		for size, call := range map[string]string{"small": small, "large": large} {
			n := (1 << 20) / len(call)
			text := []byte(c.before + strings.Repeat(call+c.between, n-1) + call + c.following)
			values := []byte("[" + strings.Repeat(call+",", n-1) + call + "]")
			m := mode{}
			if c.dialect != "" {
				m = in(find(b, c.dialect))
			}
			b.Run(c.name+"/"+size, func(b *testing.B) { m.benchmark(b, text, len(text)) })
			b.Run(c.name+"/"+size+"/jsontext", func(b *testing.B) {
				b.SetBytes(int64(len(values)))
				for b.Loop() {
					if !jsontext.Value(values).IsValid() {
						b.Fatal("not JSON")
					}
				}
			})
		}
	}
}

func jsonNumber(i int) string { return mustJSON(i) }
