package executor

import (
	"strings"
	"testing"
)

func TestDecoded(t *testing.T) {
	for _, c := range []struct{ charset, bytes, want string }{
		{"ISO-8859-1", "K\xe4se \x80", "Käse €"}, // browsers read it as Windows-1252
		{"Windows-1252", "\x93a\x94", "“a”"},
		{"us-ascii", "plain", "plain"},
		{"iso-8859-2", "\xb1", "ą"},
		{"ISO-8859-15", "\xa4", "€"},
		{"windows-1251", "\xcf\xf0", "Пр"},
		{"koi8-r", "\xf0\xd2", "Пр"},
		{"windows-874", "\xdb", "\ufffd"},
		{"utf-16le", "K\x00\xe4\x00", "Kä"},
		{"utf-16be", "\x00K\x00\xe4", "Kä"},
		{"utf-16", "\xfe\xff\x00K\xd8\x3d\xde\x00", "K😀"},
		{"utf-16", "\xff\xfeK\x00=\xd8\x00\xde", "K😀"},
		{"utf-16", "K\x00=\xd8", "K\ufffd"},
		{"utf-16", "K\x00\xe4", "K\ufffd"},
		{"utf-16", "", ""},
	} {
		if got, ok := decodeCharset(c.charset, []byte(c.bytes)); !ok || got != c.want {
			t.Errorf("%s %q: %q, %v, want %q", c.charset, c.bytes, got, ok, c.want)
		}
	}
	for _, unknown := range []string{"", "utf-8", "gbk", "iso-8859-1 latin1"} {
		if got, ok := decodeCharset(unknown, []byte("x")); ok {
			t.Errorf("%q: %q", unknown, got)
		}
	}
}

// No name belongs to two charsets, and each charset decodes any bytes.
func TestCharsets(t *testing.T) {
	var all []byte
	for i := range 256 {
		all = append(all, byte(i))
	}
	seen := map[string]bool{}
	for _, c := range charsets {
		for name := range strings.FieldsSeq(c.names) {
			if seen[name] || name != strings.ToLower(name) {
				t.Errorf("%s stands twice, or is not in lower case", name)
			}
			seen[name] = true
			if text, ok := decodeCharset(name, all); !ok || len([]rune(text)) < 100 {
				t.Errorf("%s: %d characters, %v", name, len([]rune(text)), ok)
			}
		}
	}
}
