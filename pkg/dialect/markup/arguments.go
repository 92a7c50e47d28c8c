package markup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// addParam adds the current parameter, whose value is between two offsets.
func (b *builder) addParam(start, end int) {
	if b.out == nil {
		return
	}
	o, p := b.out, &b.param
	o.valueChanged = o.valueChanged || p.wrongCloser || p.closerRejected
	if p.openerMissing {
		b.note(diag.MissingOpener, start, start, "missing opening tag before the value of %s", excerpt(p.name.text))
	}
	if p.name.text == "" {
		b.noteError(diag.CallMember, p.name.start, max(p.name.end, p.name.start), "missing parameter name")
	} else if !utf8.ValidString(p.name.text) {
		b.noteError(diag.InvalidUTF8, p.name.start, p.name.end, "invalid UTF-8 in a parameter name")
	}
	if b.hasObject {
		b.noteError(diag.CallMember, start, end, "parameters mixed with a JSON object of arguments")
	}
	b.noteValueMarkers()
	o.scratch = reusableBuffer(o.scratch)
	value := b.paramValue(start, end)
	switch i, isNew := o.beginArgument(p.name.text); {
	case isNew:
		o.endArgument(value)
	case p.isElement && b.syntax.NestedTags:
		o.arguments[i].repeats = append(o.arguments[i].repeats, bytes.Clone(value))
		o.hasRepeats = true
	default:
		b.noteError(diag.DuplicateKey, p.name.start, p.name.end, "duplicate parameter %s", excerpt(p.name.text))
	}
}

// addObject adds arguments that are one JSON object between two offsets.
func (b *builder) addObject(start, end int) {
	if b.out == nil {
		return
	}
	r := literal.ParseBytes(b.text[start:end])
	b.addParsed(r, start, "")
	if r.Value == nil || r.Value[0] != '{' {
		b.out.invalid = true
	}
	b.out.object = r.Value
}

// addInvalidObject adds the findings about an invalid arguments object, and reports whether
// there are errors.
func (b *builder) addInvalidObject(start, end int) bool {
	text := b.text[start:end]
	if b.out == nil || text[0] != '{' {
		return false
	}
	b.steps += len(text)
	r := literal.ParseBytes(text)
	b.addParsed(r, start, "")
	b.out.invalid = true
	return diag.HasErrors(r.Findings)
}

// addParsed adds the status and findings of a value that begins at an offset.
func (b *builder) addParsed(r literal.Parsed, start int, path string) {
	o := b.out
	o.valueChanged = o.valueChanged || r.ValueChanged
	switch r.Status {
	case chat.StatusAmbiguous:
		o.ambiguous = true
	case chat.StatusRepaired:
		o.repaired = true
	}
	for _, f := range r.Findings {
		o.addFinding(shiftFinding(f, b.base+start, path))
	}
}

// paramValue decodes the value of the current parameter, between two offsets, as JSON.
func (b *builder) paramValue(start, end int) json.RawMessage {
	start, end = b.trimPadding(start, end)
	text := b.text[start:end]
	if a, ok := findAttribute(b.param.attrs, b.syntax.ValueAttr); ok && start == end {
		text, start, end = []byte(a.value), a.start, a.end
	}
	shape := b.shape.Property(b.param.name.text)
	v := &b.out.value
	*v = valueReader{m: b, start: start, trace: b.traceParam(start, end)}
	if (b.param.isContainer || b.syntax.NestedTags) && !utf8.Valid(text) { // names in it, too
		b.noteError(diag.InvalidUTF8, start, end, "invalid UTF-8 in a value")
	}
	switch {
	case b.param.isContainer:
		return v.decodeContainer(text, b.syntax.formOf(b.param.attrs), shape)
	case b.syntax.NestedTags:
		if value, ok := v.decodeNested(text, shape); ok {
			return value
		}
		b.out.tracer.dropNested(v.trace)
		clear, hasSourceOffsets := b.decodeText(text)
		return v.decode(clear, valueOrItemKinds(shape), hasSourceOffsets)
	}
	return v.decodeAttributed(text, b.param.attrs, shape)
}

func (b *builder) noteJunk(start, end int) {
	if len(bytes.TrimSpace(b.text[start:end])) == 0 {
		return
	}
	if !b.hasParams && !b.hasObject {
		if b.syntax.ObjectArgs && b.addInvalidObject(start, end) {
			return
		}
		b.noteError(diag.NotACall, start, end, "expected arguments, got text")
		return
	}
	b.note(diag.SurroundingText, start, end, "unexpected text between parameters")
	if b.out != nil {
		b.out.valueChanged = true
	}
}

// noteValueMarkers reports tags that are part of a value.
func (b *builder) noteValueMarkers() {
	p := &b.param
	if p.markerCount == 0 {
		return
	}
	more := ""
	if p.markerCount > 1 {
		more = fmt.Sprintf(" (%d tags)", p.markerCount)
	}
	b.note(diag.MarkerInValue, p.firstMarker.start, p.firstMarker.end, "dialect tag inside the value of %s%s", excerpt(p.name.text), more).Path = pointer(p.name.text)
}
