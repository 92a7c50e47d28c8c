package wire_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/provider/wire"
)

func TestUnquote(t *testing.T) {
	for raw, want := range map[string]string{
		`""`: "", `"a"`: "a", `"a\n\"\\\/\b\f\r\t"`: "a\n\"\\/\b\f\r\t", `"\u00e9\u0041"`: "éA", `"\ud83d\ude00x"`: "😀x",
		`"\ud83d"`: "\xed\xa0\xbd", `"\ude00\ud83d\u0041"`: "\xed\xb8\x80\xed\xa0\xbdA", "\"\xff\\n\"": "\xff\n",
	} {
		if got := string(wire.Unquote([]byte(raw))); got != want {
			t.Errorf("%s says %q, want %q", raw, got, want)
		}
	}
}

// Unquote agrees with encoding/json, and a Locator finds the bytes of a text in any order.
func FuzzUnquote(f *testing.F) {
	f.Add(`a\"b`, 2)
	f.Add(`\ud83d\ude00\ud83dé\u00e9\n`, 7)
	f.Add(strings.Repeat(`x\u0041\\`, 700), 2000)
	f.Fuzz(func(t *testing.T, inner string, from int) {
		raw := []byte(`"` + inner + `"`)
		if len(raw) > 8<<10 || !jsontext.Value(raw).IsValid(jsontext.AllowInvalidUTF8(true)) {
			return
		}
		text := string(wire.Unquote(raw))
		var want string
		if json.Unmarshal(raw, &want) == nil && utf8.ValidString(text) && text != want {
			t.Fatalf("%s says %q, want %q", raw, text, want)
		}
		locator := wire.NewLocator(raw, []wire.Segment{{End: len(raw), Quoted: true}})
		if from >= 0 && from < len(text) {
			locator.Locate(from, len(text))
		}
		var said strings.Builder
		for at, end := 0, 1; at < len(text); {
			p := locator.Locate(at, at+1)[0]
			if p.Start != end {
				t.Fatalf("byte %d of %s is at %d, want %d", at, raw, p.Start, end)
			}
			part := wire.Unquote([]byte(`"` + string(raw[p.Start:p.End]) + `"`))
			said.Write(part)
			at, end = at+len(part), p.End
		}
		if said.String() != text {
			t.Fatalf("%s says %q, and in pieces %q", raw, text, said.String())
		}
	})
}
