package diag

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"unicode/utf8"
)

// A Span is a place in a text: the bytes [Start, End), and the same place for
// people. Lines and columns count from 1; a column counts code points. A span
// whose Line is 0 has no place for people yet: see [Lines.Locate].
type Span struct {
	Start     int `json:"start"`
	End       int `json:"end"`
	Line      int `json:"line"`
	Column    int `json:"column"`
	EndLine   int `json:"end_line"`
	EndColumn int `json:"end_column"`
}

// Bytes returns the span of the bytes [start, end), without a place for people.
func Bytes(start, end int) Span { return Span{Start: start, End: end} }

// At returns the span of one point at a known line and column.
func At(line, column int) Span {
	return Span{Line: line, Column: column, EndLine: line, EndColumn: column}
}

// Lines finds the line and column of byte offsets in one text. LF, CRLF and a
// lone CR end a line; a leading byte order mark takes no column. Looking up
// offsets in ascending order costs one pass over the text in all, however long
// its lines are. A Lines is not safe for concurrent use.
type Lines struct {
	text   []byte
	starts []int
	last   struct{ offset, line, column int } // the latest look-up
}

// NewLines indexes text, which must not change afterwards.
func NewLines(text []byte) *Lines {
	l := &Lines{text: text, starts: []int{0}}
	if bytes.HasPrefix(text, []byte("\ufeff")) {
		l.starts[0] = len("\ufeff")
	}
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\n':
			l.starts = append(l.starts, i+1)
		case text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n'):
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// Text returns the text.
func (l *Lines) Text() []byte { return l.text }

// Position returns the line and column of a byte offset. An offset outside the
// text is moved to its nearer end, and one inside a character to its start.
func (l *Lines) Position(offset int) (line, column int) {
	offset = l.charStart(max(0, min(offset, len(l.text))))
	line = max(1, sort.SearchInts(l.starts, offset+1))
	start, column := l.starts[line-1], 1
	if l.last.line == line && l.last.offset <= offset {
		start, column = l.last.offset, l.last.column
	}
	if offset > start {
		column += utf8.RuneCount(l.text[start:offset])
	}
	l.last.offset, l.last.line, l.last.column = max(offset, start), line, column
	return line, column
}

// charStart returns the offset of the character that an offset is in.
func (l *Lines) charStart(offset int) int {
	for back := 1; back < utf8.UTFMax && back <= offset; back++ {
		if _, size := utf8.DecodeRune(l.text[offset-back:]); size > back {
			return offset - back
		}
	}
	return offset
}

// Line returns the text of a line without its end.
func (l *Lines) Line(line int) []byte {
	if line < 1 || line > len(l.starts) {
		return nil
	}
	end := len(l.text)
	if line < len(l.starts) {
		end = l.starts[line]
	}
	return bytes.TrimRight(l.text[l.starts[line-1]:end], "\r\n")
}

// Locate fills in the lines and columns of a span from its byte offsets.
func (l *Lines) Locate(s Span) Span {
	s.Line, s.Column = l.Position(s.Start)
	s.EndLine, s.EndColumn = l.Position(s.End)
	return s
}

// HasBytes reports whether a span has offsets, and not only a line and a column.
func (s Span) HasBytes() bool { return s.Start > 0 || s.End > 0 || s.Line == 1 && s.Column == 1 }

// Place returns a span as offsets into a text that holds its line. A span made
// from a line and a column has no offsets: they are counted in the line.
func (l *Lines) Place(s Span) (around []byte, start, end int) {
	if s.HasBytes() {
		start = min(s.Start, len(l.text))
		return l.text, start, max(start, min(s.End, len(l.text)))
	}
	line := l.Line(s.Line)
	start, end = columnStart(line, s.Column), len(line)
	if s.EndLine == s.Line {
		end = max(start, columnStart(line, s.EndColumn))
	}
	return line, start, end
}

// columnStart returns where a column begins in a line.
func columnStart(line []byte, column int) int {
	at := 0
	for ; column > 1 && at < len(line); column-- {
		_, size := utf8.DecodeRune(line[at:])
		at += size
	}
	return at
}

// LocateAll fills in the place of every finding that has only byte offsets. It
// costs one pass over the text, however the findings overlap.
func (l *Lines) LocateAll(findings []Finding) {
	var points []point
	for i := range findings {
		if s := &findings[i].Span; s.Line == 0 {
			points = append(points, point{s.Start, &s.Line, &s.Column}, point{s.End, &s.EndLine, &s.EndColumn})
		}
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.offset, b.offset) })
	for _, p := range points {
		*p.line, *p.column = l.Position(p.offset)
	}
}

// A point is one end of a span that is being located.
type point struct {
	offset       int
	line, column *int
}
