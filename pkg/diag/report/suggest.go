package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// Bounds of what is shown of suggestions.
const (
	mostSuggestions = 3       // of one finding
	sideColumns     = 40      // of the text before a fix, and of that after it
	around          = 12      // characters of the line on each side of what changes
	longestLook     = 4 << 10 // bytes of the text, and of each edit
)

// suggest prints what those fixes of a finding that are not safe would make of the
// text: a line for each. What that costs does not depend on the length of the text.
func suggest(w io.Writer, text []byte, fixes []diag.Fix) {
	printed := 0
	for _, fix := range fixes {
		if fix.Kind == diag.Safe || printed == mostSuggestions {
			continue
		}
		printed++
		line := "  fix: " + Visible(fix.Title)
		if before, after := change(text, fix.Edits); before != after {
			line += fmt.Sprintf(": %s -> %s", side(before), side(after))
		}
		fmt.Fprintln(w, line)
	}
}

// change returns the part of a text that edits change, as it is and as they make it,
// with a little of the line around it.
func change(text []byte, edits []diag.Edit) (before, after string) {
	if len(edits) == 0 || edits[0].Start < 0 || edits[0].Start > len(text) {
		return "", ""
	}
	var written strings.Builder
	start, end := edits[0].Start, edits[0].Start
	for _, e := range edits {
		if e.Start < end || e.End < e.Start || e.End > min(len(text), start+longestLook) || written.Len() > longestLook {
			break
		}
		written.Write(text[end:e.Start])
		written.WriteString(e.New[:min(len(e.New), longestLook)])
		end = e.End
	}
	before, after = string(text[start:end]), written.String()
	same := commonPrefix(before, after)
	start, before, after = start+same, before[same:], after[same:]
	lead, tail := lineBefore(text[:start]), lineBehind(text[end:])
	return lead + before + tail, lead + after + tail
}

// commonPrefix returns how many bytes two texts begin with alike, in whole
// characters.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return n
}

// lineBefore returns the last characters of a text that stand in its last line.
func lineBefore(text []byte) string {
	start := len(text)
	for range around {
		if endsLine(text[:start]) {
			break
		}
		_, size := utf8.DecodeLastRune(text[:start])
		start -= size
	}
	return string(bytes.TrimPrefix(text[start:], []byte("\ufeff")))
}

// lineBehind returns the first characters of a text that stand in its first line.
func lineBehind(text []byte) string {
	end := 0
	for range around {
		if end == len(text) || isLineEnd(text[end]) {
			break
		}
		_, size := utf8.DecodeRune(text[end:])
		end += size
	}
	return string(text[:end])
}

// side returns the text on one side of the arrow as it is shown.
func side(text string) string {
	if text == "" {
		return "nothing"
	}
	var cells []cell
	rest := []byte(text)
	for len(rest) > 0 && len(cells) <= sideColumns {
		c, size := cellOf(rest)
		cells, rest = append(cells, c), rest[size:]
	}
	kept := prefix(cells, sideColumns)
	var b strings.Builder
	for _, c := range kept {
		b.WriteString(c.text)
	}
	if len(kept) < len(cells) || len(rest) > 0 {
		b.WriteString("…")
	}
	return b.String()
}
