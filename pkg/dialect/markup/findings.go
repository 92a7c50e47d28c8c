package markup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"oneshot/pkg/diag"
)

// maxFindings limits the findings about one call.
const maxFindings = 100

// note records a repaired or tolerated fault.
func (m *machine) note(code diag.Code, start, end int, format string, args ...any) *diag.Finding {
	if m.out == nil {
		return &diag.Finding{}
	}
	f := diag.New(code, diag.Bytes(m.base+start, m.base+end), format, args...)
	m.out.repaired = m.out.repaired || f.Severity.Rank() >= diag.Warning.Rank()
	return m.out.addFinding(f)
}

// fail records an error: the call has no arguments.
func (m *machine) fail(code diag.Code, start, end int, format string, args ...any) {
	f := m.note(code, start, end, format, args...)
	f.Severity = diag.Error
	if m.out != nil {
		m.out.invalid = true
	}
}

func (m *machine) fix(f *diag.Finding, kind diag.FixKind, title string, start, end int, text string) {
	f.Fixes = append(f.Fixes, diag.Fix{Title: title, Kind: kind, Edits: []diag.Edit{{Start: m.base + start, End: m.base + end, New: text}}})
}

func (m *machine) noteMissingPrefix(found marker) {
	what := m.syntax.Prefix + m.syntax.Token
	m.note(diag.MissingOpener, found.start, found.nameEnd, "the tags of the call lack the prefix %q", what)
}

func (m *machine) noteName(n name) {
	var f *diag.Finding
	kind := diag.Safe
	switch {
	case n.hasExtra:
		m.fail(diag.CallMember, n.start, n.end, "unexpected text beside the name in the tag")
		return
	case n.hasControlToken && m.tag.unclosed && n.end == m.tag.end && bytes.HasPrefix(m.text[n.start:n.end], []byte(n.text)):
		m.tag.tokenStart = n.start + len(n.text)
		return
	case n.hasControlToken:
		f = m.note(diag.MarkupInName, n.start, n.end, "control token in a name; read as %s", excerpt(n.text))
		kind = diag.Unsafe // it may have ended something, and without it the text may contain a tag
	case n.namespace != "":
		f = m.note(diag.NameNoise, n.start, n.end, "unexpected prefix %q in the tool name", n.namespace)
	case n.irregular:
		m.note(diag.NameNoise, n.start, n.end, "unexpected quotes or spaces around the name")
		return
	default:
		return
	}
	m.fix(f, kind, "use the plain name", n.start, n.end, n.text)
}

// noteOpenTag reports an opening tag without its end. The fix is safe only at the end of a line
// and if the tag has no unexpected characters: otherwise more may be missing.
func (m *machine) noteOpenTag() {
	t := &m.tag
	if !t.unclosed {
		return
	}
	end := m.syntax.delimiters().End
	if t.quote != 0 {
		end = string(t.quote) + end
	}
	if t.tokenStart > 0 {
		f := m.note(diag.MarkupInName, t.tokenStart, t.end, "expected %s at the end of the tag, got %s", end, excerpt(string(m.text[t.tokenStart:t.end])))
		m.fix(f, diag.Unsafe, "replace it", t.tokenStart, t.next, end)
		return
	}
	f := m.noteMissingEnd(t.marker.start, t.end, t.next, end)
	line := t.next < len(m.text) && (m.text[t.next] == '\n' || m.text[t.next] == '\r')
	if !line || t.quote != 0 || bytes.ContainsFunc(m.text[t.marker.nameEnd:t.end], isUnexpectedInTag) {
		f.Fixes[0].Kind = diag.Unsafe
	}
}

// isUnexpectedInTag reports whether a character is unusual in a tag.
func isUnexpectedInTag(r rune) bool {
	return r < 0x80 && !isNameByte(byte(r)) && !strings.ContainsRune("= \"", r)
}

// noteMissingEnd reports a tag without its end, which belongs between two offsets.
func (m *machine) noteMissingEnd(start, from, to int, end string) *diag.Finding {
	f := m.note(diag.MissingCloser, start, to, "unterminated tag: missing %s", end)
	m.fix(f, diag.Safe, "add it", from, to, end)
	return f
}

// noteCutCloser reports a closing tag without its first character.
func (m *machine) noteCutCloser(found marker) {
	first := m.syntax.delimiters().Close[:1]
	f := m.note(diag.MissingCloser, found.start, found.end, "missing %q at the start of the closing tag", first)
	m.fix(f, diag.Safe, "add it", found.start, found.start, first)
}

// noteMissingCloser reports a call without a closing tag. Closing it is not safe if another call
// begins: that can be the same one, restarted.
func (m *machine) noteMissingCloser(fix diag.FixKind) {
	closer := m.callClosingTag()
	f := m.note(diag.MissingCloser, m.start, m.pos, "missing closing tag %s of the call", closer)
	m.fix(f, fix, "add it", m.pos, m.pos, closer)
}

// callClosingTag returns the closing tag of the call.
func (m *machine) callClosingTag() string { return m.closingTag(m.syntax.CallTags[0]) }

// closingTag returns a closing tag in the style of the call's tags.
func (m *machine) closingTag(name string) string {
	d := m.syntax.delimiters()
	if !m.qualified {
		return d.Close + name + d.End
	}
	return m.syntax.Token + d.Close + m.syntax.Prefix + name + d.End
}

// paramClosingTag returns the closing tag of the current parameter.
func (m *machine) paramClosingTag() string {
	switch {
	case m.param.isElement:
		return m.closingTag(m.param.name.text)
	case m.syntax.KeyTag != "":
		return m.closingTag(m.syntax.ValueTag)
	}
	return m.closingTag(m.syntax.ParamTags[0])
}

func (m *machine) noteWrongCloser(found marker) {
	f := m.note(diag.WrongCloser, found.start, found.end, "missing closing tag of %s: this tag ends its value", excerpt(m.param.name.text))
	f.Path = pointer(m.param.name.text)
	end := found.start
	if found.kind == elementClose || found.kind == paramClose {
		end = found.end
	}
	m.fix(f, diag.Unsafe, "close the parameter", found.start, end, m.paramClosingTag())
}

func (m *machine) noteKeyCloser(found marker) {
	f := m.note(diag.WrongCloser, found.start, found.end, "missing closing tag of the name %s: this tag ends it", excerpt(m.param.name.text))
	m.fix(f, diag.Safe, "close the name", found.start, found.start, m.closingTag(m.syntax.KeyTag))
}

// noteAttributes reports unknown attributes.
func (m *machine) noteAttributes(attributes []attribute) {
	s := m.syntax
	known := append([]string{s.IDAttr, s.FormAttr, s.StringAttr, s.TypeAttr, s.ValueAttr}, s.IgnoredAttrs...)
	for _, a := range attributes {
		if !slices.Contains(known, a.name) && a != m.tag.duplicate {
			m.note(diag.UnknownMember, a.start, a.end, "unknown attribute %s; ignored", excerpt(a.name))
		}
	}
}

func (m *machine) noteStray(found marker) {
	f := m.note(diag.StrayMarker, found.start, found.end, "unmatched closing tag")
	m.fix(f, diag.Safe, "remove it", found.start, found.end, "")
}

func (m *machine) noteJunk(start, end int) {
	if len(bytes.TrimSpace(m.text[start:end])) == 0 {
		return
	}
	if !m.hasParams && !m.hasObject {
		if m.syntax.ObjectArgs && m.addInvalidObject(start, end) {
			return
		}
		m.fail(diag.NotACall, start, end, "expected arguments, got text")
		return
	}
	m.note(diag.SurroundingText, start, end, "unexpected text between parameters")
	if m.out != nil {
		m.out.valueChanged = true
	}
}

func (m *machine) noteNoValue(start, end int) {
	m.fail(diag.CallMember, start, end, "parameter name without a value")
}

func (m *machine) noteTruncated() {
	m.note(diag.TruncatedCall, m.start, len(m.text), "unexpected end of text inside the call").Hint = "write the whole call again"
}

// noteValueMarkers reports tags that are part of a value.
func (m *machine) noteValueMarkers() {
	p := &m.param
	if p.markerCount == 0 {
		return
	}
	more := ""
	if p.markerCount > 1 {
		more = fmt.Sprintf(" (%d tags)", p.markerCount)
	}
	m.note(diag.MarkerInValue, p.firstMarker.start, p.firstMarker.end, "dialect tag inside the value of %s%s", excerpt(p.name.text), more).Path = pointer(p.name.text)
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
func excerpt(text string) string {
	const most = 40
	if len(text) > most {
		text = text[:most] + "…"
	}
	return fmt.Sprintf("%q", strings.ToValidUTF8(text, "\ufffd"))
}
