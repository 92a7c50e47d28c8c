package diag

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"sort"
	"unicode/utf8"
)

// A Text is the text that spans point into: a file, or some whole lines of one.
type Text struct {
	Bytes       []byte
	Offset      int // of the first byte in the file
	LinesBefore int // number of lines in the file before this text
}

// Lines finds the line and column of byte offsets in one text. LF, CRLF and a
// lone CR end a line; a leading byte order mark takes no column. Looking up
// offsets in ascending order costs one pass over the text in all, however long
// its lines are. A Lines is not safe for concurrent use.
type Lines struct {
	Text
	starts []int                              // in the bytes; nil until first use
	last   struct{ offset, line, column int } // the latest lookup, in the bytes
}

// NewLines returns the lines of a file, which must not change afterwards.
func NewLines(text []byte) *Lines { return Text{Bytes: text}.Lines() }

// Lines returns the lines of a text.
func (t Text) Lines() *Lines { return &Lines{Text: t} }

// CountLines returns how many lines end in the text.
func (t Text) CountLines() int {
	n := bytes.Count(t.Bytes, []byte("\n"))
	if bytes.IndexByte(t.Bytes, '\r') < 0 {
		return n
	}
	return len(t.Lines().lineStarts()) - 1
}

// EachLine iterates over the parts of the text that end in a line feed, and the rest. A
// part is one line, or several if it contains lone CRs.
func (t Text) EachLine() iter.Seq[Text] {
	return func(yield func(Text) bool) {
		for rest := t.Bytes; len(rest) > 0; {
			end := bytes.IndexByte(rest, '\n') + 1
			if end == 0 {
				end = len(rest)
			}
			line := Text{rest[:end], t.Offset, t.LinesBefore}
			if !yield(line) {
				return
			}
			rest, t.Offset, t.LinesBefore = rest[end:], t.Offset+end, t.LinesBefore+line.CountLines()
		}
	}
}

// lineStarts returns the offsets of the lines.
func (l *Lines) lineStarts() []int {
	if l.starts != nil {
		return l.starts
	}
	l.starts = append(make([]int, 0, 1+bytes.Count(l.Bytes, []byte("\n"))), 0)
	if l.Offset == 0 && bytes.HasPrefix(l.Bytes, []byte("\ufeff")) {
		l.starts[0] = len("\ufeff")
	}
	if bytes.IndexByte(l.Bytes, '\r') < 0 {
		l.starts = appendLineFeeds(l.starts, l.Bytes)
		return l.starts
	}
	for i, c := range l.Bytes {
		if c == '\n' || c == '\r' && (i+1 == len(l.Bytes) || l.Bytes[i+1] != '\n') {
			l.starts = append(l.starts, i+1)
		}
	}
	return l.starts
}

// appendLineFeeds appends the offsets after line feeds.
func appendLineFeeds(starts []int, text []byte) []int {
	for at := 0; ; {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			return starts
		}
		at += n + 1
		starts = append(starts, at)
	}
}

// Position returns the line and column of a byte offset of the file. An offset outside
// the text is moved to its nearer end, and one inside a character to its start.
func (l *Lines) Position(offset int) (line, column int) {
	offset = l.charStart(max(0, min(offset-l.Offset, len(l.Bytes))))
	line = max(1, sort.SearchInts(l.lineStarts(), offset+1))
	start, column := l.starts[line-1], 1
	if l.last.line == line && l.last.offset <= offset {
		start, column = l.last.offset, l.last.column
	}
	if offset > start {
		column += countChars(l.Bytes[start:offset])
	}
	l.last.offset, l.last.line, l.last.column = max(offset, start), line, column
	return l.LinesBefore + line, column
}

// countChars counts code points and invalid bytes, like [utf8.RuneCount], with a fast
// path for ASCII.
func countChars(text []byte) int {
	n := 0
	for at := 0; at < len(text); n++ {
		if text[at] < utf8.RuneSelf {
			at++
			continue
		}
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return n
}

// charStart returns the start of the character at an offset.
func (l *Lines) charStart(offset int) int {
	for back := 1; back < utf8.UTFMax && back <= offset; back++ {
		if _, size := utf8.DecodeRune(l.Bytes[offset-back:]); size > back {
			return offset - back
		}
	}
	return offset
}

// Line returns a line without its line ending.
func (l *Lines) Line(line int) []byte {
	line -= l.LinesBefore
	if line < 1 || line > len(l.lineStarts()) {
		return nil
	}
	end := len(l.Bytes)
	if line < len(l.starts) {
		end = l.starts[line]
	}
	return bytes.TrimRight(l.Bytes[l.starts[line-1]:end], "\r\n")
}

// Locate sets the lines and columns of a span from its byte offsets.
func (l *Lines) Locate(s Span) Span {
	s.Line, s.Column = l.Position(s.Start)
	s.EndLine, s.EndColumn = l.Position(s.End)
	return s
}

// Offsets returns a span as offsets into the text, or into its line if the span has
// only lines and columns.
func (l *Lines) Offsets(s Span) (around []byte, start, end int) {
	if s.HasBytes() {
		start, end = l.Clamp(s.Start, s.End)
		return l.Bytes, start, end
	}
	line := l.Line(s.Line)
	start, end = columnOffset(line, s.Column), len(line)
	if s.EndLine == s.Line {
		end = max(start, columnOffset(line, s.EndColumn))
	}
	return line, start, end
}

// Clamp converts the file offsets [start, end) to offsets in the text, clamped to it.
func (t Text) Clamp(start, end int) (int, int) {
	start = max(0, min(start-t.Offset, len(t.Bytes)))
	return start, max(start, min(end-t.Offset, len(t.Bytes)))
}

// columnOffset returns the byte offset of a column in a line.
func columnOffset(line []byte, column int) int {
	at := 0
	for ; column > 1 && at < len(line); column-- {
		_, size := utf8.DecodeRune(line[at:])
		at += size
	}
	return at
}

// LocateAll sets the lines and columns of all spans that have only byte offsets, in
// one pass over the text.
func (l *Lines) LocateAll(findings []Finding) {
	var points []spanEnd
	for i := range findings {
		points = appendSpanEnds(points, &findings[i].Span)
		for j := range findings[i].Pieces {
			points = appendSpanEnds(points, &findings[i].Pieces[j])
		}
	}
	slices.SortFunc(points, func(a, b spanEnd) int { return cmp.Compare(a.offset, b.offset) })
	for _, p := range points {
		*p.line, *p.column = l.Position(p.offset)
	}
}

// appendSpanEnds appends both ends of a span that has only byte offsets.
func appendSpanEnds(points []spanEnd, s *Span) []spanEnd {
	if s.Line != 0 {
		return points
	}
	return append(points, spanEnd{s.Start, &s.Line, &s.Column}, spanEnd{s.End, &s.EndLine, &s.EndColumn})
}

// A spanEnd is one end of a span without line and column.
type spanEnd struct {
	offset       int
	line, column *int
}
