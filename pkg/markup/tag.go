package markup

import (
	"bytes"
	"slices"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// A tag is an opening tag with a name in it, on its way.
type tag struct {
	mark     mark
	quote    byte // the quote that is open
	firstEnd int  // where the tag would end if the quote were none
	prev     byte // the latest byte that is no blank

	twice attribute // the attribute that is there for the second time, if it has a name

	end   int  // where what stands in it ends
	next  int  // where reading goes on
	open  bool // its end is missing
	token int  // where a control token begins that stands there instead; 0 for none
	slash bool // it closes itself
}

// An attribute is an attribute of a tag.
type attribute struct {
	name, value string
	start, end  int // of the value
	noise       bool
}

// beginTag begins to read an opening tag behind its mark.
func (m *machine) beginTag(found mark) {
	m.tag = tag{mark: found}
	m.state, m.look = inTag, found.nameEnd
}

// readTag reads an opening tag with a name in it.
func (m *machine) readTag() bool {
	whole := m.scanTag()
	t := &m.tag
	if t.mark.kind == callOpen && m.look-m.start > longestOpening {
		return m.noEnd()
	}
	if !whole {
		return false
	}
	if t.mark.kind == callOpen {
		a, others := m.nameIn(m.syntax.Name)
		m.setTool(a)
		m.takeID(others)
		m.noteTag(others)
		return m.openedCall(t.next, t.slash)
	}
	m.param.name = m.keyOf()
	m.noteName(m.param.name)
	m.noteTag(m.param.attrs)
	m.param.closes = m.nameCloses(m.param.name.text)
	m.param.holds = m.syntax.form(m.param.attrs).holds()
	return m.openedParam(t.next, t.slash)
}

// noteTag reports what is wrong with the attributes of the tag, beside its name.
func (m *machine) noteTag(others []attribute) {
	if found := m.tag.mark; found.glued {
		f := m.note(diag.CallMember, found.start, found.nameEnd+len(m.syntax.Name), "no blank before the attribute %q", m.syntax.Name)
		f.Severity = diag.Warning
		sign := len(m.text[:found.nameEnd]) - len(bytes.TrimSuffix(m.text[:found.nameEnd], []byte(blankSign)))
		m.fix(f, diag.Safe, "write one", found.nameEnd-sign, found.nameEnd, " ")
	}
	m.noteAttributes(others)
	if a := m.tag.twice; a.name != "" {
		m.fault(diag.DuplicateKey, a.start, a.end, "the attribute %s is there twice", excerpt(a.name))
	}
	m.noteOpenTag()
}

// nameCloses reports whether a mark with the name of a parameter can close it.
func (m *machine) nameCloses(name string) bool {
	if m.syntax.Elements || len(name) > mostName {
		return false
	}
	for i := range len(name) {
		if !isName(name[i]) {
			return false
		}
	}
	return name != ""
}

// scanTag looks for the end of the tag. It reports false if more text is needed.
func (m *machine) scanTag() bool {
	t, d, token := &m.tag, m.syntax.delimiters(), m.syntax.Token
	end, inTag := d.End, m.nameStands() == InTag
	for m.look < len(m.text) {
		c, at := m.text[m.look], m.look
		m.steps++
		if token != "" && c == token[0] {
			if v := m.prefixed(at, token); v != no {
				return v == yes && t.breakAt(at, end)
			}
		}
		v := no
		if c == end[0] {
			v = m.prefixed(at, end)
		}
		switch {
		case v == maybe:
			return false
		case v == yes && (end != ">" || t.prev != '|'): // which ends a control token that leaked in
			if t.quote == 0 {
				t.slash = t.prev == '/'
				return t.finish(at, at+len(end))
			}
			if t.firstEnd == 0 {
				t.firstEnd = at
			}
		case (c == '\n' || c == '\r') && (inTag || t.quote != 0):
			return t.breakAt(at, end)
		case c == d.Open[0]:
			found, v := m.mark(at)
			if v == maybe {
				return false
			}
			if v == yes {
				return t.breakAt(found.start, end)
			}
		case !inTag:
			t.readQuote(c)
		}
		if !isSpace(c) {
			t.prev = c
		}
		m.look++
	}
	return false
}

// readQuote reads a byte that may be a quote around a value.
func (t *tag) readQuote(c byte) {
	switch {
	case c == t.quote:
		t.quote = 0
	case t.quote == 0 && t.prev == '=' && (c == '"' || c == '\''):
		t.quote, t.firstEnd = c, 0
	}
}

// breakAt ends a tag whose end, or a quote in it, is missing.
func (t *tag) breakAt(at int, end string) bool {
	if t.quote != 0 && t.firstEnd > 0 {
		return t.finish(t.firstEnd, t.firstEnd+len(end))
	}
	t.open = true
	return t.finish(at, at)
}

func (t *tag) finish(end, next int) bool {
	if t.slash {
		end--
	}
	t.end, t.next = end, next
	return true
}

// nameStands returns where the name in the tag stands.
func (m *machine) nameStands() string {
	if m.tag.mark.kind == callOpen {
		return m.syntax.Name
	}
	return m.syntax.Key
}

// nameIn returns the attribute of the tag with a name, and the others.
func (m *machine) nameIn(where string) (attribute, []attribute) {
	t := &m.tag
	from := t.mark.nameEnd
	if where == InTag {
		from++ // the "="
		return m.inTag(from, t.end), nil
	}
	all := m.attributes(from, t.end)
	i := slices.IndexFunc(all, func(a attribute) bool { return a.name == where })
	if i < 0 {
		return attribute{start: from, end: from}, all
	}
	found := all[i]
	return found, slices.Delete(all, i, i+1)
}

// inTag returns the name behind "=". If the end of the tag is missing, another
// "=" ends the name.
func (m *machine) inTag(from, end int) attribute {
	if i := bytes.IndexByte(m.text[from:end], '='); m.tag.open && i >= 0 {
		end = from + i
		m.tag.end, m.tag.next = end, end+1
	}
	return attribute{name: InTag, value: string(m.text[from:end]), start: from, end: end}
}

// fewAttributes is how many attributes are compared one by one.
const fewAttributes = 8

// attributes reads the attributes between two offsets, in the room of those of the
// last tag.
func (m *machine) attributes(from, end int) []attribute {
	all := m.room[:0]
	var names map[string]bool // of all, where they are many
	for i := from; i < end; {
		if isSpace(m.text[i]) {
			i++
			continue
		}
		a, next := m.attribute(i, end)
		m.steps += next - i
		if len(all) == fewAttributes {
			names = map[string]bool{}
			for _, b := range all {
				names[b.name] = true
			}
		}
		if names[a.name] || names == nil && slices.ContainsFunc(all, func(b attribute) bool { return a.name == b.name }) {
			m.tag.twice = a
		}
		if names != nil {
			names[a.name] = true
		}
		all, i = append(all, a), next
	}
	m.room = all
	return all
}

// attribute reads the attribute at i.
func (m *machine) attribute(i, end int) (attribute, int) {
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
	next := m.attributeValue(&a, i, end)
	if m.syntax.AttrEscapes {
		a.value = unescape(a.value)
	}
	return a, next
}

// attributeValue reads the value of an attribute at i.
func (m *machine) attributeValue(a *attribute, i, end int) int {
	text := m.text[i:end]
	if len(text) > 0 && (text[0] == '"' || text[0] == '\'') {
		a.start = i + 1
		n := bytes.IndexByte(text[1:], text[0])
		if n < 0 {
			a.noise, n = true, len(text)-1
		}
		a.end = a.start + n
		a.value = string(m.text[a.start:a.end])
		return min(end, a.end+1)
	}
	n := bytes.IndexAny(text, " \t\r\n")
	if n < 0 {
		n = len(text)
	}
	a.start, a.end, a.noise = i, i+n, true
	a.value = string(text[:n])
	return i + n
}

// keyOf returns the name of the parameter in the tag, and keeps its attributes.
func (m *machine) keyOf() name {
	a, others := m.nameIn(m.syntax.Key)
	m.param.attrs = others
	n := m.paramName(a.value, a.start, a.end)
	n.noisy = n.noisy || a.noise
	has, _ := m.shape.declares(n.text)
	n.more = m.syntax.Key == InTag && !has && strings.Contains(n.text, "=")
	return n
}

// A name is the name of a tool or parameter as it stands in the text.
type name struct {
	text       string
	start, end int
	noisy      bool   // quotes or blanks stood around it, or were missing
	leaked     bool   // control tokens stood in it
	more       bool   // it stands in the tag, and something else does, too
	space      string // this stood before it
}

// trimNoise takes quotes and blanks from both ends of a name.
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

// cleanName takes quotes, blanks and control tokens from a name.
func cleanName(text string, start, end int) name {
	n := name{start: start, end: end}
	n.text, n.leaked = dropTokens(text)
	clean := trimNoise(n.text)
	n.noisy = clean != n.text && !n.leaked
	n.text = clean
	return n
}

// paramName returns the name of a parameter, with what does not belong to it
// taken away where the tool has no parameter of just that name.
func (m *machine) paramName(text string, start, end int) name {
	if has, _ := m.shape.declares(text); has {
		return name{text: text, start: start, end: end}
	}
	return cleanName(text, start, end)
}

// toolName returns the name of a tool, with what does not belong to it taken
// away where no tool has just that name.
func (m *machine) toolName(text string, start, end int) name {
	if m.tools[text] != nil {
		return name{text: text, start: start, end: end}
	}
	n := cleanName(text, start, end)
	space, rest := literal.CutNamespace(n.text)
	if space != "" && m.tools[n.text] == nil && (m.tools == nil || m.tools[rest] != nil) {
		n.space, n.text = space, rest
	}
	space, rest = cutDoubled(n.text)
	if space != "" && m.tools[n.text] == nil && m.tools[rest] != nil {
		n.text = rest
		if !m.syntax.Doubled {
			n.space = space
		}
	}
	return n
}

// cutDoubled cuts a name that stands before itself as its namespace.
func cutDoubled(text string) (space, rest string) {
	space, rest, _ = strings.Cut(text, ".")
	if space != rest {
		return "", text
	}
	return space + ".", rest
}

// dropTokens takes control tokens, <|…|>, from a name.
func dropTokens(text string) (clean string, found bool) {
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
