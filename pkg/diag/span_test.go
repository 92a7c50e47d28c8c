package diag

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPosition(t *testing.T) {
	for _, c := range []struct {
		name, text   string
		offset       int
		line, column int
	}{
		{"empty", "", 0, 1, 1},
		{"first", "ab", 0, 1, 1},
		{"second", "ab", 1, 1, 2},
		{"end", "ab", 2, 1, 3},
		{"behind the end", "ab", 99, 1, 3},
		{"before the start", "ab", -1, 1, 1},
		{"line feed", "a\nb", 1, 1, 2},
		{"behind a line feed", "a\nb", 2, 2, 1},
		{"behind the last line feed", "a\n", 2, 2, 1},
		{"empty line", "a\n\nb", 2, 2, 1},
		{"CR", "a\r\nb", 1, 1, 2},
		{"LF of CRLF", "a\r\nb", 2, 1, 3},
		{"behind CRLF", "a\r\nb", 3, 2, 1},
		{"behind a lone CR", "a\rb", 2, 2, 1},
		{"behind two CRs", "a\r\rb", 3, 3, 1},
		{"behind CR CRLF", "a\r\r\nb", 4, 3, 1},
		{"CR at the end", "a\r", 2, 2, 1},
		{"byte order mark", "\ufeffab", 0, 1, 1},
		{"in the byte order mark", "\ufeffab", 2, 1, 1},
		{"behind the byte order mark", "\ufeffab", 3, 1, 1},
		{"second behind it", "\ufeffab", 4, 1, 2},
		{"second line behind it", "\ufeffa\nb", 5, 2, 1},
		{"a byte order mark inside", "a\ufeffb", 4, 1, 3},
		{"tab", "\ta", 1, 1, 2},
		{"behind é", "éa", 2, 1, 2},
		{"in é", "éa", 1, 1, 1},
		{"behind 👍", "👍a", 4, 1, 2},
		{"in 👍", "a👍b", 4, 1, 2},
		{"wide runes", "日本語\n日本語x", 19, 2, 4},
		{"combining", "e\u0301x", 3, 1, 3},
		{"bytes that are no text", "\xff\xfe\x80x", 3, 1, 4},
		{"a cut character", "\xe2\x82x", 2, 1, 3},
		{"NUL", "\x00\x00x", 2, 1, 3},
		{"line separator", "a\u2028b", 4, 1, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			line, column := NewLines([]byte(c.text)).Position(c.offset)
			if line != c.line || column != c.column {
				t.Errorf("%d:%d, want %d:%d", line, column, c.line, c.column)
			}
		})
	}
}

func TestLine(t *testing.T) {
	l := NewLines([]byte("\ufeffone\r\n\rthree\n\nfive"))
	for line, want := range []string{"", "one", "", "three", "", "five", ""} {
		if got := string(l.Line(line)); got != want {
			t.Errorf("line %d is %q, want %q", line, got, want)
		}
	}
	if got := NewLines(nil).Line(1); len(got) > 0 {
		t.Errorf("line 1 of nothing is %q", got)
	}
}

// texts generates texts with all line endings and unusual characters.
func texts() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{"a", "\n", "\r", "\r\n", "é", "日", "👍", "\ufeff", "\x80", "\xe2\x82", "\t", "\x00"})
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), "") })
}

// A position does not depend on earlier lookups.
func TestPositionHasNoMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(texts().Draw(t, "text"))
		l := NewLines(text)
		for _, offset := range rapid.SliceOf(rapid.IntRange(-1, len(text)+1)).Draw(t, "offsets") {
			line, column := l.Position(offset)
			if wantLine, wantColumn := NewLines(text).Position(offset); line != wantLine || column != wantColumn {
				t.Errorf("offset %d of %q is at %d:%d, and %d:%d when it is looked up first", offset, text, line, column, wantLine, wantColumn)
			}
		}
	})
}

// Columns count characters, lines count line endings, and both grow with the offset.
func TestPositionGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Draw(t, "text")
		l := NewLines([]byte(text))
		lastLine, lastColumn := l.Position(0)
		for offset := 1; offset <= len(text); offset++ {
			line, column := l.Position(offset)
			if line < lastLine || line == lastLine && column < lastColumn || line > lastLine+1 {
				t.Fatalf("offset %d of %q is at %d:%d, the one before at %d:%d", offset, text, line, column, lastLine, lastColumn)
			}
			lastLine, lastColumn = line, column
		}
		ends := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
		if want := 1 + strings.Count(ends, "\n"); lastLine != want {
			t.Errorf("%q has %d lines, want %d", text, lastLine, want)
		}
		tail := strings.TrimPrefix(ends[strings.LastIndexByte(ends, '\n')+1:], "\ufeff")
		if !strings.Contains(ends, "\n") || !strings.HasPrefix(ends[strings.LastIndexByte(ends, '\n')+1:], "\ufeff") {
			if want := 1 + utf8.RuneCountInString(tail); lastColumn != want {
				t.Errorf("%q ends in column %d, want %d", text, lastColumn, want)
			}
		}
	})
}

// LocateAll gives the same results as Locate and keeps existing positions.
func TestLocateAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(texts().Draw(t, "text"))
		offset := rapid.IntRange(0, len(text))
		placed := At(7, 9)
		findings := []Finding{{Span: placed}}
		for range rapid.IntRange(0, 9).Draw(t, "findings") {
			a, b := offset.Draw(t, "start"), offset.Draw(t, "end")
			findings = append(findings, Finding{Span: Bytes(min(a, b), max(a, b))})
		}
		want := []Span{placed}
		for _, f := range findings[1:] {
			want = append(want, NewLines(text).Locate(f.Span))
		}
		NewLines(text).LocateAll(findings)
		var got []Span
		for _, f := range findings {
			got = append(got, f.Span)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

// A line of 16 MB with 50,000 overlapping findings in any order takes one pass.
func TestLocateAllIsLinear(t *testing.T) {
	text := []byte(strings.Repeat("é", 8<<20))
	const n = 50_000
	step := len(text) / n
	for name, span := range map[string]func(i int) Span{
		"ascending":  func(i int) Span { return Bytes(i*step, i*step+1) },
		"descending": func(i int) Span { return Bytes(len(text)-i*step-1, len(text)-i*step) },
		"nested":     func(i int) Span { return Bytes(i*step, len(text)) },
	} {
		findings := make([]Finding, n)
		for i := range findings {
			findings[i].Span = span(i)
		}
		start := time.Now()
		NewLines(text).LocateAll(findings)
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s: took %v", name, took)
		}
		if last := findings[n-1].Span; last.Line != 1 || last.EndColumn < 1 {
			t.Errorf("%s: the last is at %+v", name, last)
		}
	}
}
