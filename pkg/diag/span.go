package diag

// A Span is a range of a text, as bytes [Start, End) and as lines and columns.
// These count from 1; columns count code points. A span whose Line is 0 has only
// byte offsets: see [Lines.Locate].
type Span struct {
	Start     int `json:"start"`
	End       int `json:"end"`
	Line      int `json:"line"`
	Column    int `json:"column"`
	EndLine   int `json:"end_line"`
	EndColumn int `json:"end_column"`
}

// Bytes returns the span of the bytes [start, end), without lines and columns.
func Bytes(start, end int) Span { return Span{Start: start, End: end} }

// At returns the empty span at a line and column.
func At(line, column int) Span {
	return Span{Line: line, Column: column, EndLine: line, EndColumn: column}
}

// HasBytes reports whether a span has byte offsets in addition to lines and columns.
func (s Span) HasBytes() bool { return s.Start > 0 || s.End > 0 || s.Line == 1 && s.Column == 1 }
