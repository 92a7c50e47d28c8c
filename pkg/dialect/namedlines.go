package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
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
var lineGrammar = grammar{body: newLineBody, render: renderLines}

// lineMarks are the spellings of the first word outside of fences, behind text.
func lineMarks() []mark {
	var all []mark
	for _, text := range []string{"TOOL_NAME:", "tool_name:", "Tool_Name:", "Tool_name:"} {
		all = append(all, mark{text: text, role: takes, line: true, lead: nameThen(lineThen(anything))})
	}
	return all
}

// thenToolName is the lead of the first word, in any case.
func thenToolName(text []byte) verdict {
	text = trimLeft(text)
	n := min(len(text), len(toolNameWord))
	switch {
	case !strings.EqualFold(string(text[:n]), toolNameWord[:n]):
		return no
	case n < len(toolNameWord):
		return more
	}
	return yes
}

// A lineBody reads calls.
type lineBody struct {
	scanner *Scanner
	frame   frame
	at      int    // offset of the next byte
	line    []byte // the line that is being read
	doubt   bool   // a value was open where a call began, so all from there on can be text of it
	text    []byte // the call that is being read
	call    lineCall
}

// A lineCall is a call as far as it has been read.
type lineCall struct {
	name     string
	nameAt   diag.Span
	start    int
	keys     []string
	values   []string
	value    []byte // of the argument that is open
	open     bool
	runs     bool // its last line is a run that can close the fence
	findings []diag.Finding
	status   chat.Status // "" if nothing is wrong
	behind   int         // bytes of the text up to which it is whole
}

func newLineBody(s *Scanner, f frame) body {
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
		case b.closesFence():
			b.pass(len(b.text))
			b.scanner.closedAt(b.at-b.frame.length, true)
			return n + 1, closed
		case c == '\n':
			end = b.takeLine()
		case !b.call.open && !b.mayBegin():
			end = b.leave()
		}
		if end != notYet {
			return n + 1, end
		}
	}
	return len(p), notYet
}

// closesFence reports whether the line so far is the run that closes the fence.
func (b *lineBody) closesFence() bool {
	return b.frame.fence.open() && !b.call.open && b.isRun()
}

// isRun reports whether the line so far is a run like the one that opens the fence.
func (b *lineBody) isRun() bool {
	if !b.frame.fence.open() || len(b.line) > b.frame.length+mostBlanks {
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
func (b *lineBody) takeLine() ending {
	c := &b.call
	line, at := b.line, b.at-len(b.line)
	word, rest, restAt := cutWord(line)
	isRun := b.isRun()
	b.line = nil
	switch {
	case word == toolNameWord && !(c.open && c.runs):
		b.doubt = b.doubt || c.open
		b.endValue(at, "the next call")
		b.pass(len(b.text))
		b.begin(rest, at, at+restAt)
	case c.name == "":
		b.junk(line, at)
		return notYet
	case word == beginArgWord:
		b.endValue(at, "the next argument")
		c.keys, c.open = append(c.keys, rest), true
	case word == endArgWord && c.open:
		b.endValue(at, "")
	case c.open:
		c.value = append(c.value, line...)
		c.runs = isRun || c.runs && len(bytes.TrimSpace(line)) == 0
	case len(bytes.TrimSpace(line)) > 0:
		c.fault(diag.NotACall, diag.Bytes(at, b.at), "this line belongs to no argument")
	}
	b.text = append(b.text, line...)
	if !c.open {
		c.behind = len(b.text)
	}
	return notYet
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
		b.scanner.find(diag.New(diag.NotACall, diag.Bytes(at, b.at), "no name stands behind %s", toolNameWord))
	case b.doubt:
		b.call.status = chat.StatusAmbiguous
		b.call.fault(diag.MarkerInValue, b.call.nameAt, "this call may be text of a value before it, whose END_ARG is missing")
	}
}

// junk reports a line before the first call.
func (b *lineBody) junk(line []byte, at int) {
	if len(bytes.TrimSpace(line)) > 0 {
		b.scanner.find(diag.New(diag.NotACall, diag.Bytes(at, b.at), "this is no call, and nothing is done with it"))
	}
}

func (c *lineCall) fault(code diag.Code, place diag.Span, format string, args ...any) {
	f := diag.New(code, place, format, args...)
	f.Severity = diag.Error
	c.findings = append(c.findings, f)
}

// endValue ends the value that is open, if one is: at its end mark, or before
// something else, at an offset.
func (b *lineBody) endValue(at int, before string) {
	c := &b.call
	if !c.open {
		return
	}
	if before != "" {
		c.findings = append(c.findings, diag.New(diag.MissingCloser, diag.Bytes(at, at), "END_ARG is missing before %s", before))
	}
	value := strings.TrimSuffix(strings.TrimSuffix(string(c.value), "\n"), "\r")
	c.values, c.value, c.open = append(c.values, value), nil, false
}

// pass passes on the call that has been read, with some bytes of its text.
func (b *lineBody) pass(size int) {
	c := &b.call
	if c.name == "" {
		return
	}
	text := string(b.text[:size])
	r := newNamedReader(namedCall{name: c.name, place: c.nameAt, clean: c.name, start: c.start, text: text}, c.findings)
	r.call.Status = cmp.Or(c.status, r.call.Status)
	r.call.Arguments = b.arguments(r)
	if c.status == chat.StatusAmbiguous {
		r.call.Alternatives = []chat.Call{r.call}
	}
	b.scanner.passNamed(r)
	b.call, b.text = lineCall{}, nil
}

// arguments returns the arguments as an object.
func (b *lineBody) arguments(r *reader) json.RawMessage {
	c := &b.call
	shape := b.scanner.tools[r.call.Name]
	out := []byte{'{'}
	seen := map[string]bool{}
	for i, value := range c.values {
		key := c.keys[i]
		switch {
		case seen[key]:
			r.fault(diag.DuplicateKey, diag.Bytes(r.call.Start, r.call.End), "the argument %q comes twice", excerpt(key))
		case !utf8.ValidString(key + value):
			r.fault(diag.InvalidUTF8, diag.Bytes(r.call.Start, r.call.End), "the argument %q is not UTF-8", excerpt(key))
		}
		seen[key] = true
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, quote(key)...), ':')
		out = append(out, typed(value, shape.Property(key))...)
	}
	if diag.HasErrors(r.findings) {
		return nil
	}
	return append(out, '}')
}

// typed returns a value that is written as text: JSON where the definition says
// that it is no string, and all of it is JSON.
func typed(text string, shape *Shape) json.RawMessage {
	if shape == nil || shape.Kinds == 0 || shape.Kinds&markup.String != 0 || !json.Valid([]byte(text)) || tooDeep(json.RawMessage(text)) {
		return json.RawMessage(quote(text))
	}
	return json.RawMessage(strings.TrimSpace(text))
}

func (b *lineBody) close() {
	c := &b.call
	whole := len(b.line) == 0
	if word, _, _ := cutWord(b.line); word == toolNameWord && !c.open {
		b.pass(len(b.text))
		b.scanner.find(diag.New(diag.CutCall, diag.Bytes(b.at-len(b.line), b.at), "the text ends inside a call"))
		return
	}
	if !whole {
		b.takeLine()
	}
	switch {
	case c.open && (c.runs || b.isRun()):
		b.ambiguous()
		return
	case c.open, b.frame.fence.open(), !whole && len(c.values) == 0 && c.name != "":
		b.endValue(b.at, "")
		c.status = chat.StatusTruncated
		c.fault(diag.CutCall, diag.Bytes(c.start, b.at), "the text ends inside the call")
	}
	b.pass(len(b.text))
}

// ambiguous passes on a call whose last value ends with a run that may close the
// fence: the end mark of the value is missing then, and otherwise all that comes
// behind the run.
func (b *lineBody) ambiguous() {
	b.endValue(b.at, "the end of the fence")
	c := &b.call
	last := &c.values[len(c.values)-1]
	*last = strings.TrimRight(strings.TrimRight(*last, " \t\r\n"), string(b.frame.char))
	*last = strings.TrimRight(*last, " \t\r\n")
	c.status = chat.StatusAmbiguous
	b.pass(len(b.text))
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
