package dialect

import (
	"encoding/json"
	"slices"
	"sort"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// A naming says what stands around the name of a tool and the JSON behind it.
type naming struct {
	// Before the arguments.
	behind  []string // marks behind the name; where there is none, "{" follows it
	bare    bool     // "{" may follow the name although there are marks
	none    bool     // where a mark follows the one behind the name, there are no arguments
	id      string   // a mark behind the name, with an id behind that
	before  string   // a mark before the name, with an id before that
	word    string   // stands instead of the name, and the name behind the mark
	counted bool     // the name ends in ":" and a number, and all of it is the id
	space   string   // a namespace that belongs to the syntax
	plain   string   // no tool: what follows is content
	prose   bool     // prose can follow the mark: only an object, or the name of a tool, makes a call

	// Arguments that are text, up to the next mark: a token, or a word that begins a line.
	raw    string // the tool that has such an argument
	free   bool   // any tool can have one
	quoted bool   // it can be a string of JSON
	part   string // a word that ends it only before the name of a tool on its line

	// Behind the arguments.
	closes  []string // marks that close the call
	loose   bool     // they may be missing
	stops   []string // other marks, which end whatever is read
	between string   // what a renderer writes between the name and the arguments
}

// namedJSON is the grammar of one call that is a name and JSON behind it.
func namedJSON(n naming) grammar {
	heads, ends := newMarkList(n.marks), newMarkList(n.ends)
	return grammar{
		body: func(s *Scanner, f *frame) body {
			b := &s.named // once, because each call has a frame of its own
			h := head{upTo: b.head.upTo.again(heads()), at: f.begin, text: b.head.text[:0]}
			*b = namedBody{naming: &n, scanner: s, frame: f, at: f.begin, texts: ends, head: h, tail: b.tail[:0]}
			return b
		},
		render: n.render,
	}
}

// ends returns the marks that end whatever is read.
func (n *naming) ends() []string { return unique(n.closes, n.stops) }

// marks returns what ends a piece of the head.
func (n *naming) marks() []string {
	all := unique(n.behind, n.ends(), []string{"{"})
	for _, m := range []string{n.id, n.before} {
		if m != "" {
			all = append(all, m)
		}
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
	frame    *frame
	stage    namedStage
	at       int // offset of the next byte
	head     head
	opened   int // how much has been read of the code fence around the arguments
	fenceAt  int // where that begins
	args     argReader
	second   int // where another value behind them begins
	texts    func() *markList
	doubts   []diag.Finding // about what stands before the arguments
	text     upTo           // reads arguments that are text
	written  []byte         // those
	doubtful bool           // they may end earlier
	mayEndAt int            // where in them
	tail     []byte         // what can be a mark behind the arguments
	touches  bool           // the next byte follows arguments that no mark closes
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

// fenced reports whether a code fence is open around the arguments.
func (b *namedBody) fenced() bool { return b.opened >= len("```") }

// begin begins to read the arguments at an offset.
func (b *namedBody) begin(at int) {
	b.stage = inArguments
	b.args.begin(b.scanner, at, b.fenced(), b.texts())
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
	if end := b.mayEnd(rest); end == notYet {
		return end
	}
	b.touches = true
	return notYet
}

// endSecond reports a second value behind the arguments.
func (b *namedBody) endSecond() {
	place := diag.Bytes(b.second, b.second+len(b.args.text()))
	b.scanner.find(diag.New(diag.Concatenated, place, "a second value follows the arguments of %s and is ignored", excerpt(b.head.name)))
}

// mayEnd says whether the frame ends here, where a text follows that has been
// read already.
func (b *namedBody) mayEnd(rest string) ending {
	if rest == "" && len(b.closes) == 0 && !b.fenced() && b.args.isObject() {
		return ended
	}
	return notYet
}

// pass passes on the call.
func (b *namedBody) pass() {
	a, text := &b.args, b.args.text()
	c, findings := b.call(text), b.doubts
	switch {
	case len(b.behind) > 0 && !b.bare && !b.head.marked:
		findings = append(findings, diag.New(diag.CallMember, c.place, "no mark separates the name from its arguments"))
	case b.counted && c.id == "" && strings.HasSuffix(strings.TrimRight(c.name, "0123456789"), "."):
		findings = append(findings, diag.New(diag.CallMember, c.place, "\":\" is missing before the number after the name"))
	}
	if text == "" && b.none && b.head.marked && a.lit.Stop() != "" {
		a.value, a.status, a.place = json.RawMessage("{}"), chat.StatusOK, diag.Bytes(a.from, a.from)
		findings = append(findings, noArguments(c.place))
	} else if text == "" && a.status == chat.StatusInvalid {
		findings = append(findings, diag.New(diag.CallMember, c.place, "no arguments follow the name"))
	} else {
		findings = append(findings, a.findings...)
	}
	r := newNamedReader(c, b.scanner.tools, findings)
	r.call.Status, r.call.ValueChanged = a.status, a.changed
	if a.value != nil {
		r.takeValue(a.value, a.place)
	}
	b.scanner.passCall(r)
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
	case v == no && isSpace(b.tail[0]) && !b.touches:
		b.scanner.readAgain(b.tail[1:])
		b.tail = b.tail[:0]
		return 1, notYet
	case v == no && len(b.tail) == 1:
		return b.noMark(c)
	}
	return b.leave()
}

// noMark reads a byte behind the arguments that begins no mark.
func (b *namedBody) noMark(c byte) (int, ending) {
	opens, closes := c == '{' || c == '[', c == '}' || c == ']'
	touches := b.touches
	b.touches = false
	switch {
	case touches && !opens && !closes:
		b.scanner.readAgain(b.tail)
		return 1, ended
	case touches && opens:
		b.beginSecond()
		return 0, notYet
	case opens && (len(b.closes) > 0 && !b.loose || !b.args.isObject()):
		b.beginSecond()
		return 0, notYet
	case b.goesOn(c):
		b.beginSecond()
		b.args.passRest()
		return 0, notYet
	case closes:
		b.scanner.findStray(c, b.at, diag.Unsafe)
		b.tail = b.tail[:0]
		return 1, notYet
	case opens:
		f := diag.New(diag.Concatenated, diag.Bytes(b.at, b.at+1), "a second value follows the arguments of %s: it is text", excerpt(b.head.name))
		f.Severity = diag.Warning
		b.scanner.find(f)
	}
	return b.leave()
}

// leave ends the call before something else.
func (b *namedBody) leave() (int, ending) {
	b.scanner.readAgain(b.tail)
	b.unclosed("what comes next")
	return 1, left
}

// goesOn reports whether an object that has lost a bracket seems to go on with a byte
// behind the arguments: what stands in its strings is quoted.
func (b *namedBody) goesOn(c byte) bool {
	return c == ':' || c == ',' || !b.args.isObject() && (c == '"' || c == '\'')
}

// beginSecond begins to read what stands behind the arguments.
func (b *namedBody) beginSecond() {
	b.stage, b.second, b.tail = inSecond, b.at, b.tail[:0]
	b.args.begin(b.scanner, b.at, b.fenced(), b.texts())
}

// closing returns the mark that the tail is, or says whether it can become one.
func (b *namedBody) closing() (mark string, v verdict) {
	if mark, v = grows(b.tail, b.texts().texts); v != no || !b.fenced() && len(b.closes) == 0 {
		return mark, v
	}
	return grows(b.tail, fenceEnds)
}

// fenceEnds are what closes a code fence around arguments.
var fenceEnds = []string{"```"}

// grows returns the mark that a text is, or says whether it can become one of some marks,
// which are sorted.
func grows(text []byte, marks []string) (mark string, v verdict) {
	i := sort.Search(len(marks), func(i int) bool { return marks[i] >= string(text) })
	switch n := len(text); {
	case i == len(marks) || len(marks[i]) < n || marks[i][:n] != string(text):
		return "", no
	case len(marks[i]) == n:
		return marks[i], yes
	}
	return "", more
}

// closeFence follows a closing code fence.
func (b *namedBody) closeFence() {
	switch fence := strings.TrimSpace(b.between); {
	case b.fenced():
	case strings.HasPrefix(fence, "```"):
		f := diag.New(diag.MissingOpener, diag.Bytes(b.args.from, b.args.from), "%q is missing before the arguments", fence)
		f.Fixes = fix(diag.Safe, "add it", diag.Edit{Start: b.args.from, End: b.args.from, New: b.between})
		b.scanner.about(b.scanner.calls-1, f)
	default:
		b.scanner.stray(b.at-2, "```")
	}
	b.opened, b.tail = 0, b.tail[:0]
}

// unclosed reports that what should close the call is missing.
func (b *namedBody) unclosed(before string) {
	switch {
	case b.fenced():
		b.scanner.find(diag.New(diag.UnclosedFence, diag.Bytes(b.fenceAt, b.fenceAt+len("```")), "the fence around the arguments is not closed before %s", before))
	case len(b.closes) > 0 && !b.loose:
		b.scanner.markOpen(before)
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

// render writes a call.
func (n *naming) render(d *Dialect, b []byte, c chat.Call, _ Toolset) ([]byte, bool) {
	b = append(b, d.framing.writes[0]...)
	switch {
	case n.counted:
		b = append(b, renderedCount(n.space, c)...)
	case n.before != "":
		b = append(append(append(b, c.ID...), n.before...), c.Name...)
	default:
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
