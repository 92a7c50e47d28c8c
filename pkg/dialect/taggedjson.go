package dialect

import (
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// taggedJSON is the grammar of JSON behind a mark: calls, or lists of calls, with
// anything between them that parts values.
func taggedJSON(f form) grammar { return grammar{form: &f, body: newJSONBody, render: renderTagged} }

// A jsonBody reads the JSON behind a mark.
type jsonBody struct {
	scanner *Scanner
	frame   frame
	form    *form
	lit     *literal.Scanner
	stage   jsonStage
	at      int // offset of the next byte
	open    int // brackets of lists that are open
	listed  bool
	calls   int
	held    []byte // what can be the closing mark
	junk    diag.Span
	call    written
	name    string // of a call that is a key
	key     diag.Span
}

// A jsonStage is what a jsonBody reads.
type jsonStage int

const (
	inPause jsonStage = iota // between values
	inValue                  // a call
	inJunk                   // what is no call
	inMark                   // what can be the closing mark
	inBrace                  // keyed: the opening brace of a call
	inName                   // keyed: its key
	inArgs                   // keyed: its value
	inEnd                    // keyed: a comma, or the closing brace
)

func newJSONBody(s *Scanner, f frame) body {
	return &jsonBody{
		scanner: s, frame: f, form: f.grammar.form, at: f.begin,
		lit: literal.NewJSON(literal.Options{Base: f.begin}),
	}
}

func (b *jsonBody) write(p []byte) (int, ending) {
	for n := 0; n < len(p); {
		k, end := b.step(p[n:])
		n += k
		b.at += k
		if end != notYet {
			return n, end
		}
	}
	return len(p), notYet
}

func (b *jsonBody) step(p []byte) (int, ending) {
	switch b.stage {
	case inPause:
		return b.pause(p[0])
	case inMark:
		return b.mark(p[0])
	}
	n, state := b.lit.Write(p)
	b.scanner.steps += n
	if state != literal.More {
		b.take(state)
	}
	return n, notYet
}

// pause reads a byte between values.
func (b *jsonBody) pause(c byte) (int, ending) {
	switch {
	case isSpace(c), c == ',', c == ';':
	case c == '[' && !b.listed:
		b.open++
	case c == ']' && b.open > 0:
		return b.closeList()
	case c == '{':
		b.beginCall()
		return 0, notYet
	case c == '}' || c == ']':
		b.scanner.find(diag.New(diag.Bracket, diag.Bytes(b.at, b.at+1), "%q closes nothing", c))
	case b.mayClose(c):
		b.stage = inMark
		return 0, notYet
	case len(b.frame.row.framing.closes) == 0 && b.open == 0 || c == '<':
		return 0, b.leave()
	default:
		b.beginJunk()
		return 0, notYet
	}
	return 1, notYet
}

// closeList follows the closing bracket of a list. Without a closing mark the
// outermost ends the frame.
func (b *jsonBody) closeList() (int, ending) {
	b.open--
	b.listed = b.open == 0
	if b.listed && len(b.frame.row.framing.closes) == 0 {
		return 1, ended
	}
	return 1, notYet
}

// mayClose reports whether a closing mark begins with a byte.
func (b *jsonBody) mayClose(c byte) bool {
	for _, text := range b.frame.row.framing.closes {
		if text[0] == c {
			return true
		}
	}
	return false
}

// mark reads a byte of what can be the closing mark.
func (b *jsonBody) mark(c byte) (int, ending) {
	b.held = append(b.held, c)
	for _, text := range b.frame.row.framing.closes {
		switch {
		case !strings.HasPrefix(text, string(b.held)):
		case len(text) > len(b.held):
			return 1, notYet
		default:
			b.held = nil
			b.missingBracket()
			return 1, ended
		}
	}
	held := b.held[:len(b.held)-1]
	if len(held) == 0 { // another mark, or junk
		b.held = nil
		if c == '<' {
			return 0, b.leave()
		}
		b.beginJunk()
		return 0, notYet
	}
	b.scanner.readAgain(held)
	return 0, b.leave()
}

// leave ends a frame whose closing mark is missing.
func (b *jsonBody) leave() ending {
	if len(b.frame.row.framing.closes) > 0 {
		b.unclosed("what comes next")
	}
	b.missingBracket()
	return left
}

func (b *jsonBody) unclosed(before string) {
	at, mark := b.frame.at, b.frame.mark
	b.scanner.find(diag.New(diag.MissingCloser, diag.Bytes(at, at+len(mark)), "%s is not closed before %s", mark, before))
}

func (b *jsonBody) missingBracket() {
	if b.open > 0 {
		b.scanner.find(diag.New(diag.MissingCloser, diag.Bytes(b.frame.at, b.frame.at+len(b.frame.mark)), "']' is missing behind the calls"))
	}
}

func (b *jsonBody) beginJunk() {
	b.stage, b.junk = inJunk, diag.Bytes(b.at, b.at)
	b.lit.MoveTo(b.at)
	b.lit.PassOver()
}

func (b *jsonBody) beginCall() {
	b.lit.MoveTo(b.at)
	if b.form.keyed {
		b.stage = inBrace
		b.lit.ExpectMark("{", false)
		return
	}
	b.stage = inValue
	b.lit.ExpectObject(callMembers)
}

// take goes on behind what has been read.
func (b *jsonBody) take(state literal.State) {
	good := state == literal.Done
	switch b.stage {
	case inValue:
		b.emit(b.written())
		b.stage = inPause
	case inJunk:
		b.junk.End = max(b.lit.End(), b.junk.Start+1)
		b.scanner.find(diag.New(diag.NotACall, b.junk, "this is no call, and nothing is done with it"))
		b.stage = inPause
	case inBrace, inName, inArgs, inEnd:
		b.keyed(good)
	}
}

// written returns the call that was read last as it is written.
func (b *jsonBody) written() *written {
	w := &b.call
	*w = written{form: b.form, lit: b.lit, members: b.lit.Members()}
	for i := range w.members {
		w.has[w.members[i].Index] = uint8(i + 1)
	}
	w.others, w.other = b.lit.Others()
	w.begin, w.text = b.lit.Place().Start, b.lit.ObjectText()
	w.findings, w.status, w.changed = b.lit.Findings(), b.lit.Status(), b.lit.Changed()
	return w
}

// emit passes on a call, or what is wrong with it.
func (b *jsonBody) emit(w *written) {
	var r reader
	r.read(w)
	b.calls++
	if r.call.Name == "" {
		for _, f := range r.findings {
			b.scanner.find(f)
		}
		return
	}
	b.scanner.call(r.call, r.findings)
}

// keyed goes on in an object whose keys are tools.
func (b *jsonBody) keyed(good bool) {
	switch {
	case !good:
		b.stage = inPause
		b.beginJunk()
	case b.stage == inBrace:
		b.stage = inName
		b.lit.ExpectKey()
	case b.stage == inName:
		b.name, _, b.key = b.lit.Key()
		b.stage = inArgs
		b.lit.ExpectValue()
	case b.stage == inArgs:
		b.emitKeyed()
		b.stage = inEnd
		b.lit.ExpectMark(",}", false)
	case b.lit.Mark() == ',':
		b.stage = inName
		b.lit.ExpectKey()
	default:
		b.stage = inPause
	}
}

// emitKeyed passes on a call whose tool is a key.
func (b *jsonBody) emitKeyed() {
	place := b.lit.Place()
	r := reader{written: &written{form: b.form}, findings: b.lit.Findings()}
	r.call = chat.Call{
		Name: b.name, Arguments: b.lit.Value(), Status: b.lit.Status(), ValueChanged: b.lit.Changed(),
		Start: b.key.Start, End: place.End,
	}
	if args := r.call.Arguments; len(args) > 0 && args[0] != '{' {
		r.fault(diag.CallMember, place, "the arguments of %s are %s, and should be an object", excerpt(b.name), kindOf(args[0]))
		r.call.Arguments = nil
	}
	r.judge()
	b.calls++
	b.scanner.call(r.call, r.findings)
}

func (b *jsonBody) close() {
	switch b.stage {
	case inPause:
	case inMark:
		b.scanner.content(b.at-len(b.held), string(b.held))
	default:
		b.take(b.lit.Close())
	}
	if len(b.frame.row.framing.closes) > 0 {
		b.unclosed("the end of the text")
	}
	b.missingBracket()
}

// renderTagged writes a call behind its mark.
func renderTagged(d *Dialect, b []byte, c chat.Call, _ Toolset) ([]byte, bool) {
	f := &d.framing
	b = append(b, f.writes[0]...)
	args := `,"` + d.grammar.form.args.String() + `":` + string(namedArguments(c)) + "}"
	switch {
	case d.grammar.form.keyed:
		b = append(b, "{"+quote(c.Name)+":"+string(namedArguments(c))+"}"...)
	default:
		b = append(b, `{"`+d.grammar.form.name.String()+`":`+quote(c.Name)+args...)
	}
	return append(b, f.writes[1]...), true
}
