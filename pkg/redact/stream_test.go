package redact

import (
	"encoding/base64"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// streamed masks a text in pieces that end at the given places.
func streamed(s *Set, text string, ends []int) string {
	var out strings.Builder
	stream, at := s.Stream(), 0
	for _, end := range ends {
		out.WriteString(stream.Write(text[at:end]))
		at = end
	}
	out.WriteString(stream.Write(text[at:]))
	out.WriteString(stream.Close())
	return out.String()
}

// A stream masks a text in the same way however it is split.
func TestStreamEqualsHide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[a-c]{8,12}|[!-~]{8,60}|[a-zA-Z0-9_-]{20,60}|[a-z]{9} [a-z]{9}`).Draw(t, "secret")
		s := new(Set)
		s.Add(value)
		coded := base64.StdEncoding.EncodeToString([]byte("key=" + value))
		part := rapid.OneOf(
			rapid.Just(value), rapid.Just(coded), rapid.Just(strings.ToUpper(value)),
			rapid.Map(rapid.IntRange(0, len(value)), func(n int) string { return value[:n] }),
			rapid.Map(rapid.IntRange(0, len(value)), func(n int) string { return value[n:] }),
			rapid.Map(rapid.IntRange(0, len(coded)), func(n int) string { return coded[n:] }),
			rapid.Just(escaped(value, "\\u00%02x")), rapid.Just(escaped(value, "%%%02x")), rapid.Just(escaped(value, "&#x%x;")),
			rapid.SampledFrom([]string{"...", "..", ".", "***", "…", "\n[cut here: 9 of 12]", "\n[cut", " ", "\n", "\\", "%", "&amp;", "\\n", "ä", "字", "a", "e1f"}),
			rapid.StringMatching(`[a-c ]{0,6}`),
		)
		text := strings.Join(rapid.SliceOfN(part, 0, 8).Draw(t, "parts"), "")
		var ends []int
		for i := range text {
			if rapid.Bool().Draw(t, "end") {
				ends = append(ends, i)
			}
		}
		if got, want := streamed(s, text, ends), s.Hide(text); got != want {
			t.Fatalf("%q, split at %v:\n got %q\nwant %q", text, ends, got, want)
		}
	})
}

// escaped returns a text with each byte escaped by a format.
func escaped(text, format string) string {
	var b strings.Builder
	for i := range len(text) {
		b.WriteString(strings.NewReplacer("%02x", hexDigits(text[i]), "%x", hexDigits(text[i]), "%%", "%").Replace(format))
	}
	return b.String()
}

func hexDigits(c byte) string {
	return string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15])
}

// The stream holds back only a few bytes of ordinary text, whatever the alphabet.
func TestStreamHoldsLittle(t *testing.T) {
	s := of(t, "sk-proj-4fJ2kLm9QxT7vWz1", "hunter2-hunter2-hunter2")
	for _, text := range []string{
		strings.Repeat("The pump runs at six in the morning, and again at noon. ", 50),
		strings.Repeat("水泵早上六点运行，中午再次运行。占用率为百分之五十。", 50),
		strings.Repeat("Of 100% of them, 5% & 3 more use C:\\pumps. ", 50),
	} {
		stream, given, back, most := s.Stream(), 0, 0, 0
		for _, r := range text {
			back += len(stream.Write(string(r)))
			given += len(string(r))
			most = max(most, given-back)
		}
		if most > 24 {
			t.Errorf("%.20q: %d bytes were held back", text, most)
		}
		if back += len(stream.Close()); back != len(text) {
			t.Errorf("%.20q: %d bytes of %d came back", text, back, len(text))
		}
	}
}

// A text without any place to split is searched a few times, not once for each piece.
func TestStreamLinear(t *testing.T) {
	s := of(t, word)
	text := "%" + strings.Repeat("a", 1<<20)
	stream, out, searches := s.Stream(), 0, 0
	for i := range len(text) {
		before := stream.searched
		out += len(stream.Write(text[i : i+1]))
		if stream.searched != before {
			searches++
		}
	}
	if out += len(stream.Close()); out != len(text) || searches > 400 {
		t.Errorf("%d bytes of %d, %d searches", out, len(text), searches)
	}
}

func TestStreamOfNothing(t *testing.T) {
	for _, s := range []*Set{nil, {}} {
		if got := streamed(s, "abc"+word, []int{1, 3}); got != "abc"+word {
			t.Errorf("%q", got)
		}
	}
}
