package wire

import "bytes"

// An sse parses the fields of an event stream as defined in the WHATWG HTML standard (section
// 9.2, server-sent events): lines end in LF, CR LF or CR; "NAME:VALUE" has one optional space
// before the value; lines that begin with a colon are comments; an empty line ends an event.
// Only "data" and "event" matter here. The caller handles the byte order mark.
//
// It looks at each byte once and stores only the name of a field and of an event, so lines have
// no limit.
type sse struct {
	phase   ssePhase
	afterCR bool   // the last byte was a CR and may be followed by its LF
	field   []byte // field name, as far as needed to identify it
	event   []byte // event name, up to maxEvent bytes
	hasLine bool   // a line that is not empty has been read
}

// A ssePhase is the part of a line that the next byte belongs to.
type ssePhase int

const (
	inField ssePhase = iota // in a field name, or at the start of a line
	atSpace                 // after the colon
	inValue
)

// A sseToken is the kind of a token of an event stream.
type sseToken int

const (
	sseOther     sseToken = iota // irrelevant
	sseDataChunk                 // a part of a "data" value
	sseDataEnd                   // the end of such a value
	sseEventEnd                  // the end of an event
	sseNotStream                 // this is not an event stream
)

const (
	maxField = len("retry") + 1 // longer names are irrelevant
	maxEvent = 64
	maxToken = 4 << 10 // the longest token
)

// next reads the first token of p, which must not be empty, and returns its length in bytes.
func (s *sse) next(p []byte) (int, sseToken) {
	if s.afterCR && p[0] == '\n' {
		s.afterCR = false
		return 1, sseOther
	}
	s.afterCR = false
	if isLineEnd(p[0]) {
		return 1, s.endLine(p[0])
	}
	switch s.phase {
	case inField:
		return 1, s.readName(p[0])
	case atSpace:
		s.phase = inValue
		if p[0] == ' ' {
			return 1, sseOther
		}
	}
	return s.readValue(p)
}

var sseFields = []string{"data", "event", "id", "retry"}

// readName reads a byte of a field name.
func (s *sse) readName(c byte) sseToken {
	if c != ':' {
		if len(s.field) < maxField {
			s.field = append(s.field, c)
		}
		return s.checkFieldName(bytes.HasPrefix)
	}
	s.phase = atSpace
	s.beginValue()
	return s.checkFieldName(bytes.Equal)
}

// beginValue resets the value of the field: the last event name counts.
func (s *sse) beginValue() {
	if string(s.field) == "event" {
		s.event = s.event[:0]
	}
}

// checkFieldName reports whether the possibly incomplete name of the first field can belong to an
// event stream. The standard ignores unknown names, but text that begins with one is a page.
func (s *sse) checkFieldName(fits func(known, field []byte) bool) sseToken {
	if s.hasLine || len(s.field) == 0 {
		return sseOther
	}
	for _, known := range sseFields {
		if fits([]byte(known), s.field) {
			return sseOther
		}
	}
	return sseNotStream
}

// readValue reads a part of a value, up to the end of the line. It searches only maxToken bytes:
// with CR line ends, each line would otherwise search all remaining bytes for a LF.
func (s *sse) readValue(p []byte) (int, sseToken) {
	n := min(len(p), maxToken)
	for _, end := range []byte("\n\r") {
		if i := bytes.IndexByte(p[:n], end); i >= 0 {
			n = i
		}
	}
	switch string(s.field) {
	case "data":
		return n, sseDataChunk
	case "event":
		s.event = append(s.event, p[:min(n, maxEvent-len(s.event))]...)
	}
	return n, sseOther
}

// endLine reads the end of a line. A line without a colon is a field name.
func (s *sse) endLine(c byte) sseToken {
	token := sseOther
	switch {
	case s.phase == inField && len(s.field) == 0:
		token = sseEventEnd
	case string(s.field) == "data":
		token = sseDataEnd
	case s.phase == inField:
		s.beginValue()
		token = s.checkFieldName(bytes.Equal)
	}
	s.hasLine = s.hasLine || token != sseEventEnd
	s.phase, s.afterCR, s.field = inField, c == '\r', s.field[:0]
	return token
}

func (s *sse) endEvent() { s.event = s.event[:0] }

// isError reports whether the event name is "error".
func (s *sse) isError() bool { return string(s.event) == "error" }

func isLineEnd(c byte) bool { return c == '\n' || c == '\r' }
