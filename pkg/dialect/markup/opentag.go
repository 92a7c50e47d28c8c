package markup

import (
	"bytes"
	"slices"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// A tag is the opening tag that is being read.
type tag struct {
	marker       marker
	quote        byte // the open quote
	unquotedEnd  int  // end of the tag if the quote is text
	lastNonBlank byte

	duplicate attribute // the repeated attribute, if it has a name

	end         int  // end of its content
	next        int  // offset after the tag
	unclosed    bool // its end is missing
	tokenStart  int  // start of a control token in place of the end; 0 for none
	selfClosing bool
}

// An attribute is an attribute of a tag.
type attribute struct {
	name, value string
	start, end  int // of the value
	irregular   bool
}

// beginTag starts reading an opening tag after its name.
func (m *machine) beginTag(found marker) {
	m.tag = tag{marker: found}
	m.state, m.lookahead = inTag, found.nameEnd
}

// readTag reads an opening tag that contains a name.
func (m *machine) readTag() bool {
	whole := m.scanTag()
	t := &m.tag
	if t.marker.kind == callOpen && m.lookahead-m.start > maxOpeningTag {
		return m.rejectLongOpening()
	}
	if !whole {
		return false
	}
	if t.marker.kind == callOpen {
		a, others := m.splitName(m.syntax.NameAttr)
		m.setTool(a)
		m.setID(others)
		m.noteTag(others)
		return m.enterCall(t.next, t.selfClosing)
	}
	m.param.name = m.paramKey()
	m.noteName(m.param.name)
	m.noteTag(m.param.attrs)
	m.param.closesByName = m.canCloseByName(m.param.name.text)
	m.param.isContainer = m.syntax.formOf(m.param.attrs).isContainer()
	return m.enterParam(t.next, t.selfClosing)
}

// noteTag reports faults of the tag other than in its name.
func (m *machine) noteTag(others []attribute) {
	if found := m.tag.marker; found.glued {
		f := m.note(diag.CallMember, found.start, found.nameEnd+len(m.syntax.NameAttr), "missing space before the attribute %q", m.syntax.NameAttr)
		f.Severity = diag.Warning
		sign := len(m.text[:found.nameEnd]) - len(bytes.TrimSuffix(m.text[:found.nameEnd], []byte(byteLevelSpace)))
		m.fix(f, diag.Safe, "add a space", found.nameEnd-sign, found.nameEnd, " ")
	}
	m.noteAttributes(others)
	if a := m.tag.duplicate; a.name != "" {
		m.fail(diag.DuplicateKey, a.start, a.end, "duplicate attribute %s", excerpt(a.name))
	}
	m.noteOpenTag()
}

// canCloseByName reports whether a closing tag with the name of a parameter can close it.
func (m *machine) canCloseByName(name string) bool {
	if m.syntax.ElementParams || len(name) > maxElementName {
		return false
	}
	for i := range len(name) {
		if !isNameByte(name[i]) {
			return false
		}
	}
	return name != ""
}

// scanTag scans to the end of the tag. It returns false if it needs more text.
func (m *machine) scanTag() bool {
	t, d, token := &m.tag, m.syntax.delimiters(), m.syntax.Token
	end, inTag := d.End, m.namePosition() == InTag
	for m.lookahead < len(m.text) {
		c, at := m.text[m.lookahead], m.lookahead
		m.steps++
		if token != "" && c == token[0] {
			if v := m.matchAt(at, token); v != no {
				return v == yes && t.endWithoutEnd(at, end)
			}
		}
		v := no
		if c == end[0] {
			v = m.matchAt(at, end)
		}
		switch {
		case v == maybe:
			return false
		case v == yes && (end != ">" || t.lastNonBlank != '|'): // a leaked control token ends with |>
			if t.quote == 0 {
				t.selfClosing = t.lastNonBlank == '/'
				return t.finish(at, at+len(end))
			}
			if t.unquotedEnd == 0 {
				t.unquotedEnd = at
			}
		case (c == '\n' || c == '\r') && (inTag || t.quote != 0):
			return t.endWithoutEnd(at, end)
		case c == d.Open[0]:
			found, v := m.parseMarker(at)
			if v == maybe {
				return false
			}
			if v == yes {
				return t.endWithoutEnd(found.start, end)
			}
		case !inTag:
			t.readQuote(c)
		}
		if !isSpace(c) {
			t.lastNonBlank = c
		}
		m.lookahead++
	}
	return false
}

// readQuote reads a byte that may be a quote around an attribute value.
func (t *tag) readQuote(c byte) {
	switch {
	case c == t.quote:
		t.quote = 0
	case t.quote == 0 && t.lastNonBlank == '=' && (c == '"' || c == '\''):
		t.quote, t.unquotedEnd = c, 0
	}
}

// endWithoutEnd ends a tag without its end, or with an unclosed quote.
func (t *tag) endWithoutEnd(at int, end string) bool {
	if t.quote != 0 && t.unquotedEnd > 0 {
		return t.finish(t.unquotedEnd, t.unquotedEnd+len(end))
	}
	t.unclosed = true
	return t.finish(at, at)
}

func (t *tag) finish(end, next int) bool {
	if t.selfClosing {
		end--
	}
	t.end, t.next = end, next
	return true
}

// namePosition returns the position of the name in the tag.
func (m *machine) namePosition() string {
	if m.tag.marker.kind == callOpen {
		return m.syntax.NameAttr
	}
	return m.syntax.KeyAttr
}

// splitName returns the attribute with the name, and the others.
func (m *machine) splitName(where string) (attribute, []attribute) {
	t := &m.tag
	from := t.marker.nameEnd
	if where == InTag {
		from++
		return m.nameInTag(from, t.end), nil
	}
	all := m.parseAttributes(from, t.end)
	i := slices.IndexFunc(all, func(a attribute) bool { return a.name == where })
	if i < 0 {
		return attribute{start: from, end: from}, all
	}
	found := all[i]
	return found, slices.Delete(all, i, i+1)
}

// nameInTag returns the name after "=". If the end of the tag is missing, another "=" ends the
// name.
func (m *machine) nameInTag(from, end int) attribute {
	if i := bytes.IndexByte(m.text[from:end], '='); m.tag.unclosed && i >= 0 {
		end = from + i
		m.tag.end, m.tag.next = end, end+1
	}
	return attribute{name: InTag, value: string(m.text[from:end]), start: from, end: end}
}

// maxLinearAttributes is the number of attributes up to which names are compared one by one.
const maxLinearAttributes = 8

// parseAttributes parses the attributes between two offsets into the reused buffer.
func (m *machine) parseAttributes(from, end int) []attribute {
	all := m.attrBuffer[:0]
	var names map[string]bool // set if there are more than maxLinearAttributes
	for i := from; i < end; {
		if isSpace(m.text[i]) {
			i++
			continue
		}
		a, next := m.parseAttribute(i, end)
		m.steps += next - i
		if len(all) == maxLinearAttributes {
			names = map[string]bool{}
			for _, b := range all {
				names[b.name] = true
			}
		}
		if names[a.name] || names == nil && slices.ContainsFunc(all, func(b attribute) bool { return a.name == b.name }) {
			m.tag.duplicate = a
		}
		if names != nil {
			names[a.name] = true
		}
		all, i = append(all, a), next
	}
	m.attrBuffer = all
	return all
}

// parseAttribute parses the attribute at i.
func (m *machine) parseAttribute(i, end int) (attribute, int) {
	from := i
	for i < end && m.text[i] != '=' && !isSpace(m.text[i]) {
		i++
	}
	a := attribute{name: string(m.text[from:i])}
	for i < end && isSpace(m.text[i]) {
		i++
	}
	if i == end || m.text[i] != '=' {
		return a, i
	}
	i++
	for i < end && isSpace(m.text[i]) {
		i++
	}
	next := m.parseAttributeValue(&a, i, end)
	if m.syntax.AttrEntities {
		a.value = unescape(a.value)
	}
	return a, next
}

// parseAttributeValue parses the value of an attribute at i.
func (m *machine) parseAttributeValue(a *attribute, i, end int) int {
	text := m.text[i:end]
	if len(text) > 0 && (text[0] == '"' || text[0] == '\'') {
		a.start = i + 1
		n := bytes.IndexByte(text[1:], text[0])
		if n < 0 {
			a.irregular, n = true, len(text)-1
		}
		a.end = a.start + n
		a.value = string(m.text[a.start:a.end])
		return min(end, a.end+1)
	}
	n := bytes.IndexAny(text, " \t\r\n")
	if n < 0 {
		n = len(text)
	}
	a.start, a.end, a.irregular = i, i+n, true
	a.value = string(text[:n])
	return i + n
}

// paramKey returns the parameter name in the tag and stores its attributes.
func (m *machine) paramKey() name {
	a, others := m.splitName(m.syntax.KeyAttr)
	m.param.attrs = others
	n := m.paramName(a.value, a.start, a.end)
	n.irregular = n.irregular || a.irregular
	has, _ := m.shape.hasProperty(n.text)
	n.hasExtra = m.syntax.KeyAttr == InTag && !has && strings.Contains(n.text, "=")
	return n
}

// A name is the name of a tool or parameter in the text.
type name struct {
	text            string
	start, end      int
	irregular       bool   // quotes or whitespace around it are unexpected or missing
	hasControlToken bool   // it contained control tokens
	hasExtra        bool   // the tag contains something else, too
	namespace       string // the prefix that was removed
}

// trimNoise removes quotes and whitespace from both ends of a name.
func trimNoise(name string) string {
	const noise = " \t\r\n\"'`"
	for name != "" && strings.IndexByte(noise, name[0]) >= 0 {
		name = name[1:]
	}
	for name != "" && strings.IndexByte(noise, name[len(name)-1]) >= 0 {
		name = name[:len(name)-1]
	}
	return name
}

// cleanName removes quotes, whitespace and control tokens from a name.
func cleanName(text string, start, end int) name {
	n := name{start: start, end: end}
	n.text, n.hasControlToken = removeControlTokens(text)
	clean := trimNoise(n.text)
	n.irregular = clean != n.text && !n.hasControlToken
	n.text = clean
	return n
}

// paramName returns a parameter name, cleaned unless the tool has a parameter with exactly that
// name.
func (m *machine) paramName(text string, start, end int) name {
	if has, _ := m.shape.hasProperty(text); has {
		return name{text: text, start: start, end: end}
	}
	return cleanName(text, start, end)
}

// toolName returns a tool name, cleaned unless there is a tool with exactly that name.
func (m *machine) toolName(text string, start, end int) name {
	if m.tools[text] != nil {
		return name{text: text, start: start, end: end}
	}
	n := cleanName(text, start, end)
	space, rest := literal.CutNamespace(n.text)
	if space != "" && m.tools[n.text] == nil && (m.tools == nil || m.tools[rest] != nil) {
		n.namespace, n.text = space, rest
	}
	space, rest = cutDoubled(n.text)
	if space != "" && m.tools[n.text] == nil && m.tools[rest] != nil {
		n.text = rest
		if !m.syntax.DoubledName {
			n.namespace = space
		}
	}
	return n
}

// cutDoubled splits NAME.NAME into namespace and name.
func cutDoubled(text string) (space, rest string) {
	space, rest, _ = strings.Cut(text, ".")
	if space != rest {
		return "", text
	}
	return space + ".", rest
}

// removeControlTokens removes control tokens, <|…|>, from a name.
func removeControlTokens(text string) (clean string, found bool) {
	if !strings.Contains(text, "<|") {
		return text, false
	}
	var b strings.Builder
	for {
		i := strings.Index(text, "<|")
		if i < 0 {
			break
		}
		n := strings.Index(text[i:], "|>")
		if n < 0 {
			break
		}
		b.WriteString(text[:i])
		text, found = text[i+n+2:], true
	}
	b.WriteString(text)
	return b.String(), found
}
