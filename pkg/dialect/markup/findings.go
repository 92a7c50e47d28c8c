package markup

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
)

// maxFindings limits the findings about one call.
const maxFindings = 100

// note records a repaired or tolerated fault.
func (b *builder) note(code diag.Code, start, end int, format string, args ...any) *diag.Finding {
	if b.out == nil {
		return &diag.Finding{}
	}
	f := diag.New(code, diag.Bytes(b.base+start, b.base+end), format, args...)
	b.out.repaired = b.out.repaired || f.Severity.Rank() >= diag.Warning.Rank()
	return b.out.addFinding(f)
}

// noteError records an error: the call has no arguments.
func (b *builder) noteError(code diag.Code, start, end int, format string, args ...any) {
	f := b.note(code, start, end, format, args...)
	f.Severity = diag.Error
	if b.out != nil {
		b.out.invalid = true
	}
}

func (b *builder) addFix(f *diag.Finding, kind diag.FixKind, title string, start, end int, text string) {
	f.Fixes = append(f.Fixes, diag.Fix{Title: title, Kind: kind, Edits: []diag.Edit{{Start: b.base + start, End: b.base + end, New: text}}})
}

func (b *builder) noteMissingPrefix(found marker) {
	what := b.syntax.Prefix + b.syntax.Token
	b.note(diag.MissingOpener, found.start, found.nameEnd, "the tags of the call lack the prefix %q", what)
}

func (b *builder) noteName(n name) {
	var f *diag.Finding
	kind := diag.Safe
	switch {
	case n.hasExtra:
		b.noteError(diag.CallMember, n.start, n.end, "unexpected text beside the name in the tag")
		return
	case n.hasControlToken && b.tag.unclosed && n.end == b.tag.end && bytes.HasPrefix(b.text[n.start:n.end], []byte(n.text)):
		b.tag.tokenStart = n.start + len(n.text)
		return
	case n.hasControlToken:
		f = b.note(diag.MarkupInName, n.start, n.end, "control token in a name; read as %s", excerpt(n.text))
		kind = diag.Unsafe // it may have ended something, and without it the text may contain a tag
	case n.namespace != "":
		f = b.note(diag.NameNoise, n.start, n.end, "unexpected prefix %q in the tool name", n.namespace)
	case n.irregular:
		b.note(diag.NameNoise, n.start, n.end, "unexpected quotes or spaces around the name")
		return
	default:
		return
	}
	b.addFix(f, kind, "use the plain name", n.start, n.end, n.text)
}

// noteUnclosedTag reports an opening tag without its end. The fix is safe only at the end of a line
// and if the tag has no unexpected characters: otherwise more may be missing.
func (b *builder) noteUnclosedTag() {
	t := &b.tag
	if !t.unclosed {
		return
	}
	end := b.syntax.delimiters().End
	if t.quote != 0 {
		end = string(t.quote) + end
	}
	if t.tokenStart > 0 {
		f := b.note(diag.MarkupInName, t.tokenStart, t.end, "expected %s at the end of the tag, got %s", end, excerpt(string(b.text[t.tokenStart:t.end])))
		b.addFix(f, diag.Unsafe, "replace it", t.tokenStart, t.next, end)
		return
	}
	f := b.noteMissingEnd(t.marker.start, t.end, t.next, end)
	line := t.next < len(b.text) && (b.text[t.next] == '\n' || b.text[t.next] == '\r')
	if !line || t.quote != 0 || bytes.ContainsFunc(b.text[t.marker.nameEnd:t.end], isUnexpectedInTag) {
		f.Fixes[0].Kind = diag.Unsafe
	}
}

// isUnexpectedInTag reports whether a character is unusual in a tag.
func isUnexpectedInTag(r rune) bool {
	return r < 0x80 && !isNameByte(byte(r)) && !strings.ContainsRune("= \"", r)
}

// noteMissingEnd reports a tag without its end, which belongs between two offsets.
func (b *builder) noteMissingEnd(start, from, to int, end string) *diag.Finding {
	f := b.note(diag.MissingCloser, start, to, "unterminated tag: missing %s", end)
	b.addFix(f, diag.Safe, "add it", from, to, end)
	return f
}

// noteCloserWithoutFirstByte reports a closing tag without its first character.
func (b *builder) noteCloserWithoutFirstByte(found marker) {
	first := b.syntax.delimiters().Close[:1]
	f := b.note(diag.MissingCloser, found.start, found.end, "missing %q at the start of the closing tag", first)
	b.addFix(f, diag.Safe, "add it", found.start, found.start, first)
}

// noteMissingCloser reports a call without a closing tag. Closing it is not safe if another call
// begins: that can be the same one, restarted.
func (b *builder) noteMissingCloser(fix diag.FixKind) {
	closer := b.callClosingTag()
	f := b.note(diag.MissingCloser, b.start, b.pos, "missing closing tag %s of the call", closer)
	b.addFix(f, fix, "add it", b.pos, b.pos, closer)
}

// callClosingTag returns the closing tag of the call.
func (b *builder) callClosingTag() string { return b.closingTag(b.syntax.CallTags[0]) }

// closingTag returns a closing tag in the style of the call's tags.
func (b *builder) closingTag(name string) string {
	d := b.syntax.delimiters()
	if !b.qualified {
		return d.Close + name + d.End
	}
	return b.syntax.Token + d.Close + b.syntax.Prefix + name + d.End
}

// paramClosingTag returns the closing tag of the current parameter.
func (b *builder) paramClosingTag() string {
	switch {
	case b.param.isElement:
		return b.closingTag(b.param.name.text)
	case b.syntax.KeyTag != "":
		return b.closingTag(b.syntax.ValueTag)
	}
	return b.closingTag(b.syntax.ParamTags[0])
}

func (b *builder) noteWrongCloser(found marker) {
	f := b.note(diag.WrongCloser, found.start, found.end, "missing closing tag of %s: this tag ends its value", excerpt(b.param.name.text))
	f.Path = pointer(b.param.name.text)
	end := found.start
	if found.kind == elementClose || found.kind == paramClose {
		end = found.end
	}
	b.addFix(f, diag.Unsafe, "close the parameter", found.start, end, b.paramClosingTag())
}

func (b *builder) noteKeyCloser(found marker) {
	f := b.note(diag.WrongCloser, found.start, found.end, "missing closing tag of the name %s: this tag ends it", excerpt(b.param.name.text))
	b.addFix(f, diag.Safe, "close the name", found.start, found.start, b.closingTag(b.syntax.KeyTag))
}

// noteAttributes reports unknown attributes. One without a name may hold a value that would be lost.
func (b *builder) noteAttributes(attributes []attribute) {
	s := b.syntax
	known := append([]string{s.IDAttr, s.FormAttr, s.StringAttr, s.TypeAttr, s.ValueAttr}, s.IgnoredAttrs...)
	for _, a := range attributes {
		switch {
		case a.name == "":
			b.noteError(diag.CallMember, a.start, a.end, "attribute without a name")
		case !slices.Contains(known, a.name) && a != b.tag.duplicate:
			b.note(diag.UnknownMember, a.start, a.end, "unknown attribute %s; ignored", excerpt(a.name))
		}
	}
}

func (b *builder) noteStray(found marker) {
	f := b.note(diag.StrayMarker, found.start, found.end, "unmatched closing tag")
	b.addFix(f, diag.Safe, "remove it", found.start, found.end, "")
}

func (b *builder) noteNoValue(start, end int) {
	b.noteError(diag.CallMember, start, end, "parameter name without a value")
}

func (b *builder) noteTruncated() {
	b.note(diag.TruncatedCall, b.start, len(b.text), "unexpected end of text inside the call").Hint = "write the whole call again"
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// pointer returns the JSON pointer to an argument, "" if its name is too long.
func pointer(key string) string {
	if len(key) > maxKeyLen {
		return ""
	}
	return "/" + pointerEscapes.Replace(key)
}

// excerpt shortens a quotation in a message.
func excerpt(text string) string { return strconv.Quote(quote.Shorten(text, 40)) }

// noteTagFaults reports faults of the tag other than in its name.
func (b *builder) noteTagFaults(others []attribute) {
	if found := b.tag.marker; found.glued {
		f := b.note(diag.CallMember, found.start, found.nameEnd+len(b.syntax.NameAttr), "missing space before the attribute %q", b.syntax.NameAttr)
		f.Severity = diag.Warning
		sign := len(b.text[:found.nameEnd]) - len(bytes.TrimSuffix(b.text[:found.nameEnd], []byte(byteLevelSpace)))
		b.addFix(f, diag.Safe, "add a space", found.nameEnd-sign, found.nameEnd, " ")
	}
	b.noteAttributes(others)
	if a := b.tag.duplicate; a.name != "" {
		b.noteError(diag.DuplicateKey, a.start, a.end, "duplicate attribute %s", excerpt(a.name))
	}
	b.noteUnclosedTag()
}
