package markup

import "bytes"

// A verdict says whether something stands in the text.
type verdict uint8

const (
	no verdict = iota
	maybe
	yes
)

// A mark is a mark that stands in the text.
type mark struct {
	kind    kind
	dressed bool // it has the prefix or token of the syntax
	open    bool // its end is missing
	cut     bool // its first character is missing
	slash   bool // of an element: it closes itself
	start   int  // where it begins
	nameEnd int  // where its name ends
	glued   bool // no blank stands behind that
	end     int  // where it ends; of a tag with attributes, where its name does
	name    string
}

// Bounds of what is looked ahead for one mark.
const (
	mostBlanks = 8   // in a closing tag, in front of its end
	mostName   = 128 // of the name of an element
)

// prefixed reports whether a text stands at an offset.
func (m *machine) prefixed(i int, text string) verdict {
	rest := m.text[i:]
	switch {
	case len(rest) >= len(text):
		if string(rest[:len(text)]) == text {
			return yes
		}
	case !m.whole && string(rest) == text[:len(rest)]:
		return maybe
	}
	return no
}

// cutCloser reads a closing mark of the call whose first character is missing.
func (m *machine) cutCloser(i int) (mark, verdict) {
	d := m.syntax.delimiters()
	if len(d.Close) < 2 || i == len(m.text) || m.text[i] != d.Close[1] {
		return mark{}, no
	}
	best := no
	for _, name := range m.syntax.Calls {
		for _, name := range []string{name, m.syntax.Prefix + name} {
			closer := d.Close[1:] + name + d.End
			switch v := m.prefixed(i, closer); v {
			case yes:
				return mark{kind: callClose, dressed: m.dressed, cut: true, start: i, end: i + len(closer)}, yes
			case maybe:
				best = maybe
			}
		}
	}
	return mark{}, best
}

// mark reads the mark at an offset, where its "<" stands.
func (m *machine) mark(i int) (mark, verdict) {
	m.steps++
	found, v := m.known(i)
	if v == no && m.param.closes {
		found, v = m.closesByName(i)
	}
	if v == no && m.syntax.Elements {
		found, v = m.element(i)
		found = m.dress(found, i, false)
	}
	return found, v
}

// known reads a mark that is one of the words of the syntax.
func (m *machine) known(i int) (mark, verdict) {
	open := no
	words := m.words.at(m.text[i:])
	for k := range words {
		w := &words[k]
		v := m.prefixed(i, w.text)
		if v == yes {
			var found mark
			if found, v = m.tail(w.kind, w.tail, i+len(w.text)); v == yes {
				return m.dress(found, i, w.dressed), yes
			}
		}
		open = max(open, v)
	}
	return mark{}, open
}

// closesByName reads a mark that closes the parameter by its name, as if that were
// its tag.
func (m *machine) closesByName(i int) (mark, verdict) {
	found, v := m.closesAs(i, "")
	if prefix := m.syntax.Prefix; v != yes && prefix != "" {
		dressed, other := m.closesAs(i, prefix)
		return dressed, max(v, other)
	}
	return found, v
}

// closesAs is [machine.closesByName] with a prefix.
func (m *machine) closesAs(i int, prefix string) (mark, verdict) {
	end, v := m.joined(i, m.syntax.delimiters().Close, prefix, m.param.name.text)
	if v != yes {
		return mark{}, v
	}
	found, v := m.tail(elementClose, bareTail, end)
	found = m.dress(found, i, prefix != "")
	found.name = m.param.name.text
	return found, v
}

// joined reports whether texts stand at an offset, one behind the other, and where they
// end.
func (m *machine) joined(i int, texts ...string) (end int, v verdict) {
	for _, text := range texts {
		if v := m.prefixed(i, text); v != yes {
			return i, v
		}
		i += len(text)
	}
	return i, yes
}

// dress finishes a mark: it begins with the token, if that stands before it.
func (m *machine) dress(found mark, i int, dressed bool) mark {
	found.start, found.dressed = i, dressed || m.syntax.Prefix == "" && m.syntax.Token == ""
	if token := m.syntax.Token; token != "" && bytes.HasSuffix(m.text[min(i, m.at):i], []byte(token)) {
		found.start, found.dressed = i-len(token), true
	}
	return found
}

// tail reads what must stand behind the name of a mark of some kind, which ends at i.
func (m *machine) tail(k kind, t tail, i int) (mark, verdict) {
	found := mark{kind: k, nameEnd: i, end: i}
	switch t {
	case noTail:
		return found, yes
	case valueTail, attrsTail:
		v := m.attributesAt(i, t)
		if v == no && m.syntax.Glued {
			return m.gluedTail(found)
		}
		return found, v
	}
	end, v := m.tagEnd(i)
	switch {
	case v == no && t == anyTail:
		end, v, found.open = i, yes, true
	case v == no && t == looseTail:
		end, v = i, m.endMissing(i)
		found.open = v == yes
	}
	found.end = end
	return found, v
}

// attributesAt reports whether the name of an opening tag ends at an offset.
func (m *machine) attributesAt(i int, t tail) verdict {
	if i == len(m.text) {
		return m.unknown()
	}
	c := m.text[i]
	if t == valueTail {
		return is(c == '=')
	}
	if isSpace(c) || c == '/' {
		return yes
	}
	return m.prefixed(i, m.syntax.delimiters().End)
}

// blankSign is what byte-level tokenizers have for a blank.
const blankSign = "\u0120"

// gluedTail reads what stands behind the name of an opening tag in place of a blank:
// nothing or [blankSign], and the attribute with a name.
func (m *machine) gluedTail(found mark) (mark, verdict) {
	open := no
	for _, blank := range []string{"", blankSign} {
		end, v := m.joined(found.end, blank, m.syntax.Name, "=")
		if v == yes {
			found.nameEnd = end - len(m.syntax.Name) - len("=")
			found.end, found.glued = found.nameEnd, true
			return found, yes
		}
		open = max(open, v)
	}
	return found, open
}

func is(b bool) verdict {
	if b {
		return yes
	}
	return no
}

// unknown is the verdict about what stands behind the text that is there.
func (m *machine) unknown() verdict {
	if m.whole {
		return no
	}
	return maybe
}

// tagEnd reads the end of a tag without attributes, with blanks before it.
func (m *machine) tagEnd(i int) (int, verdict) {
	stop := min(len(m.text), i+mostBlanks)
	for i < stop && isSpace(m.text[i]) {
		i++
	}
	end := m.syntax.delimiters().End
	v := m.prefixed(i, end)
	return i + len(end), v
}

// endMissing reports whether the end of a closing tag is missing at an offset:
// the line, the text or the name ends there.
func (m *machine) endMissing(i int) verdict {
	if i == len(m.text) {
		return is(m.whole)
	}
	c := m.text[i]
	return is(c == '\n' || c == '\r' || c == m.syntax.delimiters().Open[0])
}

// element reads a tag that is no word of the syntax.
func (m *machine) element(i int) (mark, verdict) {
	d := m.syntax.delimiters()
	found := mark{kind: elementClose}
	v := m.prefixed(i, d.Close)
	from := i + len(d.Close)
	if v != yes {
		found.kind, from = elementOpen, i+len(d.Open)
		if v = max(v, m.prefixed(i, d.Open)); v != yes {
			return mark{}, v
		}
	}
	end := from
	for end < len(m.text) && end-from < mostName && isName(m.text[end]) {
		end++
	}
	m.steps += end - from
	if end == len(m.text) {
		return mark{}, m.unknown()
	}
	if end == from || end-from == mostName {
		return mark{}, no
	}
	found.name, found.nameEnd = string(m.text[from:end]), end
	if found.kind == elementOpen && m.text[end] == '/' {
		found.slash = true
		end++
	}
	found.end, v = m.tagEnd(end)
	return found, v
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// isName reports whether a byte can be part of the name of an element.
func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == ':' || c >= 0x80
}
