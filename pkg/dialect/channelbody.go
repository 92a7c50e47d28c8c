package dialect

import (
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
)

// A messageSyntax describes messages: a marker, a header, a marker, and a body up to another marker. The header
// names the recipient: a tool, the model itself, or the user.
type messageSyntax struct {
	bodyMarkers   []bodyMarker
	closers       []string // markers that end a message
	openers       []string // markers that begin another message
	callTagPrefix string   // a body with this prefix contains calls
	callsAreTags  bool     // only tags are calls, anywhere in a body
}

// A bodyMarker is a marker between a header and a body.
type bodyMarker struct {
	text string
	kind bodyKind
}

func messageGrammar(m messageSyntax) grammar {
	heads := newMarkerList(func() []string { return m.headerEnds() })
	ends := newMarkerList(func() []string { return sortedUnion(m.closers, m.openers) })
	calls := &nameSyntax{closers: m.closers, stops: m.openers, closerOptional: true}
	return grammar{
		newBody: func(s *sink, f *frame) body {
			return &messageBody{messageSyntax: &m, sink: s, frame: f, calls: calls, terminators: ends, headerReader: newMarkerReader(heads()), at: f.bodyAt}
		},
		render: renderMessage,
	}
}

// tokenOpeners returns the openers that count anywhere. The channel marker is excluded: headers and other
// messages contain it.
func (m *messageSyntax) tokenOpeners() []string {
	return slices.DeleteFunc(slices.Clone(m.openers), func(marker string) bool { return marker[0] != '<' || marker == channelMarker })
}

// headerEnds returns the markers that end a header.
func (m *messageSyntax) headerEnds() []string {
	all := slices.Concat(m.closers, m.tokenOpeners())
	for _, b := range m.bodyMarkers {
		all = append(all, b.text)
	}
	return sortedUnion(all)
}

// A messageBody reads one message.
type messageBody struct {
	*messageSyntax
	sink          *sink
	frame         *frame
	calls         *nameSyntax
	terminators   func() *markerList
	at            int // of the next byte
	headerReader  markerReader
	header        []byte
	prefix        []byte // possible beginning of calls in the body
	content       body   // reads the body
	readingPrefix bool   // the prefix of the body is being read
}

func (b *messageBody) write(p []byte) (int, frameEnd) {
	switch {
	case b.content != nil && !b.readingPrefix:
		return b.content.write(p)
	case b.readingPrefix:
		return b.readPrefix(p[0])
	}
	n, text, marker := b.headerReader.readUntilMarker(p[:min(len(p), maxHeadPiece+1-b.headerLength())])
	b.header = append(b.header, text...)
	b.at += n
	b.sink.steps += n
	switch {
	case marker != "":
		return b.endHeader(n, marker)
	case b.headerLength() > maxHeadPiece:
		b.rejectHeader()
		return n, left
	}
	return n, notYet
}

// headerLength returns the number of header bytes read.
func (b *messageBody) headerLength() int { return len(b.header) + b.headerReader.pendingLen() }

// endHeader handles the marker after a header, the last of n bytes.
func (b *messageBody) endHeader(n int, marker string) (int, frameEnd) {
	i := slices.IndexFunc(b.bodyMarkers, func(m bodyMarker) bool { return m.text == marker })
	if i < 0 {
		b.reportStrayMarker("no message begins here")
		if slices.Contains(b.openers, marker) {
			b.sink.unread([]byte(marker))
			return n, left
		}
		if b.sink.message.inReasoning && !strings.HasSuffix(string(b.header), "`") { // it ends the reasoning
			b.sink.endMessage()
		}
		return n, ended
	}
	h := parseHeader(b.frame.marker, string(b.header))
	kind := b.bodyMarkers[i].kind
	if kind == bodyIsArguments {
		b.sink.unread([]byte(marker))
		b.at -= len(marker)
		marker = ""
	}
	if t := &b.sink.reasoning; t.inside && t.delimiters == nil { // opened by the prompt
		t.inside, t.ended = false, true
	}
	return n, b.beginContent(h, kind, marker)
}

// rejectHeader reports an opener without a header after it. The text after it is content.
func (b *messageBody) rejectHeader() {
	b.reportStrayMarker("no message begins here")
	held := b.headerReader.pendingText()
	b.sink.emitContent(b.at-len(held)-len(b.header), string(b.header))
	b.sink.unread([]byte(held))
}

func (b *messageBody) reportStrayMarker(message string) {
	f := b.frame
	b.sink.report(diag.New(diag.StrayMarker, diag.Bytes(f.at, f.at+len(f.marker)), "%s", message))
}

// beginContent begins the body after a marker.
func (b *messageBody) beginContent(h header, kind bodyKind, marker string) frameEnd {
	s := b.sink
	s.beginMessage(h, kind, b.callsAreTags, b.frame.marker, diag.Bytes(b.frame.at, b.at))
	switch {
	case h.hasForeignSender():
		if h.isCall() {
			b.reportCallFromOtherSender(h.role)
		}
		return left
	case kind == bodyIsInvoke:
		b.frame.bodyAt = b.at
		text := string(b.header)
		name := strings.TrimSpace(text)
		b.content = newJSONSequence(s, b.frame, headerTool{name, b.at - len(marker) - len(text) + strings.Index(text, name)})
	case kind == bodyIsTextInvoke:
		b.content = b.newArgumentsBody(header{recipient: strings.TrimSpace(string(b.header))}, marker)
	case kind == bodyIsReasoning || kind == bodyByHeader && h.isReasoning():
		b.content = &reasoningBody{sink: s, markerReader: newMarkerReader(b.terminators()), at: b.at, closers: b.messageSyntax.closers, opener: diag.Bytes(b.frame.at, b.at)}
	case b.callsAreTags || kind == bodyForUser || !h.isCall():
		return left
	default:
		b.content, b.readingPrefix = b.newArgumentsBody(h, marker), b.callTagPrefix != ""
	}
	return notYet
}

// reportCallFromOtherSender reports a call in a message from another sender.
func (b *messageBody) reportCallFromOtherSender(who string) {
	f := diag.New(diag.QuotedCall, diag.Bytes(b.frame.at, b.at), "this message is from %s: nothing in it is run", excerpt(who))
	b.sink.report(f)
}

// newArgumentsBody returns a body that reads the arguments of a call.
func (b *messageBody) newArgumentsBody(h header, marker string) body {
	text := append(b.header, marker...)
	naming := *b.calls
	naming.namespace, naming.allowsText = functionNamespace, !strings.HasPrefix(h.recipient, functionNamespace)
	c := &namedBody{nameSyntax: &naming, sink: b.sink, frame: b.frame, stage: betweenNameAndArguments, at: b.at, terminators: b.terminators}
	c.head = head{at: b.frame.bodyAt, text: text, pieceAt: len(text), name: h.recipient, nameAt: h.recipientAt, afterMarker: true}
	c.headFindings = h.findings(c.nameSpan())
	return c
}

// readPrefix reads the beginning of a body that may contain calls.
func (b *messageBody) readPrefix(c byte) (int, frameEnd) {
	b.prefix = append(b.prefix, c)
	word := strings.TrimLeft(string(b.prefix), " \t\r\n")
	switch {
	case word == b.callTagPrefix:
		b.sink.unread(b.prefix)
		return 1, left
	case strings.HasPrefix(b.callTagPrefix, word) && len(b.prefix) < maxLookahead:
		return 1, notYet
	}
	b.readingPrefix = false
	b.sink.unread(b.prefix)
	return 1, notYet
}

func (b *messageBody) close() {
	switch {
	case b.readingPrefix:
		b.content.write(b.prefix)
		b.content.close()
	case b.content != nil:
		b.content.close()
	case parseHeader(b.frame.marker, string(b.header)+b.headerReader.pendingText()).isCall():
		b.sink.report(diag.New(diag.TruncatedCall, diag.Bytes(b.frame.at, b.at), "the text ends inside a call"))
	default:
		text := string(b.header) + b.headerReader.pendingText()
		if !strings.ContainsRune(text, '\n') { // headers contain no newline
			b.reportStrayMarker("the text ends inside a message header")
			return
		}
		b.reportStrayMarker("no message begins here")
		b.sink.emitContent(b.frame.bodyAt, text)
	}
}

// A reasoningBody reads a message for the model itself. It contains no calls.
type reasoningBody struct {
	markerReader
	sink      *sink
	closers   []string
	skipBytes int       // bytes to omit
	at        int       // offset of the next byte
	opener    diag.Span // the marker that opens it
	lastByte  byte      // the last byte emitted
}

func (b *reasoningBody) write(p []byte) (int, frameEnd) {
	if k := min(b.skipBytes, len(p)); k > 0 {
		b.skipBytes, b.at = b.skipBytes-k, b.at+k
		return k, notYet
	}
	n, text, marker := b.readUntilMarker(p)
	b.sink.steps += n
	b.emitText(string(text))
	switch {
	case marker == "":
		return n, notYet
	case b.lastByte == '`':
		b.emitText(marker)
		return n, notYet
	case slices.Contains(b.closers, marker):
		b.sink.endMessage()
		if marker == callMarker {
			b.sink.report(diag.New(diag.NotACall, diag.Bytes(b.at, b.at+len(marker)), "the message ends like a call but is for no tool"))
		}
		return n, ended
	}
	// A message of its own has a start or an end before it.
	b.sink.message.inReasoning = marker == channelMarker && b.lastByte != 0 && !b.sink.message.nested
	b.sink.unread([]byte(marker))
	return n, left
}

func (b *reasoningBody) emitText(text string) {
	if text == "" {
		return
	}
	t := &b.sink.reasoning
	inside := t.inside
	t.inside = inside || t.mode != ReasoningOff
	b.sink.emitContent(b.at, text)
	t.inside, t.ended = inside, t.ended || t.inside
	b.at += len(text)
	b.lastByte = text[len(text)-1]
}

func (b *reasoningBody) close() {
	b.emitText(b.pendingText())
	if b.sink.reasoning.mode != ReasoningOff {
		b.sink.report(diag.New(diag.UnclosedReasoning, b.opener, "the reasoning opened here is not closed"))
	}
}

// renderMessage writes a call as a message.
func renderMessage(d *Dialect, b []byte, c chat.Call, _ Toolset) ([]byte, bool) {
	b = append(b, d.framing.affixes[0]...)
	b = append(b, c.Name+" <|constrain|>json<|message|>"...)
	b = append(b, argumentsObject(c)...)
	return append(b, d.framing.affixes[1]...), isBareName(c.Name)
}

// renderCallMessage writes a call as a message with an object that repeats the tool name.
func renderCallMessage(d *Dialect, b []byte, c chat.Call, _ Toolset) ([]byte, bool) {
	b = append(b, d.framing.affixes[0]...)
	b = append(b, c.Name+"<|content_invoke_tool_json|>"...)
	b = append(b, `{"name":`+quote.JSON(c.Name)+`,"args":`...)
	b = append(append(b, argumentsObject(c)...), '}')
	return append(b, d.framing.affixes[1]...), isBareName(c.Name)
}
