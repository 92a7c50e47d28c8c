package markup

import (
	"strings"
	"testing"
)

// BenchmarkScanner reads one call with a value of 256 KB in pieces of 64 bytes:
// a text of code, and one of markup.
func BenchmarkScanner(b *testing.B) {
	for name, line := range map[string]string{"code": "\tif a < b && c[i] == \"x\" { return nil }\n", "markup": "<li class=\"a\"><b>one</b> and <i>two</i></li>\n"} {
		b.Run(name, func(b *testing.B) {
			text := []byte("<function=note>\n<parameter=text>\n" + strings.Repeat(line, 1<<18/len(line)) + "</parameter>\n</function>")
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				r := New(Qwen3Coder, Options{Tools: tools})
				for i := 0; i < len(text); i += 64 {
					r.Write(text[i:min(len(text), i+64)])
				}
				if call, ok := r.Call(); !ok || !call.Executable {
					b.Fatal(call.Status)
				}
			}
		})
	}
}
