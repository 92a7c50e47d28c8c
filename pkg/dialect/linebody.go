package dialect

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
	"oneshot/pkg/markup"
)

// The words of the line protocol of Continue, in small letters.
const (
	toolNameWord = "tool_name:"
	beginArgWord = "begin_arg:"
	endArgWord   = "end_arg"
)

// lineGrammar is the grammar of calls that are lines: a line with the name, and
// for each argument one with its name, those of its value, and one that ends it.
var lineGrammar = grammar{body: newLineBody, render: renderLines, places: linePlaces, lines: true}

// thenToolName is the lead of the first word.
var thenToolName = anyCase(toolNameWord)

// lineMarks are the spellings of the first word outside of fences, behind text.
func lineMarks() []mark {
	var all []mark
	for _, text := range []string{"TOOL_NAME:", "tool_name:", "Tool_Name:", "Tool_name:"} {
		all = append(all, mark{text: text, role: takes, line: true, lead: nameThen(lineThen(anything))})
	}
	return all
}

// A lineBody reads calls.
type lineBody struct {
	scanner *Scanner
	frame   *frame
	at      int    // offset of the next byte
	line    []byte // the line that is being read
	doubt   bool   // a value was open where a call began, so all from there on can be text of it
	text    []byte // the call that is being read
	call    lineCall
}

// A lineCall is a call as far as it has been read.
type lineCall struct {
	name      string
	nameAt    diag.Span
	start     int
	args      []lineArg
	open      bool // the last of them has not ended
	ambiguous bool // a value may go on behind what has been taken for its end
	findings  []diag.Finding
	behind    int // bytes of the text up to which it is whole
}

// A lineArg is an argument.
type lineArg struct {
	key     string
	begin   string // its first line
	value   []byte
	unended bool // its end mark is missing
}

// text returns the value of an argument, without its last line end.
func (a *lineArg) text() string {
	return strings.TrimSuffix(strings.TrimSuffix(string(a.value), "\n"), "\r")
}

func newLineBody(s *Scanner, f *frame) body {
	if f.fence.open() && !f.sure {
		s.known("before the calls")
	}
	return &lineBody{scanner: s, frame: f, at: f.begin}
}

func (b *lineBody) write(p []byte) (int, ending) {
	for n, c := range p {
		b.line = append(b.line, c)
		b.at++
		b.scanner.steps++
		end := notYet
		switch {
		case b.draftEnds():
			end = left
		case b.closesFence():
			b.pass(len(b.text))
			b.scanner.closedAt(b.at-b.frame.length, true)
			end = closed
		case c == '\n':
			b.takeLine()
		case !b.call.open && !b.mayBegin():
			end = b.leave()
		}
		if end != notYet {
			return n + 1, end
		}
	}
	return len(p), notYet
}

// draftEnds ends the call if the reasoning does in which it stands. In a value the
// mark is text, unless it is known that this is reasoning.
func (b *lineBody) draftEnds() bool {
	if b.call.open && !b.scanner.thinking.inside {
		return false
	}
	before, mark, ends := b.scanner.cutDraft(b.line, len(b.line)-1)
	if ends {
		b.line, b.at = before, b.at-len(mark)
		b.cut("the reasoning ends")
		b.scanner.readAgain(mark)
	}
	return ends
}

// closesFence reports whether the line so far is a run like the one that opens the
// fence. In a value it is text.
func (b *lineBody) closesFence() bool {
	if !b.frame.fence.open() || b.call.open || len(b.line) > b.frame.length+mostBlanks {
		return false
	}
	run := bytes.TrimSpace(b.line)
	return len(run) == b.frame.length && len(bytes.Trim(run, string(b.frame.char))) == 0
}

// mayBegin reports whether the line so far can be one of a call. Outside of a
// fence other lines end it.
func (b *lineBody) mayBegin() bool {
	if b.frame.fence.open() || len(b.line) > mostBlanks+len(toolNameWord) {
		return true
	}
	line := strings.ToLower(string(bytes.TrimLeft(b.line, " \t\r\n")))
	for _, word := range []string{toolNameWord, beginArgWord} {
		if strings.HasPrefix(line, word) || strings.HasPrefix(word, line) && len(b.line) < mostBlanks+len(word) {
			return true
		}
	}
	return false
}

// leave ends a call behind which other text stands.
func (b *lineBody) leave() ending {
	b.pass(b.call.behind)
	b.scanner.readAgain(b.line)
	return left
}

// takeLine takes a whole line.
func (b *lineBody) takeLine() {
	c := &b.call
	line, at := b.line, b.at-len(b.line)
	word, rest, restAt := cutWord(line)
	b.line = nil
	switch {
	case word == toolNameWord:
		b.doubt = b.doubt || c.open
		b.unended(at, "the next call")
		b.pass(len(b.text))
		b.begin(rest, at, at+restAt)
	case c.name == "":
		b.junk(line, at)
		return
	case word == beginArgWord:
		b.unended(at, "the next argument")
		c.args, c.open = append(c.args, lineArg{key: rest, begin: string(line)}), true
	case word == endArgWord && c.open:
		c.open = false
	case c.open:
		last := &c.args[len(c.args)-1]
		last.value = append(last.value, line...)
	case len(bytes.TrimSpace(line)) > 0:
		c.find(diag.NotACall, diag.Bytes(at, b.at), "this line belongs to no argument")
	}
	b.text = append(b.text, line...)
	if !c.open {
		c.behind = len(b.text)
	}
}

// cutWord cuts the word at the start of a line from what follows it.
func cutWord(line []byte) (word, rest string, at int) {
	text := bytes.TrimLeft(line, " \t")
	indent := len(line) - len(text)
	for _, word := range []string{toolNameWord, beginArgWord} {
		if len(text) >= len(word) && strings.EqualFold(string(text[:len(word)]), word) {
			rest := strings.TrimSpace(string(text[len(word):]))
			return word, rest, indent + len(word) + max(0, strings.Index(string(text[len(word):]), rest))
		}
	}
	if strings.EqualFold(string(bytes.TrimSpace(text)), endArgWord) {
		return endArgWord, "", 0
	}
	return "", "", 0
}

// begin begins a call.
func (b *lineBody) begin(name string, at, nameAt int) {
	b.text = nil
	b.call = lineCall{name: name, nameAt: diag.Bytes(nameAt, nameAt+len(name)), start: at}
	switch {
	case name == "":
		b.scanner.find(diag.New(diag.NotACall, diag.Bytes(at, b.at), "no name follows %s", toolNameWord))
	case b.doubt:
		b.call.ambiguous = true
		b.call.find(diag.MarkerInValue, b.call.nameAt, "this call may be text of a value before it, whose END_ARG is missing")
	}
}

// junk reports a line before the first call.
func (b *lineBody) junk(line []byte, at int) {
	if len(bytes.TrimSpace(line)) > 0 {
		b.scanner.find(diag.New(diag.NotACall, diag.Bytes(at, b.at), "this line is not part of a call and is ignored"))
	}
}

func (c *lineCall) find(code diag.Code, place diag.Span, format string, args ...any) {
	c.findings = append(c.findings, diag.New(code, place, format, args...))
}

// unended ends the value that is open, if one is, before something that can be text
// of it, at an offset.
func (b *lineBody) unended(at int, before string) {
	c := &b.call
	if !c.open {
		return
	}
	c.find(diag.MissingCloser, diag.Bytes(at, at), "END_ARG is missing before %s", before)
	c.args[len(c.args)-1].unended = true
	c.open, c.ambiguous = false, true
}

// pass passes on the call that has been read, with some bytes of its text.
func (b *lineBody) pass(size int) {
	if b.call.name == "" {
		return
	}
	r := b.reader(size)
	if b.call.ambiguous {
		r.ambiguous(b.longer(*r)...)
	}
	b.scanner.passCall(r)
	b.call, b.text = lineCall{}, nil
}

// reader returns a reader that has read the call.
func (b *lineBody) reader(size int) *reader {
	c := &b.call
	r := newNamedReader(namedCall{name: c.name, place: c.nameAt, clean: c.name, start: c.start, text: string(b.text[:size])}, b.scanner.tools, c.findings)
	r.call.Arguments = b.arguments(r, c.args)
	return r
}

// longer returns the other reading of a call in which values are not ended: they go
// on up to the next end mark.
func (b *lineBody) longer(r reader) []chat.Call {
	var args []lineArg
	for _, a := range b.call.args {
		last := len(args) - 1
		if last < 0 || !args[last].unended {
			args = append(args, a)
			continue
		}
		args[last].value = slices.Concat(args[last].value, []byte(a.begin), a.value)
		args[last].unended = a.unended
	}
	if len(args) == len(b.call.args) {
		return nil
	}
	r.call.Arguments = b.arguments(&r, args)
	return []chat.Call{r.call}
}

// arguments returns the arguments as an object.
func (b *lineBody) arguments(r *reader, args []lineArg) json.RawMessage {
	shape, place := b.scanner.tools[r.call.Name], diag.Bytes(r.call.Start, r.call.End)
	out := []byte{'{'}
	seen := map[string]bool{}
	for i, a := range args {
		value := a.text()
		switch {
		case a.key == "":
			r.fault(diag.CallMember, place, "an argument has no name")
		case seen[a.key]:
			r.fault(diag.DuplicateKey, place, "the argument %q comes twice", excerpt(a.key))
		case !utf8.ValidString(a.key + value):
			r.fault(diag.InvalidUTF8, place, "the argument %q is not UTF-8", excerpt(a.key))
		}
		seen[a.key] = true
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, quote(a.key)...), ':')
		out = append(out, typed(value, shape.Property(a.key))...)
	}
	if diag.HasErrors(r.findings) {
		return nil
	}
	return append(out, '}')
}

// typed returns a value that is written as text: JSON where the definition says
// that it is no string, and all of it is JSON, with no key twice.
func typed(text string, shape *Shape) json.RawMessage {
	isText := shape == nil || shape.Kinds == 0 || shape.Kinds&markup.String != 0
	if isText || !json.Valid([]byte(text)) || diag.HasErrors(literal.ParseJSON(text).Findings) {
		return json.RawMessage(quote(text))
	}
	return json.RawMessage(strings.TrimSpace(text))
}

func (b *lineBody) close() { b.cut("the text ends") }

// cut takes a call that is cut off: an argument may be missing, also where all
// that were begun have ended.
func (b *lineBody) cut(how string) {
	c := &b.call
	f := diag.New(diag.CutCall, diag.Bytes(b.at-len(b.line), b.at), "%s inside a call", how)
	if word, _, _ := cutWord(b.line); word == toolNameWord && !c.open { // the name may be cut, too
		b.line = nil
		b.cut(how)
		b.scanner.find(f)
		return
	}
	if len(b.line) > 0 {
		b.takeLine()
	}
	if c.name == "" {
		return
	}
	f.Span.Start = c.start
	c.findings = append(c.findings, f)
	r := b.reader(len(b.text))
	r.call.Status = chat.StatusTruncated
	b.scanner.passCall(r)
}

// renderLines writes a call in lines.
func renderLines(_ *Dialect, b []byte, c chat.Call, tools Toolset) ([]byte, bool) {
	b = append(b, "```tool\nTOOL_NAME: "+c.Name+"\n"...)
	ok := namable(c.Name)
	dec := json.NewDecoder(bytes.NewReader(namedArguments(c)))
	_, err := dec.Token()
	for err == nil && dec.More() {
		var value json.RawMessage
		key, _ := dec.Token()
		name, _ := key.(string)
		if err = dec.Decode(&value); err != nil {
			break
		}
		text := string(value)
		_ = json.Unmarshal(value, &text) // or it is no string
		back := typed(text, tools[c.Name].Property(name))
		ok = ok && sayable(name) && linesSay(text) && sameValue(back, value)
		b = append(b, "BEGIN_ARG: "+name+"\n"+text+"\nEND_ARG\n"...)
	}
	return append(b, "```"...), ok && err == nil
}

// sayable reports whether the name of an argument can stand on a line.
func sayable(name string) bool {
	return name != "" && name == strings.TrimSpace(name) && !strings.ContainsAny(name, "\r\n") && utf8.ValidString(name)
}

// linesSay reports whether a value is read as it is: no line of it means something.
func linesSay(text string) bool {
	if strings.HasSuffix(text, "\r") {
		return false
	}
	for line := range strings.Lines(text) {
		if word, _, _ := cutWord([]byte(line)); word != "" {
			return false
		}
	}
	return true
}

// sameValue reports whether two texts are the same JSON, but for escapes of a
// string.
func sameValue(a, b json.RawMessage) bool {
	var x, y string
	if json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil {
		return x == y
	}
	return bytes.Equal(a, b)
}
