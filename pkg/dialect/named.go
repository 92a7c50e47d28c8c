package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// A naming says what stands around the name of a tool and the JSON behind it.
type naming struct {
	behind  []string // marks behind the name; where there is none, "{" follows it
	bare    bool     // "{" may follow the name although there are marks
	id      string   // a mark behind the name, with an id behind that
	word    string   // stands instead of the name, and the name behind the mark
	counted bool     // the name ends in ":" and a number, and all of it is the id
	space   string   // a namespace that belongs to the syntax
	plain   string   // no tool: what follows is content
	raw     string   // a tool whose argument is text, up to the next mark: a token, or a word that begins a line
	part    string   // such a word, behind which the name of a tool must stand on the line
	free    bool     // the argument of any tool may be such text
	quoted  bool     // such text can be a string
	closes  []string // marks behind the arguments
	loose   bool     // they may be missing
	stops   []string // other marks, which end whatever is read
	between string   // what a renderer writes between the name and the arguments
}

// namedJSON is the grammar of one call that is a name and JSON behind it.
func namedJSON(n naming) grammar {
	heads, ends := newMarkList(n.marks), newMarkList(n.ends)
	return grammar{
		body: func(s *Scanner, f frame) body {
			return &namedBody{naming: &n, scanner: s, frame: f, at: f.begin, texts: ends, head: head{upTo: newUpTo(heads()), at: f.begin}}
		},
		render: n.render,
	}
}

// ends returns the marks that end whatever is read.
func (n *naming) ends() []string { return unique(n.closes, n.stops) }

// marks returns what ends a piece of the head.
func (n *naming) marks() []string {
	all := unique(n.behind, n.ends(), []string{"{"})
	if n.id != "" {
		all = append(all, n.id)
	}
	return all
}

// unique joins lists without what comes twice.
func unique(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

// A namedBody reads one call.
type namedBody struct {
	*naming
	scanner  *Scanner
	frame    frame
	stage    namedStage
	at       int // offset of the next byte
	head     head
	opened   int // how much has been read of the code fence around the arguments
	args     argReader
	second   int // where another value behind them begins
	texts    func() *markList
	doubts   []diag.Finding // about what stands before the arguments
	text     upTo           // reads arguments that are text
	written  []byte         // those
	doubtful bool           // they may end earlier
	mayEndAt int            // where in them
	tail     []byte         // what can be a mark behind the arguments
}

// A namedStage is what a namedBody reads.
type namedStage int

const (
	inHead          namedStage = iota // up to a mark of the head
	behindName                        // behind it, up to the arguments
	inArguments                       // JSON
	inText                            // or text
	inPart                            // in it, the name behind a mark that may end it
	behindArguments                   // up to the closing mark
	inSecond                          // in another value there
)

// longestHead bounds what stands before a mark of the head, in bytes.
const longestHead = longestName + 64

// openFence is what opens a code fence around arguments.
const openFence = "```json"

// A head is what stands before the arguments.
type head struct {
	upTo
	at     int    // where it begins
	text   []byte // what has been read of it
	piece  int    // where in it begins what is being read
	name   string
	from   int // where in it the name begins
	id     string
	word   bool // a word has been read that stands instead of the name
	wordAt int  // where in it that begins
	marked bool // a mark has been read behind the name
}

func (b *namedBody) write(p []byte) (int, ending) {
	for n := 0; n < len(p); {
		k, end := b.step(p[n:])
		n += k
		b.at += k
		if back := len(b.scanner.given); back > 0 || end != notYet {
			b.at -= back
			return n, end
		}
	}
	return len(p), notYet
}

func (b *namedBody) step(p []byte) (int, ending) {
	switch b.stage {
	case inHead:
		return b.readHead(p)
	case behindName:
		return b.beforeArguments(p[0])
	case inArguments, inSecond:
		n, done := b.args.write(b.scanner, p)
		if done {
			return n, b.endArguments()
		}
		return n, notYet
	case inText:
		return b.readText(p)
	case inPart:
		return b.readPart(p[0])
	}
	return b.behindArguments(p[0])
}

// readHead reads up to the next mark of the head.
func (b *namedBody) readHead(p []byte) (int, ending) {
	h := &b.head
	n, free, mark := h.next(p[:min(len(p), longestHead+1-h.length())], b.at)
	from := len(h.text)
	h.text = append(h.text, free...)
	b.scanner.steps += n
	if size, behind := b.scanner.draftEnds(h.text, from); size > 0 {
		rest := string(h.text[behind-size:]) + h.held() + mark
		h.text = h.text[:behind-size]
		b.cutHead("the reasoning ends")
		b.scanner.readAgain([]byte(rest))
		return n, left
	}
	switch {
	case mark == "" && h.length() <= longestHead:
		return n, notYet
	case mark == "" || !b.headMark(mark):
		return n, b.refuse(mark)
	case mark == "{" && b.stage == behindName:
		b.begin(b.at + n - 1)
		return n - 1, notYet
	}
	h.text = append(h.text, mark...)
	h.piece = len(h.text)
	if b.plain != "" && h.name == b.plain {
		return n, left
	}
	return n, notYet
}

// length returns how many bytes have been read behind the latest mark.
func (h *head) length() int { return len(h.text) - h.piece + h.waiting() }

// headMark takes a mark of the head and the piece before it. It reports false
// where no call looks so.
func (b *namedBody) headMark(mark string) bool {
	h := &b.head
	piece := string(h.text[h.piece:])
	name, fenced, ok := cutFence(piece)
	switch {
	case !ok, mark != "{" && mark != b.id && !slices.Contains(b.behind, mark), strings.Contains(name, "</"):
		return false
	case mark == "\n" && name == "":
		return true
	case h.name != "":
		h.id = name
	case name == "" && h.word && mark == "{":
		h.name, h.from = b.word, h.wordAt
	case name == "", mark == "{" && !h.marked && strings.ContainsAny(name, " \t"):
		return false
	case name == b.word && !h.word && mark != "{":
		h.word, h.marked, h.wordAt = true, true, h.piece+strings.Index(piece, name)
		return true
	default:
		h.name, h.from = name, h.piece+strings.Index(piece, name)
	}
	h.marked = h.marked || mark != "{"
	if fenced {
		b.opened = len(openFence)
	}
	switch {
	case b.raw != "" && h.name == b.raw:
		b.stage, b.text = inText, newUpTo(b.texts())
	case mark != b.id:
		b.stage = behindName
	}
	return true
}

// cutFence cuts a code fence that is opened behind a name.
func cutFence(piece string) (name string, fenced, ok bool) {
	name = strings.TrimSpace(piece)
	rest := ""
	if i := strings.IndexAny(name, "`\r\n"); i >= 0 {
		name, rest = strings.TrimSpace(name[:i]), strings.TrimSpace(name[i:])
	}
	return name, rest != "", rest == "" || rest == "```" || rest == openFence
}

// refuse reports a mark with no call behind it. What follows it is text.
func (b *namedBody) refuse(mark string) ending {
	if f := &b.frame; f.mark != "" {
		b.scanner.find(diag.New(diag.NotACall, diag.Bytes(f.at, f.at+len(f.mark)), "no call stands behind %s", strings.TrimSpace(f.mark)))
	}
	b.scanner.readAgain([]byte(string(b.head.text) + b.head.held() + mark))
	return left
}

// beforeArguments reads a byte between the name and the arguments.
func (b *namedBody) beforeArguments(c byte) (int, ending) {
	switch {
	case isSpace(c):
	case b.opened < len(openFence) && c == openFence[b.opened]:
		b.opened++
	case b.free && !b.fenced() && c != '{' && c != '[':
		b.stage, b.text = inText, newUpTo(b.texts())
		return 0, notYet
	default:
		b.begin(b.at)
		return 0, notYet
	}
	b.head.text = append(b.head.text, c)
	return 1, notYet
}

// fenced reports whether a code fence is open around the arguments.
func (b *namedBody) fenced() bool { return b.opened >= len("```") }

// begin begins to read the arguments at an offset.
func (b *namedBody) begin(at int) {
	b.stage = inArguments
	b.args.begin(at, b.fenced(), b.stops())
}

// stops returns the marks that end arguments in JSON.
func (b *namedBody) stops() []string { return slices.Concat(b.texts().texts, b.scanner.literalEnds()) }

// endArguments follows the arguments.
func (b *namedBody) endArguments() ending {
	if b.stage == inSecond {
		b.endSecond()
	} else {
		b.pass()
	}
	b.stage = behindArguments
	if b.args.fenced {
		b.opened = 0
	}
	rest := b.args.rest()
	b.scanner.readAgain([]byte(rest))
	return b.mayEnd(rest)
}

// endSecond reports a second value behind the arguments.
func (b *namedBody) endSecond() {
	place := diag.Bytes(b.second, b.second+len(b.args.text()))
	b.scanner.find(diag.New(diag.Concatenated, place, "this stands behind the arguments of %s, and nothing is done with it", excerpt(b.head.name)))
}

// mayEnd says whether the frame ends here, where a text follows that has been
// read already.
func (b *namedBody) mayEnd(rest string) ending {
	if rest == "" && len(b.closes) == 0 && !b.fenced() {
		return ended
	}
	return notYet
}

// pass passes on the call.
func (b *namedBody) pass() {
	findings := b.doubts
	h, text := &b.head, b.args.text()
	c := b.call(text)
	if text == "" && b.args.status == chat.StatusInvalid {
		b.args.findings = []diag.Finding{diag.New(diag.CallMember, c.place, "no arguments stand behind the name")}
	}
	switch {
	case len(b.behind) > 0 && !b.bare && !h.marked:
		findings = append(findings, diag.New(diag.CallMember, c.place, "no mark stands between the name and its arguments"))
	case b.counted && c.id == "" && strings.HasSuffix(strings.TrimRight(c.name, "0123456789"), "."):
		findings = append(findings, diag.New(diag.CallMember, c.place, "a number stands behind the name, and \":\" is missing before it"))
	}
	b.scanner.named(c, &b.args, findings...)
}

func (b *namedBody) namePlace() diag.Span {
	from := b.head.at + b.head.from
	return diag.Bytes(from, from+len(b.head.name))
}

// call returns the call as it is written, with the text of its arguments.
func (b *namedBody) call(text string) namedCall {
	h := &b.head
	place := b.namePlace()
	c := namedCall{name: h.name, place: place, clean: h.name, id: h.id, start: place.Start, text: string(h.text[h.from:]) + text}
	if b.counted {
		c.clean, c.id = cutCount(h.name)
	}
	c.clean = strings.TrimPrefix(c.clean, b.space)
	if b.counted && strings.Trim(c.clean, "0123456789") == "" {
		c.clean = "" // only a number
	}
	return c
}

// readText reads on in arguments that are text. They end before a mark: a token,
// or a word at the start of a line. A draft ends with the reasoning, too.
func (b *namedBody) readText(p []byte) (int, ending) {
	n, free, mark := b.text.next(p, b.at)
	b.scanner.steps += n
	from := len(b.written)
	b.written = append(b.written, free...)
	if size, behind := b.scanner.draftEnds(b.written, from); size > 0 {
		rest := string(b.written[behind-size:]) + b.text.held() + mark
		b.written = b.written[:behind-size]
		b.cutText("the reasoning ends")
		b.scanner.readAgain([]byte(rest))
		return n, left
	}
	switch {
	case mark == "":
		return n, notYet
	case mark[0] != '<' && !b.beginsLine():
		b.written = append(b.written, mark...)
		return n, notYet
	case mark == b.part:
		b.stage, b.tail = inPart, []byte(mark)
		return n, notYet
	}
	b.passText()
	b.scanner.readAgain([]byte(mark))
	return n, left
}

// beginsLine reports whether what comes next begins a line.
func (b *namedBody) beginsLine() bool {
	before := b.written
	if len(before) == 0 {
		before = b.head.text
	}
	return len(before) > 0 && isNewline(before[len(before)-1])
}

// readPart reads a byte behind a mark that may end the text: it does before the
// name of a tool on a line of its own, and before text for the user.
func (b *namedBody) readPart(c byte) (int, ending) {
	name := string(b.tail[len(b.part):])
	_, known := b.scanner.tools[name]
	switch {
	case isNameByte(c) && len(name) < longestName:
		b.tail = append(b.tail, c)
		return 1, notYet
	case c != '\n' || name == "":
	case known || name == b.plain:
		b.passText()
		b.scanner.readAgain(append(b.tail, c))
		return 1, left
	case !b.doubtful:
		b.doubtful, b.mayEndAt = true, len(b.written)
		f := diag.New(diag.MarkerInValue, diag.Bytes(b.at-len(b.tail), b.at), "the code may end here, or go on: no tool is known as %s", excerpt(name))
		f.Severity = diag.Error
		b.doubts = append(b.doubts, f)
	}
	b.endPart()
	return 0, notYet
}

// endPart makes text of a mark and what stands behind it.
func (b *namedBody) endPart() {
	b.written, b.tail = append(b.written, b.tail...), nil
	b.stage = inText
}

// cutText passes on a call whose argument, which is text, is cut off.
func (b *namedBody) cutText(how string) {
	b.doubts = append(b.doubts, diag.New(diag.CutCall, b.namePlace(), "%s inside the argument of the call", how))
	b.passText()
}

// passText passes on a call whose argument is text. Where it may end earlier there
// are two readings.
func (b *namedBody) passText() {
	r := b.textReader(b.written, b.doubts...)
	if b.doubtful {
		r.ambiguous(b.textReader(b.written[:b.mayEndAt]).call)
	}
	b.scanner.passCall(r)
}

// textReader returns a reader that has read a call with text for an argument.
func (b *namedBody) textReader(written []byte, findings ...diag.Finding) *reader {
	text := string(written)
	said := strings.TrimRight(text, "\r\n")
	if b.quoted {
		said = strings.TrimSpace(said)
		_ = json.Unmarshal([]byte(said), &said) // or it is no string
	}
	return newTextReader(b.call(text), said, findings)
}

// behindArguments reads a byte behind the arguments.
func (b *namedBody) behindArguments(c byte) (int, ending) {
	b.tail = append(b.tail, c)
	mark, v := b.closing()
	switch {
	case v == more:
		return 1, notYet
	case mark == "```":
		b.closeFence()
		return 1, b.mayEnd("")
	case slices.Contains(b.closes, mark):
		if b.fenced() {
			b.unclosed(mark)
		}
		return 1, ended
	case v == no && isSpace(b.tail[0]):
		b.scanner.readAgain(b.tail[1:])
	case v == no && len(b.tail) == 1 && len(b.closes) > 0 && !b.loose && (c == '{' || c == '['):
		b.stage, b.second = inSecond, b.at
		b.args.begin(b.at, b.fenced(), b.stops())
		b.tail = nil
		return 0, notYet
	case v == no && len(b.tail) == 1 && (c == '}' || c == ']'):
		b.scanner.find(diag.New(diag.Bracket, diag.Bytes(b.at, b.at+1), "%q closes nothing", c))
	default:
		b.scanner.readAgain(b.tail)
		b.unclosed("what comes next")
		return 1, left
	}
	b.tail = nil
	return 1, notYet
}

// closing returns the mark that the tail is, or says whether it can become one.
func (b *namedBody) closing() (mark string, v verdict) {
	tail := string(b.tail)
	for _, mark := range b.texts().texts {
		switch {
		case mark == tail:
			return mark, yes
		case strings.HasPrefix(mark, tail):
			v = more
		}
	}
	switch {
	case !b.fenced() && len(b.closes) == 0:
	case tail == "```":
		return tail, yes
	case strings.HasPrefix("```", tail):
		v = more
	}
	return "", v
}

// closeFence follows a closing code fence.
func (b *namedBody) closeFence() {
	if !b.fenced() {
		b.scanner.stray(diag.Bytes(b.at-2, b.at+1))
	}
	b.opened, b.tail = 0, nil
}

// unclosed reports that what should close the call is missing.
func (b *namedBody) unclosed(before string) {
	f := &b.frame
	switch {
	case b.fenced():
		b.scanner.find(diag.New(diag.UnclosedFence, b.namePlace(), "the fence around the arguments is not closed before %s", before))
	case len(b.closes) > 0 && !b.loose:
		b.scanner.find(diag.New(diag.MissingCloser, diag.Bytes(f.at, f.at+len(f.mark)), "%s is not closed before %s", strings.TrimSpace(f.mark), before))
	}
}

func (b *namedBody) close() {
	switch b.stage {
	case inHead:
		b.head.text = append(b.head.text, b.head.held()...)
		b.cutHead("the text ends")
	case behindName, inArguments:
		if b.stage == behindName {
			b.begin(b.at)
		}
		b.args.close()
		b.pass()
	case inSecond:
		b.args.close()
		b.endSecond()
	case inText, inPart: // which have no end but a mark
		b.endPart()
		b.written = append(b.written, b.text.held()...)
		b.cutText("the text ends")
	default:
		b.unclosed("the end of the text")
	}
}

// cutHead takes a head that is cut off.
func (b *namedBody) cutHead(how string) {
	h := &b.head
	f := diag.New(diag.CutCall, diag.Bytes(b.frame.at, b.head.at+len(h.text)), "%s inside a call", how)
	if h.name == "" {
		b.scanner.find(f)
		return
	}
	r := newNamedReader(b.call(""), []diag.Finding{f})
	r.call.Status = chat.StatusTruncated
	b.scanner.passCall(r)
}

// render writes a call.
func (n *naming) render(d *Dialect, b []byte, c chat.Call, _ Toolset) ([]byte, bool) {
	b = append(b, d.framing.writes[0]...)
	if n.counted {
		b = append(b, renderedCount(n.space, c)...)
	} else {
		b = append(b, c.Name...)
	}
	b = append(append(b, n.between...), namedArguments(c)...)
	return append(b, d.framing.writes[1]...), namable(c.Name)
}

// renderedCount returns the id of a call, which holds its name, or makes one.
func renderedCount(space string, c chat.Call) string {
	if rest, id := cutCount(c.ID); id != "" && strings.TrimPrefix(rest, space) == c.Name {
		return id
	}
	return space + c.Name + ":0"
}
