package lint

import (
	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/wire"
)

// A reading is what was read in a text. Places are bytes of that text.
type reading struct {
	dialect, why       string
	content, reasoning string
	calls              []chat.Call
	origins            []origin // of the calls
	findings           []diag.Finding
	rest               int // where what stands behind the response begins; 0 if nothing does
}

func (r *reading) find(f diag.Finding) { r.findings = append(r.findings, f) }

// take takes all that was read in a text that is made of pieces of another one.
func (r *reading) take(inner reading, src diag.Text, pieces []wire.Piece) {
	r.dialect, r.why, r.content, r.reasoning = inner.dialect, inner.why, inner.content, inner.reasoning
	if len(inner.calls)+len(inner.findings) > 0 {
		r.add(inner, newLayer(src, pieces))
	}
}

// add takes in what was read in a text inside of this one.
func (r *reading) add(inner reading, l *layer) {
	first := len(r.calls)
	for i, c := range inner.calls {
		from := inner.origins[i]
		from.layers = append(from.layers, l)
		r.calls, r.origins = append(r.calls, l.call(c)), append(r.origins, from)
	}
	for _, f := range inner.findings {
		if f.Call != nil {
			index := first + *f.Call
			f.Call = &index
		}
		r.find(l.finding(f))
	}
}

// A layer is a text that stands in pieces of another one.
type layer struct {
	src     diag.Text // that other text
	pieces  []wire.Piece
	all     diag.Span     // where it stands
	located *wire.Locator // made when a place is looked up
	paths   *wire.Paths
}

// newLayer returns the layer of a text that is made of pieces.
func newLayer(src diag.Text, pieces []wire.Piece) *layer {
	return &layer{src: src, pieces: pieces, all: inFile(src, around(pieces))}
}

// inFile returns a stretch of the bytes of a text as one of the file.
func inFile(src diag.Text, s diag.Span) diag.Span {
	return diag.Bytes(src.Offset+s.Start, src.Offset+s.End)
}

// places returns where a stretch of the text stands.
func (l *layer) places(s diag.Span) []wire.Place {
	if l.located == nil {
		l.located = wire.NewLocator(l.src.Bytes, l.pieces)
	}
	return l.located.Place(s.Start, s.End)
}

// path returns the path at which a place stands.
func (l *layer) path(at wire.Place) string {
	if l.paths == nil {
		l.paths = wire.NewPaths(l.src.Bytes)
	}
	return l.paths.Of(at.Piece)
}

// call returns a call with the place in the outer text.
func (l *layer) call(c chat.Call) chat.Call {
	at := l.span(l.places(diag.Bytes(c.Start, c.End)))
	c.Start, c.End = at.Start, at.End
	for i, other := range c.Alternatives {
		at := l.span(l.places(diag.Bytes(other.Start, other.End)))
		c.Alternatives[i].Start, c.Alternatives[i].End = at.Start, at.End
	}
	return c
}

// finding returns a finding with the places in the outer text. Its fixes stay where the
// place of each edit is known.
func (l *layer) finding(f diag.Finding) diag.Finding {
	inside := f.Pieces
	if len(inside) == 0 {
		inside = []diag.Span{f.Span}
	}
	var places []wire.Place
	for _, s := range inside {
		places = append(places, l.places(s)...)
	}
	if len(places) > 0 {
		f.Layer = outerPath(l.path(places[0]), f.Layer, places[0].Piece.Quoted)
	}
	f.Span, f.Pieces = l.span(places), l.spans(places)
	for i := range f.Fixes {
		f.Fixes[i] = l.fix(f.Fixes[i])
	}
	return f
}

// outerPath returns the path of what has a path inside the value at another one. That
// is one path, or two where the value is a string that holds JSON.
func outerPath(outer, inner string, quoted bool) string {
	switch {
	case inner == "" || outer == "" || inner[0] == '[' && !quoted:
		return outer + inner
	case quoted:
		return outer + ": " + inner
	}
	return outer + "." + inner
}

// span returns the stretch in which places stand, or that of the whole text if there are none.
func (l *layer) span(places []wire.Place) diag.Span {
	if len(places) == 0 {
		return l.all
	}
	return inFile(l.src, diag.Bytes(places[0].Start, places[len(places)-1].End))
}

// spans returns the places one by one, if there are several: not all of very many.
func (l *layer) spans(places []wire.Place) []diag.Span {
	const most = 100
	if len(places) < 2 {
		return nil
	}
	var spans []diag.Span
	for _, p := range places[:min(most, len(places))] {
		spans = append(spans, l.span([]wire.Place{p}))
	}
	return spans
}

// fix returns a fix of the outer text, or one that is only shown where the place of an
// edit is not known.
func (l *layer) fix(x diag.Fix) diag.Fix {
	var edits []diag.Edit
	for _, e := range x.Edits {
		places := l.places(diag.Bytes(e.Start, e.End))
		if len(places) == 0 {
			return diag.Fix{Title: x.Title, Kind: diag.Display}
		}
		edits = append(edits, l.edits(e.New, places)...)
	}
	x.Edits = edits
	return x
}

// edits puts a text, which is UTF-8, into the first of some places and empties the
// others.
func (l *layer) edits(text string, places []wire.Place) []diag.Edit {
	if places[0].Piece.Quoted {
		inner := quoted(text)
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

// around returns the stretch of a text in which pieces of several texts stand.
func around(texts ...[]wire.Piece) diag.Span {
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
