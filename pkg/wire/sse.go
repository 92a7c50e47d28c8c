package wire

import "bytes"

// A sse reads the fields of an event stream, as the WHATWG's HTML standard
// (section 9.2, server-sent events) describes it: lines that end in LF, CR LF or
// CR; "NAME:VALUE" with one space allowed before the value; lines that begin
// with a colon are comments; an empty line ends an event. Only "data" and
// "event" mean something here. The byte order mark is the caller's.
//
// It looks at each byte once and holds nothing but the name of a field and of
// an event, so that a line may be as long as it likes.
type sse struct {
	phase   ssePhase
	afterCR bool   // the last byte was a CR, so that a LF belongs to it
	field   []byte // the name of the field, no more of it than is needed to know it
	event   []byte // the name of the event, as far as it is kept
	hasLine bool   // a line that is not empty has been read
}

// A ssePhase says where in a line the next byte stands.
type ssePhase int

const (
	inField ssePhase = iota // in the name of a field, or at the start of a line
	atSpace                 // after the colon
	inValue
)

// A sseToken is what some bytes of an event stream are.
type sseToken int

const (
	sseOther     sseToken = iota // what nobody wants to know
	sseDataChunk                 // a piece of a value of "data"
	sseDataEnd                   // the end of such a value
	sseEventEnd                  // the end of an event
	sseNotStream                 // a proof that this is no event stream
)

const (
	maxField = len("retry") + 1 // what is kept of names; none that matters is longer
	maxEvent = 64
	maxToken = 4 << 10 // the longest token
)

// next reads the first token of p, which must not be empty, and returns its
// length in bytes.
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

// sseFields are the names of fields.
var sseFields = []string{"data", "event", "id", "retry"}

// readName reads a byte of the name of a field.
func (s *sse) readName(c byte) sseToken {
	if c != ':' {
		if len(s.field) < maxField {
			s.field = append(s.field, c)
		}
		return s.classify(bytes.HasPrefix)
	}
	s.phase = atSpace
	s.beginValue()
	return s.classify(bytes.Equal)
}

// beginValue makes room for a new value of the field: an event has one name, the
// last that a line gives it.
func (s *sse) beginValue() {
	if string(s.field) == "event" {
		s.event = s.event[:0]
	}
}

// classify says whether what stands of the name of the first field, which may
// be a whole name or the beginning of one, can belong to an event stream. The
// standard has unknown names ignored, but what begins with one is a page of
// text.
func (s *sse) classify(fits func(known, field []byte) bool) sseToken {
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

// readValue reads a piece of a value, up to the end of the line. It does not look
// far: where lines end in CR, each would be a search for a LF in all the rest.
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

// endLine reads the end of a line. A line without a colon is a name.
func (s *sse) endLine(c byte) sseToken {
	token := sseOther
	switch {
	case s.phase == inField && len(s.field) == 0:
		token = sseEventEnd
	case string(s.field) == "data":
		token = sseDataEnd
	case s.phase == inField:
		s.beginValue()
		token = s.classify(bytes.Equal)
	}
	s.hasLine = s.hasLine || token != sseEventEnd
	s.phase, s.afterCR, s.field = inField, c == '\r', s.field[:0]
	return token
}

// endEvent forgets the event that has ended.
func (s *sse) endEvent() { s.event = s.event[:0] }

// isError reports whether the event is called one.
func (s *sse) isError() bool { return string(s.event) == "error" }

// isLineEnd reports whether c ends a line.
func isLineEnd(c byte) bool { return c == '\n' || c == '\r' }
