package dialect

import (
	"slices"
	"strings"

	"oneshot/pkg/diag"
)

// A messaging says how messages are written: a mark, a header, a mark, and a body
// up to one more mark. The header says who the message is for: a tool, the model
// itself, or the user.
type messaging struct {
	bodies []bodyMark
	ends   []string // marks behind a message
	begins []string // marks that begin another one
	tags   string   // a body that begins so holds calls
	tagged bool     // no other body is a call, and they can begin anywhere in it
}

// A bodyMark is a mark between a header and a body.
type bodyMark struct {
	text string
	kind bodyKind
}

// A bodyKind says what the body of a message is.
type bodyKind int

const (
	byHeader       bodyKind = iota // what the header says
	aloud                          // text for the user
	toSelf                         // reasoning
	anInvoke                       // a call, with its name
	anInvokeOfText                 // text, for the tool that the header names
	arguments                      // JSON, with which the body begins: byHeader, and there is no mark
)

// messages is the grammar of one message.
func messages(m messaging) grammar {
	heads := newMarkList(func() []string { return m.heads() })
	ends := newMarkList(func() []string { return unique(m.ends, m.begins) })
	calls := &naming{closes: m.ends, stops: m.begins, loose: true}
	return grammar{
		body: func(s *Scanner, f *frame) body {
			return &messageBody{messaging: &m, scanner: s, frame: f, calls: calls, ends: ends, head: newUpTo(heads()), at: f.begin}
		},
		render: renderMessage,
	}
}

// starts returns the marks that begin another message wherever they stand: that of
// a channel can stand in a header, and in what others say.
func (m *messaging) starts() []string {
	return slices.DeleteFunc(slices.Clone(m.begins), func(mark string) bool { return mark[0] != '<' || mark == channelMark })
}

// heads returns the marks that end a header.
func (m *messaging) heads() []string {
	all := slices.Concat(m.ends, m.starts())
	for _, b := range m.bodies {
		all = append(all, b.text)
	}
	return unique(all)
}

// A messageBody reads one message.
type messageBody struct {
	*messaging
	scanner *Scanner
	frame   *frame
	calls   *naming
	ends    func() *markList
	at      int // offset of the next byte
	head    upTo
	text    []byte // the header
	tag     []byte // what can be the beginning of calls in the body
	inner   body   // reads the body
	opening bool   // its beginning is read first
}

func (b *messageBody) write(p []byte) (int, ending) {
	switch {
	case b.inner != nil && !b.opening:
		return b.inner.write(p)
	case b.opening:
		return b.readTag(p[0])
	}
	n, text, mark := b.head.next(p[:min(len(p), longestHead+1-b.length())])
	b.text = append(b.text, text...)
	b.at += n
	b.scanner.steps += n
	switch {
	case mark != "":
		return b.endHeader(n, mark)
	case b.length() > longestHead:
		b.refuse()
		return n, left
	}
	return n, notYet
}

// length returns how many bytes of the header have been read.
func (b *messageBody) length() int { return len(b.text) + b.head.waiting() }

// endHeader follows the mark behind a header, with which n bytes end.
func (b *messageBody) endHeader(n int, mark string) (int, ending) {
	i := slices.IndexFunc(b.bodies, func(m bodyMark) bool { return m.text == mark })
	if i < 0 {
		b.stray("no message begins here")
		if slices.Contains(b.begins, mark) {
			b.scanner.readAgain([]byte(mark))
			return n, left
		}
		return n, ended
	}
	h := readHeader(b.frame.mark, string(b.text))
	kind := b.bodies[i].kind
	if kind == arguments {
		b.scanner.readAgain([]byte(mark))
		b.at -= len(mark)
		mark = ""
	}
	if t := &b.scanner.thinking; t.inside && t.wrapper == nil { // the prompt has opened it
		t.inside, t.ended = false, true
	}
	return n, b.begin(h, kind, mark)
}

// refuse reports a mark behind which no header stands. What does is text.
func (b *messageBody) refuse() {
	b.stray("no message begins here")
	held := b.head.held()
	b.scanner.content(b.at-len(held)-len(b.text), string(b.text))
	b.scanner.readAgain([]byte(held))
}

// stray reports a mark that begins no message.
func (b *messageBody) stray(message string) {
	f := b.frame
	b.scanner.find(diag.New(diag.StrayMarker, diag.Bytes(f.at, f.at+len(f.mark)), "%s", message))
}

// begin begins to read a body behind a mark.
func (b *messageBody) begin(h header, kind bodyKind, mark string) ending {
	s := b.scanner
	s.beginMessage(h, kind, b.tagged, diag.Bytes(b.frame.at, b.at))
	switch {
	case h.isForeign():
		if h.isCall() {
			b.quoted(h.role)
		}
		return left
	case kind == anInvoke:
		b.frame.begin = b.at
		text := string(b.text)
		name := strings.TrimSpace(text)
		b.inner = newJSONSequence(s, b.frame, title{name, b.at - len(mark) - len(text) + strings.Index(text, name)})
	case kind == anInvokeOfText:
		b.inner = b.recipient(header{recipient: strings.TrimSpace(string(b.text))}, mark)
	case kind == toSelf || kind == byHeader && h.isReasoning():
		b.inner = &thoughtBody{scanner: s, upTo: newUpTo(b.ends()), at: b.at, ends: b.messaging.ends, from: diag.Bytes(b.frame.at, b.at)}
	case b.tagged || kind == aloud || !h.isCall():
		return left
	default:
		b.inner, b.opening = b.recipient(h, mark), b.tags != ""
	}
	return notYet
}

// quoted reports a call in a message of somebody else.
func (b *messageBody) quoted(who string) {
	f := diag.New(diag.QuotedCall, diag.Bytes(b.frame.at, b.at), "this message is from %s: nothing in it is run", excerpt(who))
	b.scanner.find(f)
}

// recipient returns what reads a body that is the arguments of a call.
func (b *messageBody) recipient(h header, mark string) body {
	text := append(b.text, mark...)
	naming := *b.calls
	naming.space, naming.free = functionSpace, !strings.HasPrefix(h.recipient, functionSpace)
	c := &namedBody{naming: &naming, scanner: b.scanner, frame: b.frame, stage: behindName, at: b.at, texts: b.ends}
	c.head = head{at: b.frame.begin, text: text, piece: len(text), name: h.recipient, from: h.at, marked: true}
	c.doubts = h.doubts(c.namePlace())
	return c
}

// readTag reads the beginning of a body, which may be calls.
func (b *messageBody) readTag(c byte) (int, ending) {
	b.tag = append(b.tag, c)
	word := strings.TrimLeft(string(b.tag), " \t\r\n")
	switch {
	case word == b.tags:
		b.scanner.readAgain(b.tag)
		return 1, left
	case strings.HasPrefix(b.tags, word) && len(b.tag) < longestLead:
		return 1, notYet
	}
	b.opening = false
	b.scanner.readAgain(b.tag)
	return 1, notYet
}

func (b *messageBody) close() {
	switch {
	case b.opening:
		b.inner.write(b.tag)
		b.inner.close()
	case b.inner != nil:
		b.inner.close()
	case readHeader(b.frame.mark, string(b.text)+b.head.held()).isCall():
		b.scanner.find(diag.New(diag.CutCall, diag.Bytes(b.frame.at, b.at), "the text ends inside a call"))
	default:
		text := string(b.text) + b.head.held()
		if !strings.ContainsRune(text, '\n') { // no header has a line end
			b.stray("the text ends inside the header of a message")
			return
		}
		b.stray("no message begins here")
		b.scanner.content(b.frame.begin, text)
	}
}

// A thoughtBody reads a message for the model itself. Nothing in it is a call.
type thoughtBody struct {
	upTo
	scanner *Scanner
	ends    []string
	skip    int       // bytes that are left out
	at      int       // offset of what comes next
	from    diag.Span // what opens it
	before  byte      // the last byte that was passed on
}

func (b *thoughtBody) write(p []byte) (int, ending) {
	if k := min(b.skip, len(p)); k > 0 {
		b.skip, b.at = b.skip-k, b.at+k
		return k, notYet
	}
	n, text, mark := b.next(p)
	b.scanner.steps += n
	b.pass(string(text))
	switch {
	case mark == "":
		return n, notYet
	case b.before == '`':
		b.pass(mark)
		return n, notYet
	case slices.Contains(b.ends, mark):
		b.scanner.endMessage()
		if mark == callMark {
			b.scanner.find(diag.New(diag.NotACall, diag.Bytes(b.at, b.at+len(mark)), "the message ends as a call does, and is for no tool"))
		}
		return n, ended
	}
	b.scanner.readAgain([]byte(mark))
	return n, left
}

// pass passes on text.
func (b *thoughtBody) pass(text string) {
	if text == "" {
		return
	}
	t := &b.scanner.thinking
	inside := t.inside
	t.inside = inside || t.mode != ReasoningOff
	b.scanner.content(b.at, text)
	t.inside, t.ended = inside, t.ended || t.inside
	b.at += len(text)
	b.before = text[len(text)-1]
}

func (b *thoughtBody) close() {
	b.pass(b.held())
	if b.scanner.thinking.mode != ReasoningOff {
		b.scanner.find(diag.New(diag.OpenReasoning, b.from, "the reasoning that begins here is not closed"))
	}
}
