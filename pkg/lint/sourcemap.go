package lint

import (
	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/provider/wire"
	"oneshot/pkg/quote"
)

// A scanResult is the result of reading a text. Spans are relative to that text.
type scanResult struct {
	dialect, why       string
	content, reasoning string
	calls              []chat.Call
	origins            []origin // of calls, index by index
	findings           []diag.Finding
	trailing           int // offset of data after the response; 0 for none
}

func (r *scanResult) report(f diag.Finding) { r.findings = append(r.findings, f) }

// setFromEmbedded replaces the result by that of a text that consists of pieces of the outer text.
func (r *scanResult) setFromEmbedded(inner scanResult, src diag.Text, pieces []wire.Segment) {
	r.dialect, r.why, r.content, r.reasoning = inner.dialect, inner.why, inner.content, inner.reasoning
	if len(inner.calls)+len(inner.findings) > 0 {
		r.merge(inner, newLayer(src, pieces))
	}
}

// merge adds the calls and findings of a text inside this one.
func (r *scanResult) merge(inner scanResult, l *layer) {
	first := len(r.calls)
	for i, c := range inner.calls {
		from := inner.origins[i]
		from.layers = append(from.layers, l)
		r.calls, r.origins = append(r.calls, l.callWithOuterSpan(c)), append(r.origins, from)
	}
	for _, f := range inner.findings {
		if f.Call != nil {
			index := first + *f.Call
			f.Call = &index
		}
		r.report(l.findingWithOuterSpans(f))
	}
}

// A layer maps a text to the pieces of an outer text that it consists of.
type layer struct {
	src     diag.Text // the outer text
	pieces  []wire.Segment
	bounds  diag.Span     // the range of all pieces
	locator *wire.Locator // created on first use
	paths   *wire.PathFinder
}

// newLayer returns the layer of a text that consists of pieces of src.
func newLayer(src diag.Text, pieces []wire.Segment) *layer {
	return &layer{src: src, pieces: pieces, bounds: fileSpan(src, pieceBounds(pieces))}
}

// fileSpan converts a span of a text to one of the file.
func fileSpan(src diag.Text, s diag.Span) diag.Span {
	return diag.Bytes(src.Offset+s.Start, src.Offset+s.End)
}

// locate returns the places of a span in the outer text.
func (l *layer) locate(s diag.Span) []wire.BodyRange {
	if l.locator == nil {
		l.locator = wire.NewLocator(l.src.Bytes, l.pieces)
	}
	return l.locator.Locate(s.Start, s.End)
}

// jsonPathOf returns the JSON path of a place.
func (l *layer) jsonPathOf(at wire.BodyRange) string {
	if l.paths == nil {
		l.paths = wire.NewPathFinder(l.src.Bytes)
	}
	return l.paths.Path(at.Segment)
}

// callWithOuterSpan converts a call's span to the outer text.
func (l *layer) callWithOuterSpan(c chat.Call) chat.Call {
	at := l.boundingSpan(l.locate(diag.Bytes(c.Start, c.End)))
	c.Start, c.End = at.Start, at.End
	for i, other := range c.Alternatives {
		at := l.boundingSpan(l.locate(diag.Bytes(other.Start, other.End)))
		c.Alternatives[i].Start, c.Alternatives[i].End = at.Start, at.End
	}
	return c
}

// findingWithOuterSpans converts a finding's spans and fixes to the outer text. Fixes with an unknown
// location become display only.
func (l *layer) findingWithOuterSpans(f diag.Finding) diag.Finding {
	inside := f.Pieces
	if len(inside) == 0 {
		inside = []diag.Span{f.Span}
	}
	var places []wire.BodyRange
	for _, s := range inside {
		places = append(places, l.locate(s)...)
	}
	if len(places) > 0 {
		f.Layer = outerPath(l.jsonPathOf(places[0]), f.Layer, places[0].Segment.Quoted)
	}
	f.Span, f.Pieces = l.boundingSpan(places), l.pieceSpans(places)
	for i := range f.Fixes {
		f.Fixes[i] = l.fixWithOuterEdits(f.Fixes[i])
	}
	return f
}

// outerPath joins the path of a value and a path inside it: to one path, or to two if the value is
// a string that holds JSON.
func outerPath(outer, inner string, quoted bool) string {
	switch {
	case inner == "" || outer == "" || inner[0] == '[' && !quoted:
		return outer + inner
	case quoted:
		return outer + ": " + inner
	}
	return outer + "." + inner
}

// boundingSpan returns the span from the first to the last place, or that of the whole text if
// there are none.
func (l *layer) boundingSpan(places []wire.BodyRange) diag.Span {
	if len(places) == 0 {
		return l.bounds
	}
	return fileSpan(l.src, diag.Bytes(places[0].Start, places[len(places)-1].End))
}

// pieceSpans returns the spans of several places, up to a limit; nil for a single place.
func (l *layer) pieceSpans(places []wire.BodyRange) []diag.Span {
	const maxSpans = 100
	if len(places) < 2 {
		return nil
	}
	var spans []diag.Span
	for _, p := range places[:min(maxSpans, len(places))] {
		spans = append(spans, l.boundingSpan([]wire.BodyRange{p}))
	}
	return spans
}

// fixWithOuterEdits converts a fix to the outer text. It is display only if an edit has no place there.
func (l *layer) fixWithOuterEdits(x diag.Fix) diag.Fix {
	var edits []diag.Edit
	for _, e := range x.Edits {
		places := l.locate(diag.Bytes(e.Start, e.End))
		if len(places) == 0 {
			return diag.Fix{Title: x.Title, Kind: diag.Display}
		}
		edits = append(edits, l.replacementEdits(e.New, places)...)
	}
	x.Edits = edits
	return x
}

// replacementEdits writes a text, which is UTF-8, to the first of some places and empties the others.
func (l *layer) replacementEdits(text string, places []wire.BodyRange) []diag.Edit {
	if places[0].Segment.Quoted {
		inner := []byte(quote.JSON(text))
		text = string(inner[1 : len(inner)-1])
	}
	edits := []diag.Edit{{Start: l.src.Offset + places[0].Start, End: l.src.Offset + places[0].End, New: text}}
	for _, p := range places[1:] {
		if p.End > p.Start {
			edits = append(edits, diag.Edit{Start: l.src.Offset + p.Start, End: l.src.Offset + p.End})
		}
	}
	return edits
}

// pieceBounds returns the span from the first to the last piece of some texts.
func pieceBounds(texts ...[]wire.Segment) diag.Span {
	var all diag.Span
	none := true
	for _, pieces := range texts {
		for _, p := range pieces {
			if none || p.Start < all.Start {
				all.Start = p.Start
			}
			all.End, none = max(all.End, p.End), false
		}
	}
	return all
}
