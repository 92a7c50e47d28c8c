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
	scanner *Scanner
	frame   frame
	stage   namedStage
	at      int // offset of the next byte
	head    head
	opened  int // how much has been read of the code fence around the arguments
	args    argReader
	second  int // where another value behind them begins
	texts   func() *markList
	doubts  []diag.Finding // about what stands before the arguments
	text    upTo           // reads arguments that are text
	written []byte         // those
	tail    []byte         // what can be a mark behind the arguments
}

// A namedStage is what a namedBody reads.
type namedStage int

const (
	inHead          namedStage = iota // up to a mark of the head
	behindName                        // behind it, up to the arguments
	inArguments                       // JSON
	inText                            // or text
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
	}
	return b.behindArguments(p[0])
}

// readHead reads up to the next mark of the head.
func (b *namedBody) readHead(p []byte) (int, ending) {
	h := &b.head
	n, free, mark := h.next(p[:min(len(p), longestHead+1-h.length())], b.at)
	h.text = append(h.text, free...)
	b.scanner.steps += n
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
	case !ok, mark != "{" && mark != b.id && !slices.Contains(b.behind, mark):
		return false
	case mark == "\n" && name == "":
		return true
	case h.name != "":
		h.id = name
	case name == "" && h.word && mark == "{":
		h.name, h.from = b.word, strings.Index(string(h.text), b.word)
	case name == "", mark == "{" && !h.marked && strings.ContainsAny(name, " \t"):
		return false
	case name == b.word && !h.word && mark != "{":
		h.word, h.marked = true, true
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
	b.args.begin(at, b.fenced(), b.texts().texts)
}

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

// cutCount cuts the number from a name that ends in ":" and one; all of it is the
// id then.
func cutCount(name string) (rest, id string) {
	i := strings.LastIndexByte(name, ':')
	if i < 0 || i == len(name)-1 || strings.Trim(name[i+1:], "0123456789") != "" {
		return name, ""
	}
	return name[:i], name
}

// readText reads on in arguments that are text.
func (b *namedBody) readText(p []byte) (int, ending) {
	n, free, mark := b.text.next(p, b.at)
	b.scanner.steps += n
	b.written = append(b.written, free...)
	last := len(b.written) - 1
	switch {
	case mark == "":
		return n, notYet
	case mark[0] != '<' && last >= 0 && !isNewline(b.written[last]):
		b.written = append(b.written, mark...)
		return n, notYet
	}
	b.passText()
	b.scanner.readAgain([]byte(mark))
	return n, left
}

// passText passes on a call whose argument is text.
func (b *namedBody) passText() {
	text := string(b.written)
	said := strings.TrimRight(text, "\r\n")
	if b.quoted {
		said = strings.TrimSpace(said)
		_ = json.Unmarshal([]byte(said), &said) // or it is no string
	}
	b.scanner.namedText(b.call(text), said, b.doubts...)
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
		b.args.begin(b.at, b.fenced(), b.texts().texts)
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
		b.closeHead()
	case behindName, inArguments:
		if b.stage == behindName {
			b.begin(b.at)
		}
		b.args.close()
		b.pass()
	case inSecond:
		b.args.close()
		b.endSecond()
	case inText:
		b.written = append(b.written, b.text.held()...)
		if len(b.closes) > 0 { // text has no end but its mark
			b.doubts = append(b.doubts, diag.New(diag.CutCall, b.namePlace(), "the text ends inside the argument of the call"))
		}
		b.passText()
	default:
		b.unclosed("the end of the text")
	}
}

// closeHead takes a head that the end of the text cuts off.
func (b *namedBody) closeHead() {
	h := &b.head
	f := diag.New(diag.CutCall, diag.Bytes(b.frame.at, b.at), "the text ends inside a call")
	if h.name == "" {
		b.scanner.find(f)
		return
	}
	r := newNamedReader(b.call(string(h.held())), []diag.Finding{f})
	r.call.Status = chat.StatusTruncated
	b.scanner.passNamed(r)
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

// namable reports whether a name can stand in a text without quotes.
func namable(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r < 0x80 && !isNameByte(byte(r)) })
}
