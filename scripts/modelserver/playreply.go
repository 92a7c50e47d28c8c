package modelserver

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"time"
	"unicode/utf8"
)

// A player plays one reply. If the client disconnects it ends by [http.ErrAbortHandler].
type player struct {
	server  *Server
	w       http.ResponseWriter
	r       *http.Request
	request Request
	form    protocolEncoder
	message *message
	started bool // the message's first event has been written
	current *item
	members map[string]json.RawMessage // of the next item

	status int
	whole  bool
	pieces int
	pause  time.Duration // before each byte
	head   bool          // status and headers have been written
	sent   time.Time     // when the last bytes were
}

// newPlayer returns a player that answers in the way that the request asks for.
func newPlayer(s *Server, w http.ResponseWriter, r *http.Request, request Request) *player {
	var wants struct {
		Model         string
		Stream        *bool
		StreamOptions struct {
			Usage bool `json:"include_usage"`
		} `json:"stream_options"`
	}
	_ = json.Unmarshal(request.Body, &wants) // a request that is not JSON is answered whole
	stream := request.API == Ollama
	if wants.Stream != nil {
		stream = *wants.Stream
	}
	return &player{
		server: s, w: w, r: r, request: request, form: encoders[request.API],
		message: &message{number: request.Number, model: wants.Model, usage: wants.StreamOptions.Usage, input: inputTokens, output: outputTokens},
		status:  http.StatusOK, pieces: 5, whole: !stream,
	}
}

func (p *player) play(reply Reply) {
	for _, a := range reply.actions {
		a(p)
	}
	if !p.head {
		p.begin("")
	}
}

// begin writes the status and the headers, once.
func (p *player) begin(contentType string) {
	if p.head {
		return
	}
	p.head = true
	if contentType != "" && p.w.Header().Get("Content-Type") == "" {
		p.w.Header().Set("Content-Type", contentType)
	}
	p.w.WriteHeader(p.status)
}

// write sends bytes at once.
func (p *player) write(b []byte) {
	step := len(b)
	if p.pause > 0 {
		step = 1
	}
	for len(b) > 0 {
		p.wait(p.pause)
		n := min(step, len(b))
		p.sent = time.Now()
		if _, err := p.w.Write(b[:n]); err != nil {
			panic(http.ErrAbortHandler)
		}
		if !p.server.AtOnce {
			p.flush()
		}
		b = b[n:]
	}
}

// flush sends the buffered bytes.
func (p *player) flush() { p.w.(http.Flusher).Flush() }

// reportSendTime reports to the server's owner when the last bytes were sent.
func (p *player) reportSendTime() {
	if p.server.Mark != nil {
		p.server.Mark(p.request, p.sent)
	}
}

// stream sends a part of a streamed response.
func (p *player) stream(b []byte) {
	if p.whole || len(b) == 0 {
		return
	}
	p.begin(p.form.contentType())
	p.write(b)
}

// wait pauses without ending open items.
func (p *player) wait(d time.Duration) {
	if d <= 0 {
		return
	}
	if p.head {
		p.flush()
	}
	select {
	case <-time.After(d):
	case <-p.r.Context().Done():
		panic(http.ErrAbortHandler)
	}
}

func (p *player) setPause(pause time.Duration) { p.pause = pause }

func (p *player) answerWhole() { p.whole = true }

// hang sends nothing until the client disconnects.
func (p *player) hang() {
	p.begin(p.form.contentType())
	p.flush()
	<-p.r.Context().Done()
	panic(http.ErrAbortHandler)
}

// sendKeepAlives sends only keep-alives until the client disconnects.
func (p *player) sendKeepAlives(pause time.Duration) {
	p.begin(p.form.contentType())
	for {
		p.write([]byte(p.form.keepAlive()))
		p.wait(pause)
	}
}

// cutConnection ends the connection in the middle of the body.
func (p *player) cutConnection() {
	p.begin(p.form.contentType())
	p.flush()
	panic(http.ErrAbortHandler)
}

func (p *player) reset() { reset(p.w) }

// socketWriteAction writes directly to the connection, without HTTP, and closes it.
func socketWriteAction(text string) action {
	return func(p *player) {
		c, _, err := p.w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(c, text) // an error means that the client has disconnected
		c.Close()
		panic(http.ErrAbortHandler)
	}
}

// reset ends a connection at once, so that its client notices even while it writes.
// Data that was sent and not read yet may be lost.
func reset(w http.ResponseWriter) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	_ = c.(*net.TCPConn).SetLinger(0) // an error means that it is closed
	c.Close()
	panic(http.ErrAbortHandler)
}

func rawAction(text string) action {
	return func(p *player) {
		contentType := ""
		if p.status == http.StatusOK {
			contentType = p.form.contentType()
		}
		p.begin(contentType)
		p.write([]byte(text))
	}
}

// textAction adds text. Consecutive texts form one item.
func textAction(text string) action {
	return func(p *player) { p.addText(item{kind: said}, text) }
}

func reasoningAction(text string) action {
	return func(p *player) { p.addText(item{kind: thought}, text) }
}

// signatureAction ends the reasoning with its signature.
func signatureAction(signature string) action {
	return func(p *player) {
		if p.current == nil || p.current.kind != thought {
			p.beginItem(item{kind: thought})
		}
		p.current.signature = signature
		p.endItem()
	}
}

// addText adds text to the open item if it has the same kind, or else to a new one.
func (p *player) addText(it item, text string) {
	if text == "" {
		return
	}
	if p.current == nil || p.current.kind != it.kind || p.members != nil {
		p.beginItem(it)
	}
	p.current.text += text
	for text != "" {
		n := pieceBytes(text, p.pieces)
		p.stream(p.form.textDelta(p.message, p.current, text[:n]))
		text = text[n:]
	}
}

// pieceBytes returns the length of the next piece: that many characters, or all if the
// number is 0. An invalid byte counts as one character.
func pieceBytes(text string, characters int) int {
	if characters <= 0 {
		return len(text)
	}
	n := 0
	for ; characters > 0 && n < len(text); characters-- {
		_, size := utf8.DecodeRuneInString(text[n:])
		n += size
	}
	return n
}

// beginItem begins an item, and the message if it is the first.
func (p *player) beginItem(it item) {
	p.endItem()
	it.index, it.members = len(p.message.items), p.members
	p.members = nil
	for _, other := range p.message.items {
		if other.kind == it.kind {
			it.nth++
		}
	}
	p.current = &it
	p.message.items = append(p.message.items, p.current)
	p.startMessage()
	p.stream(p.form.beginItem(p.message, p.current))
}

func (p *player) startMessage() {
	if !p.started {
		p.started = true
		p.stream(p.form.beginMessage(p.message))
	}
}

// endItem ends the item that is open, if there is one.
func (p *player) endItem() {
	if p.current != nil {
		p.stream(p.form.endItem(p.message, p.current))
		p.current = nil
	}
}

// addCall adds a complete native call.
func (p *player) addCall(it item) {
	p.addOpenCall(it)
	p.endItem()
}

// addOpenCall begins a native call without ending it.
func (p *player) addOpenCall(it item) {
	arguments := it.text
	it.text = ""
	p.beginItem(it)
	p.addText(item{kind: called}, arguments)
}

// stopAction ends the message.
func stopAction(reason string) action {
	return func(p *player) {
		p.endItem()
		p.startMessage()
		p.message.reason = reason
		if p.whole {
			p.begin("application/json; charset=utf-8")
			p.write(p.form.wholeMessage(p.message))
			return
		}
		p.stream(p.form.endMessage(p.message))
	}
}

// errorAction reports an error of the server: in its own body, or in the stream if one
// has begun.
func errorAction(text string) action {
	return func(p *player) {
		if p.started && !p.whole {
			p.stream(p.form.errorEvent(p.message, text))
			return
		}
		p.begin("application/json; charset=utf-8")
		p.write(marshal(errorBody(p.request.API, text)))
	}
}

// beginNewMessage begins another message.
func (p *player) beginNewMessage() {
	m := *p.message
	m.number, m.items, m.events = m.number+1000, nil, 0
	p.message, p.current, p.started = &m, nil, false
}
