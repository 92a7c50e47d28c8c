package report

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// Limits of suggestions.
const (
	maxSuggestions = 3       // per finding
	sideColumns    = 40      // for the text before a fix, and again after it
	minSideColumns = 12      // on a narrow terminal
	contextChars   = 12      // of the line on either side of a change
	maxSideBytes   = 4 << 10 // of the text, and of each edit
)

// appendSuggestions appends a line for each fix that is not safe, with the text before and after
// the fix. The cost does not depend on the length of the text.
func appendSuggestions(out []byte, text diag.Text, fixes []diag.Fix, style Style) []byte {
	left := maxSuggestions
	for _, fix := range fixes {
		if fix.Kind == diag.Safe || left == 0 {
			continue
		}
		left--
		title := EscapeLine(fix.Title)
		out = append(style.appendLabel(out, "suggestion:"), title...)
		if before, after := diffSides(text, fix.Edits); before != after {
			columns := style.sideColumns(title)
			out = appendDiffSide(append(out, ": "...), before, columns)
			out = appendDiffSide(append(out, " -> "...), after, columns)
		}
		out = append(out, '\n')
	}
	return out
}

// sideColumns returns the columns for either side of the arrow below a title.
func (s Style) sideColumns(title string) int {
	if s.Columns == 0 {
		return sideColumns
	}
	rest := s.Columns - Columns("  suggestion: "+title+": … -> …")
	return min(max(rest/2, minSideColumns), sideColumns)
}

// diffSides returns the part of a text that edits change, before and after, with some context of
// the line.
func diffSides(text diag.Text, edits []diag.Edit) (before, after string) {
	src := text.Bytes
	if len(edits) == 0 || edits[0].Start < text.Offset || edits[0].Start > text.Offset+len(src) {
		return "", ""
	}
	var written strings.Builder
	start, _ := text.Clamp(edits[0].Start, edits[0].End)
	end := start
	for _, e := range edits {
		from, to := e.Start-text.Offset, e.End-text.Offset
		if from < end || to < from || to > min(len(src), start+maxSideBytes) || written.Len() > maxSideBytes {
			break
		}
		written.Write(src[end:from])
		written.WriteString(e.New[:min(len(e.New), maxSideBytes)])
		end = to
	}
	before, after = string(src[start:end]), written.String()
	same := commonPrefix(before, after)
	start, before, after = start+same, before[same:], after[same:]
	lead, tail := lastLineSuffix(src[:start]), firstLinePrefix(src[end:])
	return lead + before + tail, lead + after + tail
}

// commonPrefix returns the length of the common prefix of two texts, in whole characters.
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

// lastLineSuffix returns the last characters of a text's last line.
func lastLineSuffix(text []byte) string {
	start := len(text)
	for range contextChars {
		if isLineStart(text[:start]) {
			break
		}
		_, size := utf8.DecodeLastRune(text[:start])
		start -= size
	}
	return string(bytes.TrimPrefix(text[start:], []byte("\ufeff")))
}

// firstLinePrefix returns the first characters of a text's first line.
func firstLinePrefix(text []byte) string {
	end := 0
	for range contextChars {
		if end == len(text) || isLineEnd(text[end]) {
			break
		}
		_, size := utf8.DecodeRune(text[end:])
		end += size
	}
	return string(text[:end])
}

// appendDiffSide appends one side of the arrow.
func appendDiffSide(out []byte, text string, most int) []byte {
	if text == "" {
		return append(out, "nothing"...)
	}
	all, at, columns := []byte(text), 0, 0
	for n := 0; at < len(all) && n <= sideColumns; n++ {
		size, width := markedText.measureFirstChar(all[at:])
		if columns += width; columns > most {
			break
		}
		at += size
	}
	out = markedText.append(out, all[:at])
	if at < len(all) {
		out = append(out, "…"...)
	}
	return out
}
