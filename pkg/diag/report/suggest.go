package report

import (
	"bytes"
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

// appendSuggestions appends what those fixes of a finding that are not safe would make of
// the text: a line for each. What that costs does not depend on the length of the text.
func appendSuggestions(out []byte, text diag.Text, fixes []diag.Fix) []byte {
	left := mostSuggestions
	for _, fix := range fixes {
		if fix.Kind == diag.Safe || left == 0 {
			continue
		}
		left--
		out = appendVisible(append(out, "  suggestion: "...), fix.Title)
		if before, after := change(text, fix.Edits); before != after {
			out = appendSide(append(out, ": "...), before)
			out = appendSide(append(out, " -> "...), after)
		}
		out = append(out, '\n')
	}
	return out
}

// change returns the part of a text that edits change, as it is and as they make it,
// with a little of the line around it.
func change(text diag.Text, edits []diag.Edit) (before, after string) {
	src := text.Bytes
	if len(edits) == 0 || edits[0].Start < text.Offset || edits[0].Start > text.Offset+len(src) {
		return "", ""
	}
	var written strings.Builder
	start, _ := text.Within(edits[0].Start, edits[0].End)
	end := start
	for _, e := range edits {
		from, to := e.Start-text.Offset, e.End-text.Offset
		if from < end || to < from || to > min(len(src), start+longestLook) || written.Len() > longestLook {
			break
		}
		written.Write(src[end:from])
		written.WriteString(e.New[:min(len(e.New), longestLook)])
		end = to
	}
	before, after = string(src[start:end]), written.String()
	same := commonPrefix(before, after)
	start, before, after = start+same, before[same:], after[same:]
	lead, tail := lineBefore(src[:start]), lineBehind(src[end:])
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

// appendSide appends the text on one side of the arrow.
func appendSide(out []byte, text string) []byte {
	if text == "" {
		return append(out, "nothing"...)
	}
	all, at, columns := []byte(text), 0, 0
	for n := 0; at < len(all) && n <= sideColumns; n++ {
		size, width := inside.measure(all[at:])
		if columns += width; columns > sideColumns {
			break
		}
		at += size
	}
	out = inside.append(out, all[:at])
	if at < len(all) {
		out = append(out, "…"...)
	}
	return out
}
