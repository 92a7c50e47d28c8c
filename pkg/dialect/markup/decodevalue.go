package markup

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
	"oneshot/pkg/schema"
)

// trimPadding returns the offsets of a value without its padding.
func (b *builder) trimPadding(start, end int) (int, int) {
	framing := b.syntax.Padding
	switch {
	case b.param.openerMissing:
		framing = Blanks
	case b.param.wrongCloser && framing == Verbatim: // the line of the next tag ends it
		end = b.endBeforeLineBreak(start, b.trimmedEnd(start, end, " \t"))
	}
	switch framing {
	case Blanks:
		end = b.trimmedEnd(start, end, " \t\r\n")
		for start < end && isSpace(b.text[start]) {
			start++
		}
	case Newline:
		end = b.endBeforeLineBreak(start, end)
		for _, lineEnd := range []string{"\r\n", "\n"} {
			if bytes.HasPrefix(b.text[start:end], []byte(lineEnd)) {
				return start + len(lineEnd), end
			}
		}
	}
	return start, end
}

// decodeText resolves CDATA and entities, and reports whether the result is the same byte by
// byte.
func (b *builder) decodeText(text []byte) ([]byte, bool) {
	if b.syntax.CDATA {
		if section, ok := cdataContent(text); ok {
			return section, false
		}
	}
	if b.syntax.Entities && bytes.IndexByte(text, '&') >= 0 {
		clear := unescapeEntities(string(text))
		return []byte(clear), clear == string(text)
	}
	return text, true
}

// cdataContent returns the content of a text that is one CDATA section.
func cdataContent(text []byte) ([]byte, bool) {
	text, ok := bytes.CutPrefix(bytes.TrimSpace(text), []byte(cdataOpen))
	if !ok {
		return nil, false
	}
	return bytes.CutSuffix(text, []byte(cdataClose))
}

// path returns the JSON pointer to the parameter.
func (v *valueReader) path() string { return pointer(v.m.param.name.text) }

// decode decodes a text of one of several kinds to JSON. If hasSourceOffsets is set, offsets in text are
// offsets in the source and findings get a span.
func (v *valueReader) decode(text []byte, kinds schema.Kinds, hasSourceOffsets bool) json.RawMessage {
	switch {
	case kinds == schema.String:
		return v.decodeAsText(text)
	case kinds == 0:
		return v.decodeStrict(text, v.m.syntax.Untyped.kinds())
	case kinds&schema.String != 0:
		return v.decodeStrict(text, kinds&^schema.String)
	}
	if value, ok := v.decodeJSON(text, kinds, hasSourceOffsets); ok {
		return value
	}
	if value, ok := v.decodeStringEscapedJSON(text, kinds); ok {
		return value
	}
	return v.decodeAsText(text)
}

// decodeStringEscapedJSON decodes an object or array that is escaped like a string but has no quotes.
func (v *valueReader) decodeStringEscapedJSON(text []byte, kinds schema.Kinds) (json.RawMessage, bool) {
	if kinds&(schema.Array|schema.Object) == 0 || !bytes.Contains(text, []byte(`\"`)) {
		return nil, false
	}
	v.m.steps += len(text)
	return v.decodeStringifiedJSON(literal.Parsed{Value: slices.Concat([]byte{'"'}, bytes.TrimSpace(text), []byte{'"'})}, kinds)
}

// decodeJSON decodes a text that is JSON of one of several kinds, with repairs, and returns
// false for any other.
func (v *valueReader) decodeJSON(text []byte, kinds schema.Kinds, hasSourceOffsets bool) (json.RawMessage, bool) {
	return v.acceptParsed(v.parseJSON(text), kinds, hasSourceOffsets)
}

// acceptParsed returns a parsed value if it is of one of several kinds.
func (v *valueReader) acceptParsed(r literal.Parsed, kinds schema.Kinds, hasSourceOffsets bool) (json.RawMessage, bool) {
	if r.Value == nil && isUnusableJSON(r.Findings) {
		v.addValueFindings(r, hasSourceOffsets)
		v.m.out.invalid = true
		return json.RawMessage("null"), true
	}
	if r.Value != nil && kinds&schema.String == 0 && schema.KindOf(r.Value) == schema.String {
		if inner, ok := v.decodeStringifiedJSON(r, kinds); ok {
			return inner, true
		}
	}
	if r.Value == nil || kinds&schema.KindOf(r.Value) == 0 {
		return nil, false
	}
	v.addValueFindings(r, hasSourceOffsets)
	return r.Value, true
}

// parseJSON parses a text that may be JSON.
func (v *valueReader) parseJSON(text []byte) literal.Parsed {
	v.m.steps += len(text)
	if value, ok := v.m.out.parseStrict(text); ok {
		return literal.Parsed{Value: value, Status: chat.StatusOK}
	}
	return literal.ParseBytes(text)
}

// isStrictJSON reports whether a text is strict JSON.
func (v *valueReader) isStrictJSON(text []byte) bool {
	v.m.steps += len(text)
	return canBeJSON(text) && json.Valid(text)
}

// canBeJSON reports whether a text can be JSON: it begins like an object, array or string, or is
// a word or number. Most texts are not.
func canBeJSON(text []byte) bool {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return false
	}
	switch c := text[0]; {
	case c == '{' || c == '[' || c == '"':
		return true
	case c == '-' || '0' <= c && c <= '9':
		return looksLikeNumber(text)
	}
	return string(text) == "true" || string(text) == "false" || string(text) == "null"
}

// looksLikeNumber reports whether a text has only characters of a number, with signs at the
// start or after the e of an exponent.
func looksLikeNumber(text []byte) bool {
	for i, c := range text {
		switch {
		case '0' <= c && c <= '9', c == '.', c|0x20 == 'e':
		case (c == '-' || c == '+') && (i == 0 || text[i-1]|0x20 == 'e'):
		default:
			return false
		}
	}
	return true
}

// kinds returns the kinds, other than text, of a value without a known type.
func (u Untyped) kinds() schema.Kinds {
	switch u {
	case Text:
		return 0
	case JSON:
		return schema.AnyKind &^ schema.String
	}
	return schema.Array | schema.Object
}

// decodeStrict returns the value of a text that is strict JSON of one of several kinds,
// otherwise the text itself.
func (v *valueReader) decodeStrict(text []byte, kinds schema.Kinds) json.RawMessage {
	if kinds == 0 || !canBeJSON(text) {
		return v.decodeAsText(text)
	}
	v.m.steps += len(text)
	r := literal.Parsed{Status: chat.StatusOK}
	var ok bool
	if r.Value, ok = v.m.out.parseStrict(text); !ok && v.isStrictJSON(text) {
		r, ok = literal.ParseBytes(text), true
	}
	if ok {
		if value, ok := v.acceptParsed(r, kinds, true); ok {
			return value
		}
	}
	return v.decodeAsText(text)
}

// isUnusableJSON reports whether findings are about a text that is certainly JSON but must not be used.
func isUnusableJSON(findings []diag.Finding) bool {
	return slices.ContainsFunc(findings, func(f diag.Finding) bool {
		return f.Code == diag.DuplicateKey || f.Code == diag.TooDeep
	})
}

// decodeStringifiedJSON returns the object or array in a JSON string if no string is allowed.
func (v *valueReader) decodeStringifiedJSON(r literal.Parsed, kinds schema.Kinds) (json.RawMessage, bool) {
	var text string
	if kinds&(schema.Array|schema.Object) == 0 || json.Unmarshal(r.Value, &text) != nil || !v.isStrictJSON([]byte(text)) {
		return nil, false
	}
	inner := v.parseJSON([]byte(text))
	if inner.Value == nil || inner.Status != chat.StatusOK || kinds&(schema.Array|schema.Object)&schema.KindOf(inner.Value) == 0 {
		return nil, false
	}
	v.addValueFindings(r, true)
	f := v.m.note(diag.DoubleEncoded, v.start, v.start, "double-encoded value: a string that contains JSON")
	f.Path = v.path()
	return inner.Value, true
}

// addValueFindings adds the findings about a value.
func (v *valueReader) addValueFindings(r literal.Parsed, hasSourceOffsets bool) {
	if !hasSourceOffsets {
		for i := range r.Findings {
			r.Findings[i].Span, r.Findings[i].Fixes = diag.Span{}, nil
		}
	}
	path := ""
	if len(r.Findings) > 0 {
		path = v.path()
	}
	v.m.addParsed(r, v.start, path)
}

// decodeAsText returns a text as a JSON string.
func (v *valueReader) decodeAsText(text []byte) json.RawMessage {
	b := v.m.out.quote(text)
	if !utf8.Valid(text) {
		v.m.noteError(diag.InvalidUTF8, v.start, v.start+1, "invalid UTF-8 in a value")
	}
	return b
}

var entities = map[string]string{"amp": "&", "lt": "<", "gt": ">", "quot": `"`, "apos": "'"}
