package lint

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/wire"
)

// Response reads a captured response: the body of a server, if it is like one, and a
// text otherwise. A dialect that is asked for is one of text.
func Response(file string, src []byte, o Options) Record {
	if o.Format.Name != "" {
		r := Body(file, src, o.Format, o)
		r.Why = "named by the caller"
		return r
	}
	if o.Dialect.Name == "" {
		if format, ok := wire.FormatOf(src); ok {
			return Body(file, src, format, o)
		}
	}
	return Text(file, src, o)
}

// Body reads a captured response in the format of a server: its native calls, and those
// that stand in its text, behind which nobody at the server has looked.
func Body(file string, src []byte, format wire.Format, o Options) Record {
	d := format.New(int64(len(src)))
	d.Trace()
	_ = d.Write(src, nil) // Close says it again
	resp, err := d.Close()
	b := &bodyReader{src: src, sources: d.Sources(), places: diag.NewLines(src)}
	b.fault(err)
	b.native(resp.Calls)
	b.text(resp.Content, o)
	r := Record{
		File: file, Dialect: format.Name, Why: "it is a response of " + format.Title, Content: b.content, Reasoning: resp.Reasoning + b.reasoning,
		Calls: []Call{}, Findings: []diag.Finding{},
	}
	r.finish(src, b.calls, b.findings, o)
	return r
}

// A bodyReader collects what stands in a body, with places in it.
type bodyReader struct {
	src                []byte
	sources            *wire.Sources
	places             *diag.Lines
	content, reasoning string
	calls              []chat.Call
	findings           []diag.Finding
}

// fault takes why a body could not be read to its end.
func (b *bodyReader) fault(err error) {
	var e *wire.Error
	if !errors.As(err, &e) {
		return
	}
	at := diag.Bytes(int(e.Offset), int(e.Offset))
	switch e.Kind {
	case wire.Cut:
		b.find(diag.New(diag.CutBody, at, "%s", e.Message))
	case wire.Server:
		b.find(diag.New(diag.ServerError, at, "%s", e.Error()))
	default:
		b.find(diag.New(diag.UnreadableBody, at, "%s", e.Message))
	}
}

func (b *bodyReader) find(f diag.Finding) { b.findings = append(b.findings, f) }

// native takes the calls that the server has read.
func (b *bodyReader) native(calls []chat.Call) {
	for i, c := range calls {
		from := b.sources.Calls[i]
		call, faults := dialect.Native(c)
		span := around(slices.Concat(from.ID, from.Name, from.Arguments))
		call.Start, call.End = span.Start, span.End
		layer := wire.NewLocator(b.src, from.Arguments)
		for _, f := range faults {
			f.Call = &i
			b.find(b.moved(f, layer, span, fmt.Sprintf("arguments of native call %d", i)))
		}
		b.calls = append(b.calls, call)
	}
}

// text takes the calls that stand in the text of the response.
func (b *bodyReader) text(content string, o Options) {
	reading := dialect.Scan(content, dialect.Options{Dialect: o.Dialect, Reasoning: o.Reasoning, Tools: shapes(o.Tools)})
	b.content, b.reasoning = reading.Content, reading.Reasoning
	layer, first, none := wire.NewLocator(b.src, b.sources.Content), len(b.calls), around(b.sources.Content)
	path := "text of the response"
	for _, c := range reading.Calls {
		place := spanOf(layer.Place(c.Start, c.End), none)
		c.Start, c.End = place.Start, place.End
		b.calls = append(b.calls, c)
	}
	if len(reading.Calls) > 0 {
		c := b.calls[first]
		b.find(diag.New(diag.CallInText, diag.Bytes(c.Start, c.End), "the server has passed on as text what is a call in the dialect %s", reading.Dialect.Name))
	}
	for _, f := range reading.Findings {
		if f.Call != nil {
			index := first + *f.Call
			f.Call = &index
		}
		b.find(b.moved(f, layer, none, path))
	}
}

// moved returns a finding about a text inside the body as one about the body. Its fixes
// stay where each edit is one of a JSON string.
func (b *bodyReader) moved(f diag.Finding, layer *wire.Locator, none diag.Span, path string) diag.Finding {
	places := layer.Place(f.Span.Start, f.Span.End)
	f.Span, f.Layer = spanOf(places, none), path
	for i := range f.Fixes {
		f.Fixes[i] = b.movedFix(f.Fixes[i], layer)
	}
	return f
}

// movedFix returns a fix of a text inside the body as one of the body, or as one that is
// only shown.
func (b *bodyReader) movedFix(x diag.Fix, layer *wire.Locator) diag.Fix {
	edits := slices.Clone(x.Edits)
	for i, e := range edits {
		places := layer.Place(e.Start, e.End)
		if len(places) != 1 {
			return diag.Fix{Title: x.Title, Kind: diag.Display}
		}
		text := e.New
		if places[0].Quoted {
			quoted, err := jsontext.AppendQuote(nil, text)
			if err != nil {
				return diag.Fix{Title: x.Title, Kind: diag.Display}
			}
			text = string(quoted[1 : len(quoted)-1])
		}
		edits[i] = diag.Edit{Start: places[0].Start, End: places[0].End, New: text}
	}
	x.Edits = edits
	return x
}

// around returns the stretch of a body in which pieces stand.
func around(pieces []wire.Piece) diag.Span {
	if len(pieces) == 0 {
		return diag.Span{}
	}
	first := slices.MinFunc(pieces, func(a, b wire.Piece) int { return cmp.Compare(a.Start, b.Start) })
	last := slices.MaxFunc(pieces, func(a, b wire.Piece) int { return cmp.Compare(a.End, b.End) })
	return diag.Bytes(first.Start, last.End)
}

// spanOf returns the stretch in which places stand, or another one if there are none.
func spanOf(places []wire.Place, none diag.Span) diag.Span {
	if len(places) == 0 {
		return none
	}
	return diag.Bytes(places[0].Start, places[len(places)-1].End)
}
