package dialect

import (
	"bytes"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// One unbalanced quote makes a string of all that follows it. Where the
// text ends inside such a call, the call is cut at the first mark in it, and the rest is
// read on. Nothing behind the cut is executed: it may be a part of the open string. The
// rest is read once more, in segments that each end before the next opening mark, so that
// another broken call costs no further reading.

// A resync finds the first mark in an open string of the call that is being read, and
// keeps the text from there.
type resync struct {
	row            *Dialect
	breaks         breaks // of that
	double, single bool   // a quote of this kind is open
	escaped        bool   // the last byte is a backslash that counts
	text           []byte // from a mark in an open string, or what can begin one
	from           int    // where that begins
	mark           string
	behind         bool // a broken call has been cut
}

// forget begins anew at an offset.
func (r *resync) forget(at int) {
	r.double, r.single, r.escaped, r.mark, r.text, r.from = false, false, false, "", r.text[:0], at
}

// record takes the next bytes of the open frame, which are at an offset. Those that
// have been given back are known.
func (s *Scanner) record(at int, p []byte) {
	r := &s.resync
	if known := r.from + len(r.text) - at; known >= 0 {
		p = p[min(known, len(p)):]
	} else {
		r.forget(at)
	}
	r.text = append(r.text, p...)
	if r.row != s.frame.row {
		r.row, r.breaks = s.frame.row, s.frame.row.breaks()
	}
	s.steps += len(p)
	r.find(r.breaks.longest)
}

// find looks for a mark as long as so many bytes are left.
func (r *resync) find(ahead int) {
	n := 0
	for ; r.mark == "" && n+ahead <= len(r.text) && n < len(r.text); n++ {
		c := r.text[n]
		if r.double || r.single {
			if r.mark = r.breaks.at(r.text, n); r.mark != "" {
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
	r.text, r.from = append(r.text[:0], r.text[n:]...), r.from+n
}

// closeBody ends the frame that is open at the end of the text, or of a segment. If
// it holds a broken call with a mark in it, the text is read on from there.
func (s *Scanner) closeBody() {
	s.place = inProse
	r := &s.resync
	r.find(0)
	if r.mark == "" {
		s.body.close()
		return
	}
	at, mark, rest := r.from, r.mark, string(r.text)
	var events []Event
	var shown []int
	var named []diag.Span
	emit := s.emit
	s.emit = func(e Event) { events, shown, named = append(events, e), append(shown, s.shown), append(named, s.nameAt) }
	s.body.close()
	s.emit = emit
	cut := !slices.ContainsFunc(events, isWhole)
	for i, e := range events {
		keep := true
		if cut {
			e, keep = cutEvent(e, at)
		} else {
			s.shown = shown[i]
		}
		s.nameAt = named[i]
		if keep {
			emit(e)
		}
	}
	if cut {
		s.find(diag.New(diag.CutCall, diag.Bytes(at, at+len(mark)), "a string of the call is not closed before this %q: the call is cut here, and nothing after it is run", mark))
		s.readOn(at, mark, rest)
	}
}

// isWhole reports whether an event is a call that was read to its end, or one whose
// argument is text and no literal.
func isWhole(e Event) bool { return e.Call != nil && e.Call.Arguments != nil }

// cutEvent returns what remains of an event about a call that is cut at an offset.
func cutEvent(e Event, at int) (Event, bool) {
	switch {
	case e.Call != nil && e.Call.End > at:
		c := *e.Call
		c.Text = strings.TrimRight(c.Text[:max(0, at-c.Start)], " \t\r\n")
		c.End, c.Arguments, c.Executable, c.Status = c.Start+len(c.Text), nil, false, chat.StatusTruncated
		return Event{Call: &c}, c.Start < at
	case e.Finding != nil:
		f := *e.Finding
		if f.Span.Start >= at || f.Code == diag.MissingCloser || f.Code == diag.CutCall {
			return e, false
		}
		f.Span.End, f.Fixes = min(f.Span.End, at), nil
		return Event{Finding: &f}, true
	}
	return e, e.Content == "" && e.Reasoning == ""
}

// readOn reads the rest of the text, which begins with a mark at an offset.
func (s *Scanner) readOn(at int, mark, rest string) {
	if s.frame.row.closesWith(mark) {
		at, rest = at+len(mark), rest[len(mark):]
	}
	s.drop()
	s.given, s.again, s.shown = s.given[:0], nil, at
	s.at, s.body = at, nil
	s.thinking.text = s.thinking.text || s.thinking.inside
	if s.resync.behind {
		s.content(at, rest)
		s.at += len(rest)
		return
	}
	s.resync.behind = true
	for _, segment := range s.frame.row.segments(rest) {
		s.place, s.lineBlank = s.betweenFrames(), true
		s.search = search{matcher: s.marks.matcher} // of a mark that was broken off
		s.resync.forget(s.at)
		s.Write([]byte(segment))
		s.closePlaces()
	}
}

// breaks are texts that can end a broken call.
type breaks struct {
	texts   []string
	first   [256]bool
	longest int // bytes of the longest of them
}

func (b *breaks) add(text string) {
	if text != "" && !slices.Contains(b.texts, text) {
		b.texts, b.first[text[0]], b.longest = append(b.texts, text), true, max(b.longest, len(text))
	}
}

// at returns the longest of the texts that is at an index of a text.
func (b *breaks) at(text []byte, i int) (mark string) {
	if !b.first[text[i]] {
		return ""
	}
	for _, t := range b.texts {
		if len(t) > len(mark) && bytes.HasPrefix(text[i:], []byte(t)) {
			mark = t
		}
	}
	return mark
}

// openings returns the texts that begin a call of the dialect. Words count only at the
// start of a line, and so does what begins a call without a mark.
func (d *Dialect) openings() (b breaks) {
	for _, m := range d.framing.marks {
		switch {
		case m.role != begins && m.role != takes && m.role != wraps:
		case len(m.text) > 2 && !isNameByte(m.text[0]) && m.text[0] != '\n' && !m.line:
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

// breaks returns the texts that can end a broken call: what begins another, and what
// ends one.
func (d *Dialect) breaks() breaks {
	b := d.openings()
	for _, text := range d.framing.closes {
		b.add(text)
	}
	for _, m := range d.framing.marks {
		if m.role == unwraps || m.role == silent || m.role == drops {
			b.add(m.text)
		}
	}
	return b
}

// closesWith reports whether a mark ends calls of the dialect.
func (d *Dialect) closesWith(mark string) bool {
	b := d.openings()
	return !slices.Contains(b.texts, mark)
}

// segments cuts a text before each opening mark in front of which something begins
// that has brackets or quotes.
func (d *Dialect) segments(text string) (all []string) {
	b, from, any := d.openings(), 0, false
	src := []byte(text)
	for i := range src {
		if any && b.at(src, i) != "" {
			all, from, any = append(all, text[from:i]), i, false
		}
		any = any || bytes.IndexByte([]byte("{(\"'"), text[i]) >= 0
	}
	return append(all, text[from:])
}
