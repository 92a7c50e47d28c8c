package dialect

import (
	"bytes"
	"slices"
)

// resync finds the first marker in an open string of the current call, and keeps the text from there.
type resync struct {
	dialect        *Dialect
	points         recoveryPoints // of dialect
	double, single bool           // a quote of this kind is open
	escaped        bool           // the last byte is an escaping backslash
	text           []byte         // from a marker in an open string, or a possible beginning of one
	textAt         int            // offset of text
	marker         string
	happened       bool // a broken call has been cut
}

// restartAt restarts at an offset.
func (r *resync) restartAt(at int) {
	r.double, r.single, r.escaped, r.marker, r.text, r.textAt = false, false, false, "", r.text[:0], at
}

// recordForRecovery adds bytes of the open frame at an offset, except for pushed-back bytes that it has
// already.
func (s *sink) recordForRecovery(at int, p []byte) {
	r := &s.resync
	if known := r.textAt + len(r.text) - at; known >= 0 {
		p = p[min(known, len(p)):]
	} else {
		r.restartAt(at)
	}
	r.text = append(r.text, p...)
	if r.dialect != s.frame.dialect {
		r.dialect, r.points = s.frame.dialect, s.frame.dialect.recoveryPoints()
	}
	s.steps += len(p)
	r.findMarker(r.points.longest)
}

// findMarker searches for a marker while at least ahead bytes remain.
func (r *resync) findMarker(ahead int) {
	n := 0
	for ; r.marker == "" && n+ahead <= len(r.text) && n < len(r.text); n++ {
		c := r.text[n]
		if r.double || r.single {
			if r.marker = r.points.longestTextAt(r.text, n); r.marker != "" {
				break
			}
		}
		if r.escaped {
			r.escaped = false
			continue
		}
		switch c {
		case '\\':
			r.escaped = true
		case '"':
			r.double = !r.double
		case '\'':
			r.single = !r.single
		}
	}
	r.text, r.textAt = append(r.text[:0], r.text[n:]...), r.textAt+n
}

// recoveryPoints are texts at which a broken call can be cut.
type recoveryPoints struct {
	texts   []string
	first   [256]bool
	longest int // length of the longest text
}

func (b *recoveryPoints) add(text string) {
	if text != "" && !slices.Contains(b.texts, text) {
		b.texts, b.first[text[0]], b.longest = append(b.texts, text), true, max(b.longest, len(text))
	}
}

// longestTextAt returns the longest text that occurs at index i.
func (b *recoveryPoints) longestTextAt(text []byte, i int) (marker string) {
	if !b.first[text[i]] {
		return ""
	}
	for _, t := range b.texts {
		if len(t) > len(marker) && bytes.HasPrefix(text[i:], []byte(t)) {
			marker = t
		}
	}
	return marker
}

// callOpeners returns the texts that begin a call of the dialect. Words, and calls without a marker, count only
// at the start of a line.
func (d *Dialect) callOpeners() (b recoveryPoints) {
	for _, m := range d.framing.markers {
		switch {
		case m.role != open && m.role != openKeep && m.role != listOpen:
		case len(m.text) > 2 && !isNameByte(m.text[0]) && m.text[0] != '\n' && !m.lineStart:
			b.add(m.text)
		case len(m.text) > 2:
			b.add("\n" + m.text)
		}
	}
	for _, f := range d.framing.fences {
		if f.info != "" {
			b.add("\n```" + f.info)
		}
	}
	if len(b.texts) == 0 {
		b.add("\n{\"")
		b.add("\n[")
	}
	return b
}

// recoveryPoints returns the texts that begin or end a call.
func (d *Dialect) recoveryPoints() recoveryPoints {
	b := d.callOpeners()
	for _, text := range d.framing.closers {
		b.add(text)
	}
	for _, m := range d.framing.markers {
		if m.role == listClose || m.role == ignore || m.role == ignoreKeepSpace {
			b.add(m.text)
		}
	}
	return b
}

// isCloser reports whether a marker ends calls of the dialect.
func (d *Dialect) isCloser(marker string) bool {
	b := d.callOpeners()
	return !slices.Contains(b.texts, marker)
}

// splitAtOpeners splits a text before each opening marker that brackets or quotes precede.
func (d *Dialect) splitAtOpeners(text string) (all []string) {
	b, from, any := d.callOpeners(), 0, false
	src := []byte(text)
	for i := range src {
		if any && b.longestTextAt(src, i) != "" {
			all, from, any = append(all, text[from:i]), i, false
		}
		any = any || bytes.IndexByte([]byte("{(\"'"), text[i]) >= 0
	}
	return append(all, text[from:])
}
