package yamldoc

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"oneshot/pkg/diag"
)

// A sourceText maps YAML positions to offsets in the source of a file.
type sourceText struct {
	src    []byte
	lines  *diag.Lines
	starts []int                              // line starts; YAML has additional line breaks
	last   struct{ line, column, offset int } // last lookup
}

func newSourceText(src []byte) *sourceText {
	t := &sourceText{src: src, lines: diag.NewLines(src), starts: []int{0}}
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		t.starts[0] = len("\ufeff")
	}
	for i := 0; i < len(src); {
		n := lineBreakLen(src[i:])
		i += max(1, n)
		if n > 0 {
			t.starts = append(t.starts, i)
		}
	}
	return t
}

// lineBreakLen returns the length of the line break at the start of b, or 0.
func lineBreakLen(b []byte) int {
	for _, s := range []string{"\n", "\r\n", "\r", "\u0085", "\u2028", "\u2029"} {
		if bytes.HasPrefix(b, []byte(s)) {
			return len(s)
		}
	}
	return 0
}

// offset returns the offset of a line and column, both from 1. A column counts code points. Lookups in ascending order
// cost one pass over the text.
func (t *sourceText) offset(line, column int) int {
	if line < 1 || line > len(t.starts) {
		return len(t.src)
	}
	at, from := t.starts[line-1], 1
	if t.last.line == line && t.last.column <= column {
		at, from = t.last.offset, t.last.column
	}
	for ; from < column && at < len(t.src); from++ {
		_, size := utf8.DecodeRune(t.src[at:])
		at += size
	}
	t.last.line, t.last.column, t.last.offset = line, from, at
	return at
}

// span returns the byte span of a scalar on one line, and the start of anything else.
func (t *sourceText) span(n *yaml.Node) diag.Span {
	start := t.offset(n.Line, n.Column)
	if n.Kind != yaml.ScalarNode || n.Value == "" {
		return diag.Bytes(start, start)
	}
	end := t.scalarByteOffset(n, len(n.Value))
	if end > start && n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		end++
	}
	return diag.Bytes(start, max(start, min(end, len(t.src))))
}

// scalarByteOffset returns the source offset of a byte in a scalar's value, or the start of a multi-line scalar.
func (t *sourceText) scalarByteOffset(n *yaml.Node, index int) int {
	start := t.offset(n.Line, n.Column)
	at := start
	quote := byte(0)
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		quote = '"'
	case n.Style&yaml.SingleQuotedStyle != 0:
		quote = '\''
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return start
	}
	if quote != 0 {
		at++
	}
	for done := 0; done < index; {
		width, size := characterByteSizes(t.src[min(at, len(t.src)):], quote)
		if width == 0 {
			return start
		}
		at += width
		done += size
	}
	return at
}

// characterByteSizes returns the bytes that the first character of a scalar takes in the source and in the value, 0 if
// unknown.
func characterByteSizes(src []byte, quote byte) (width, size int) {
	switch {
	case len(src) == 0 || lineBreakLen(src) > 0:
		return 0, 0
	case quote == '"' && src[0] == '\\':
		return escapeWidth(src)
	case quote == '\'' && bytes.HasPrefix(src, []byte("''")):
		return 2, 1
	}
	return 1, 1
}

// escapeWidth is characterByteSizes for an escape in double quotes.
func escapeWidth(src []byte) (width, size int) {
	if len(src) < 2 {
		return 0, 0
	}
	digits := 0
	switch src[1] {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	case 'N', '_':
		return 2, 2
	case 'L', 'P':
		return 2, 3
	case '\n', '\r':
		return 0, 0
	default:
		return 2, 1
	}
	if len(src) < 2+digits {
		return 0, 0
	}
	r, err := strconv.ParseUint(string(src[2:2+digits]), 16, 32)
	if err != nil {
		return 0, 0
	}
	if utf16.IsSurrogate(rune(r)) { // JSON, half of a pair
		return 2 + digits, 2
	}
	return 2 + digits, max(1, utf8.RuneLen(rune(r)))
}
