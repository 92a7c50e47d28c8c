package dialect

import (
	"strings"
	"testing"
)

// BenchmarkScan measures throughput (B2) through prose, code and calls.
func BenchmarkScan(b *testing.B) {
	texts := map[string]string{
		"prose":  "All work and no play makes Jack a dull boy. `code` and\nmore of it.\n",
		"plain":  "All work and no play makes Jack a dull boy, all work and no play makes Jack a dull boy.\n",
		"code":   "```go\nfunc main() { fmt.Println(\"hello\") }\n```\n\n",
		"calls":  "```tool\nreturn search(\"weather in Bonn\", {limit: 5, all: true});\n```\n",
		"string": "```tool\nreturn file_put(\"a.txt\", \"" + strings.Repeat("All work and no play makes Jack a dull boy. ", 1000) + "\");\n```\n",
	}
	d := tool(b)
	for name, text := range texts {
		b.Run(name, func(b *testing.B) {
			data := []byte(strings.Repeat(text, 1+(1<<20)/len(text)))
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				s := NewScanner(d, func(Event) {})
				s.Write(data)
				s.Close()
			}
		})
	}
}
