package markup

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// findAttribute returns the attribute with a name, false if missing.
func findAttribute(attributes []attribute, name string) (attribute, bool) {
	if name == "" {
		return attribute{}, false
	}
	for _, a := range attributes {
		if a.name == name {
			return a, true
		}
	}
	return attribute{}, false
}

// unescapeEntities replaces XML entities. An "&" that begins none is text.
func unescapeEntities(text string) string {
	if strings.IndexByte(text, '&') < 0 {
		return text
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '&')
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		clear, n := decodeEntity(text[i:])
		b.WriteString(clear)
		text = text[i+n:]
	}
}

// decodeEntity returns the character of the entity at the start of a text, and the entity's length.
func decodeEntity(text string) (string, int) {
	const longest = len("&#x10ffff;")
	end := strings.IndexByte(text[:min(len(text), longest)], ';')
	if end < 0 {
		return "&", 1
	}
	name := text[1:end]
	if clear, ok := entities[name]; ok {
		return clear, end + 1
	}
	if digits, ok := strings.CutPrefix(name, "#"); ok {
		base := 10
		if hex, ok := strings.CutPrefix(digits, "x"); ok {
			digits, base = hex, 16
		}
		if r, err := strconv.ParseUint(digits, base, 21); err == nil && r > 0 && r <= 0x10ffff && (r < 0xd800 || r > 0xdfff) {
			return string(rune(r)), end + 1
		}
	}
	return "&", 1
}

// beginTag starts reading an opening tag after its name.
func (l *lexer) beginTag(found marker) {
	l.tag = tag{marker: found}
	l.lookahead = found.nameEnd
}

// canCloseByName reports whether a closing tag with the name of a parameter can close it.
func (l *lexer) canCloseByName(name string) bool {
	if l.syntax.ElementParams || len(name) > maxElementName {
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
func (l *lexer) scanTag() bool {
	t, d, token := &l.tag, l.syntax.delimiters(), l.syntax.Token
	end, inTag := d.End, l.nameAttributeKey() == InTag
	for l.lookahead < len(l.text) {
		c, at := l.text[l.lookahead], l.lookahead
		l.steps++
		if token != "" && c == token[0] {
			if v := l.matchAt(at, token); v != no {
				return v == yes && t.endUnclosed(at, end)
			}
		}
		v := no
		if c == end[0] {
			v = l.matchAt(at, end)
		}
		switch {
		case v == maybe:
			return false
		case v == yes && (end != ">" || t.lastNonBlank != '|'): // a leaked control token ends with |>
			if t.quote == 0 {
				t.selfClosing = t.lastNonBlank == '/'
				return t.setEnd(at, at+len(end))
			}
			if t.unquotedEnd == 0 {
				t.unquotedEnd = at
			}
		case (c == '\n' || c == '\r') && (inTag || t.quote != 0):
			return t.endUnclosed(at, end)
		case c == d.Open[0]:
			found, v := l.parseMarker(at)
			if v == maybe {
				return false
			}
			if v == yes {
				return t.endUnclosed(found.start, end)
			}
		case !inTag:
			t.readQuote(c)
		}
		if !isSpace(c) {
			t.lastNonBlank = c
		}
		l.lookahead++
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

// endUnclosed ends a tag without its end, or with an unclosed quote.
func (t *tag) endUnclosed(at int, end string) bool {
	if t.quote != 0 && t.unquotedEnd > 0 {
		return t.setEnd(t.unquotedEnd, t.unquotedEnd+len(end))
	}
	t.unclosed = true
	return t.setEnd(at, at)
}

func (t *tag) setEnd(end, next int) bool {
	if t.selfClosing {
		end--
	}
	t.end, t.next = end, next
	return true
}

// nameAttributeKey returns the position of the name in the tag.
func (l *lexer) nameAttributeKey() string {
	if l.tag.marker.kind == callOpen {
		return l.syntax.NameAttr
	}
	return l.syntax.KeyAttr
}

// splitNameAttribute returns the attribute with the name, and the others.
func (l *lexer) splitNameAttribute(where string) (attribute, []attribute) {
	t := &l.tag
	from := t.marker.nameEnd
	if where == InTag {
		from++
		return l.nameInTag(from, t.end), nil
	}
	all := l.parseAttributes(from, t.end)
	i := slices.IndexFunc(all, func(a attribute) bool { return a.name == where })
	if i < 0 {
		return attribute{start: from, end: from}, all
	}
	found := all[i]
	return found, slices.Delete(all, i, i+1)
}

// nameInTag returns the name after "=". If the end of the tag is missing, another "=" ends the
// name.
func (l *lexer) nameInTag(from, end int) attribute {
	if i := bytes.IndexByte(l.text[from:end], '='); l.tag.unclosed && i >= 0 {
		end = from + i
		l.tag.end, l.tag.next = end, end+1
	}
	return attribute{name: InTag, value: string(l.text[from:end]), start: from, end: end}
}

// maxLinearAttributes is the number of attributes up to which names are compared one by one.
const maxLinearAttributes = 8

// parseAttributes parses the attributes between two offsets into the reused buffer.
func (l *lexer) parseAttributes(from, end int) []attribute {
	all := l.attrBuffer[:0]
	var names map[string]bool // set if there are more than maxLinearAttributes
	for i := from; i < end; {
		if isSpace(l.text[i]) {
			i++
			continue
		}
		a, next := l.parseAttribute(i, end)
		l.steps += next - i
		if len(all) == maxLinearAttributes {
			names = map[string]bool{}
			for _, b := range all {
				names[b.name] = true
			}
		}
		if names[a.name] || names == nil && slices.ContainsFunc(all, func(b attribute) bool { return a.name == b.name }) {
			l.tag.duplicate = a
		}
		if names != nil {
			names[a.name] = true
		}
		all, i = append(all, a), next
	}
	l.attrBuffer = all
	return all
}

// parseAttribute parses the attribute at i.
func (l *lexer) parseAttribute(i, end int) (attribute, int) {
	from := i
	for i < end && l.text[i] != '=' && !isSpace(l.text[i]) {
		i++
	}
	a := attribute{name: string(l.text[from:i])}
	for i < end && isSpace(l.text[i]) {
		i++
	}
	if i == end || l.text[i] != '=' {
		return a, i
	}
	i++
	for i < end && isSpace(l.text[i]) {
		i++
	}
	next := l.parseAttributeValue(&a, i, end)
	if l.syntax.AttrEntities {
		a.value = unescapeEntities(a.value)
	}
	return a, next
}

// parseAttributeValue parses the value of an attribute at i.
func (l *lexer) parseAttributeValue(a *attribute, i, end int) int {
	text := l.text[i:end]
	if len(text) > 0 && (text[0] == '"' || text[0] == '\'') {
		a.start = i + 1
		n := bytes.IndexByte(text[1:], text[0])
		if n < 0 {
			a.irregular, n = true, len(text)-1
		}
		a.end = a.start + n
		a.value = string(l.text[a.start:a.end])
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

// readParamName returns the parameter name in the tag and stores its attributes.
func (l *lexer) readParamName() name {
	a, others := l.splitNameAttribute(l.syntax.KeyAttr)
	l.param.attrs = others
	n := l.newParamName(a.value, a.start, a.end)
	n.irregular = n.irregular || a.irregular
	has, _ := l.shape.HasDeclaredProperty(n.text)
	n.hasExtra = l.syntax.KeyAttr == InTag && !has && strings.Contains(n.text, "=")
	return n
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

// newParamName returns a parameter name, cleaned unless the tool has a parameter with exactly that
// name.
func (l *lexer) newParamName(text string, start, end int) name {
	if has, _ := l.shape.HasDeclaredProperty(text); has {
		return name{text: text, start: start, end: end}
	}
	return cleanName(text, start, end)
}

// cutRepeatedNamespace splits NAME.NAME into namespace and name.
func cutRepeatedNamespace(text string) (space, rest string) {
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

// peekParamName returns the name of the parameter that a marker in a value would begin.
func (l *lexer) peekParamName(found marker) (string, verdict) {
	ahead := l.newLookahead(found)
	defer func() { l.steps += ahead.steps }()
	if l.syntax.KeyTag == "" {
		ahead.beginTag(found)
		if !ahead.scanTag() {
			return "", ahead.maybeUnlessFinal()
		}
		return ahead.readParamName().text, yes
	}
	ahead.lookahead = found.end
	closer, ok := ahead.scanToMarker()
	switch {
	case !ok:
		return "", ahead.maybeUnlessFinal()
	case closer.kind != keyClose && closer.kind != valueOpen:
		return "", no
	}
	return string(bytes.TrimSpace(l.text[found.end:closer.start])), yes
}

// newLookahead returns a lexer for a limited lookahead after a marker in a value.
func (l *lexer) newLookahead(found marker) *lexer {
	stop := min(len(l.text), found.end+maxKeyLen)
	return &lexer{syntax: l.syntax, words: l.words, text: l.text[:stop], final: l.final || stop-found.end == maxKeyLen}
}
