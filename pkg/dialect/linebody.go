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

// The words of the line protocol of Continue, in lower case.
const (
	toolNameKeyword = "tool_name:"
	beginArgKeyword = "begin_arg:"
	endArgKeyword   = "end_arg"
)

// lineGrammar is the grammar of calls that are lines: a line with the name, and
// for each argument one with its name, those of its value, and one that ends it.
var lineGrammar = grammar{newBody: newLineBody, render: renderLines, argumentSpans: lineArgumentSpans, lineBased: true}

// thenToolName is the lead of the first word.
var thenToolName = anyCase(toolNameKeyword)

// lineMarkers are the spellings of the first word outside of fences, after text.
func lineMarkers() []marker {
	var all []marker
	for _, text := range []string{"TOOL_NAME:", "tool_name:", "Tool_Name:", "Tool_name:"} {
		all = append(all, marker{text: text, role: openKeep, lineStart: true, lookahead: nameThen(lineThen(anything))})
	}
	return all
}

// A lineBody reads calls.
type lineBody struct {
	scanner  *Scanner
	frame    *frame
	at       int    // offset of the next byte
	line     []byte // the line that is being read
	doubtful bool   // a value was open where a call began, so all from there on can be text of it
	text     []byte // the call that is being read
	call     lineCall
}

// A lineCall is a call as far as it has been read.
type lineCall struct {
	name      string
	nameAt    diag.Span
	start     int
	args      []lineArg
	open      bool // the last of them has not ended
	ambiguous bool // a value may continue after what has been taken for its end
	findings  []diag.Finding
	wholeLen  int // bytes of the text up to which it is whole
}

// A lineArg is an argument.
type lineArg struct {
	key          string
	firstLine    string // its first line
	value        []byte
	unterminated bool // its end marker is missing
}

// text returns the value of an argument, without its last line end.
func (a *lineArg) text() string {
	return strings.TrimSuffix(strings.TrimSuffix(string(a.value), "\n"), "\r")
}

func newLineBody(s *Scanner, f *frame) body {
	if f.fence.open() && !f.certain {
		s.confirmFrame("before the calls")
	}
	return &lineBody{scanner: s, frame: f, at: f.bodyAt}
}

func (b *lineBody) write(p []byte) (int, frameEnd) {
	for n, c := range p {
		b.line = append(b.line, c)
		b.at++
		b.scanner.steps++
		end := notYet
		switch {
		case b.endAtReasoning():
			end = left
		case b.closesFence():
			b.emitCall(len(b.text))
			b.scanner.checkCloserLine(b.at-b.frame.length, true)
			end = closed
		case c == '\n':
			b.parseLine()
		case !b.call.open && !b.canBegin():
			end = b.leave()
		}
		if end != notYet {
			return n + 1, end
		}
	}
	return len(p), notYet
}

// endAtReasoning ends the call if the reasoning does in which it is. In a value the
// marker is text, unless it is known that this is reasoning.
func (b *lineBody) endAtReasoning() bool {
	if b.call.open && !b.scanner.reasoning.inside {
		return false
	}
	before, marker, ends := b.scanner.cutAtReasoningEnd(b.line, len(b.line)-1)
	if ends {
		b.line, b.at = before, b.at-len(marker)
		b.emitTruncated("the reasoning ends")
		b.scanner.unread(marker)
	}
	return ends
}

// closesFence reports whether the line so far is a run like the one that opens the
// fence. In a value it is text.
func (b *lineBody) closesFence() bool {
	if !b.frame.fence.open() || b.call.open || len(b.line) > b.frame.length+maxFenceBlanks {
		return false
	}
	run := bytes.TrimSpace(b.line)
	return len(run) == b.frame.length && len(bytes.Trim(run, string(b.frame.char))) == 0
}

// canBegin reports whether the line so far can be one of a call. Outside of a
// fence other lines end it.
func (b *lineBody) canBegin() bool {
	if b.frame.fence.open() || len(b.line) > maxFenceBlanks+len(toolNameKeyword) {
		return true
	}
	line := strings.ToLower(string(bytes.TrimLeft(b.line, " \t\r\n")))
	for _, word := range []string{toolNameKeyword, beginArgKeyword} {
		if strings.HasPrefix(line, word) || strings.HasPrefix(word, line) && len(b.line) < maxFenceBlanks+len(word) {
			return true
		}
	}
	return false
}

// leave ends a call after which other text is.
func (b *lineBody) leave() frameEnd {
	b.emitCall(b.call.wholeLen)
	b.scanner.unread(b.line)
	return left
}

// parseLine takes a whole line.
func (b *lineBody) parseLine() {
	c := &b.call
	line, at := b.line, b.at-len(b.line)
	word, rest, restAt := cutKeyword(line)
	b.line = nil
	switch {
	case word == toolNameKeyword:
		b.doubtful = b.doubtful || c.open
		b.endUnterminated(at, "the next call")
		b.emitCall(len(b.text))
		b.begin(rest, at, at+restAt)
	case c.name == "":
		b.reportJunk(line, at)
		return
	case word == beginArgKeyword:
		b.endUnterminated(at, "the next argument")
		c.args, c.open = append(c.args, lineArg{key: rest, firstLine: string(line)}), true
	case word == endArgKeyword && c.open:
		c.open = false
	case c.open:
		last := &c.args[len(c.args)-1]
		last.value = append(last.value, line...)
	case len(bytes.TrimSpace(line)) > 0:
		c.find(diag.NotACall, diag.Bytes(at, b.at), "this line belongs to no argument")
	}
	b.text = append(b.text, line...)
	if !c.open {
		c.wholeLen = len(b.text)
	}
}

// cutKeyword cuts the word at the start of a line from what follows it.
func cutKeyword(line []byte) (word, rest string, at int) {
	text := bytes.TrimLeft(line, " \t")
	indent := len(line) - len(text)
	for _, word := range []string{toolNameKeyword, beginArgKeyword} {
		if len(text) >= len(word) && strings.EqualFold(string(text[:len(word)]), word) {
			rest := strings.TrimSpace(string(text[len(word):]))
			return word, rest, indent + len(word) + max(0, strings.Index(string(text[len(word):]), rest))
		}
	}
	if strings.EqualFold(string(bytes.TrimSpace(text)), endArgKeyword) {
		return endArgKeyword, "", 0
	}
	return "", "", 0
}

// begin begins a call.
func (b *lineBody) begin(name string, at, nameAt int) {
	b.text = nil
	b.call = lineCall{name: name, nameAt: diag.Bytes(nameAt, nameAt+len(name)), start: at}
	switch {
	case name == "":
		b.scanner.report(diag.New(diag.NotACall, diag.Bytes(at, b.at), "no name follows %s", toolNameKeyword))
	case b.doubtful:
		b.call.ambiguous = true
		b.call.find(diag.MarkerInValue, b.call.nameAt, "this call may be part of an earlier value whose END_ARG is missing")
	}
}

// reportJunk reports a line before the first call.
func (b *lineBody) reportJunk(line []byte, at int) {
	if len(bytes.TrimSpace(line)) > 0 {
		b.scanner.report(diag.New(diag.NotACall, diag.Bytes(at, b.at), "this line is not part of a call and is ignored"))
	}
}

func (c *lineCall) find(code diag.Code, place diag.Span, format string, args ...any) {
	c.findings = append(c.findings, diag.New(code, place, format, args...))
}

// endUnterminated ends the value that is open, if one is, before something that can be text
// of it, at an offset.
func (b *lineBody) endUnterminated(at int, before string) {
	c := &b.call
	if !c.open {
		return
	}
	c.find(diag.MissingCloser, diag.Bytes(at, at), "missing END_ARG before %s", before)
	c.args[len(c.args)-1].unterminated = true
	c.open, c.ambiguous = false, true
}

// emitCall emits the call that has been read, with some bytes of its text.
func (b *lineBody) emitCall(size int) {
	if b.call.name == "" {
		return
	}
	r := b.reader(size)
	if b.call.ambiguous {
		r.markAmbiguous(b.longerReadings(*r)...)
	}
	b.scanner.emitCall(r)
	b.call, b.text = lineCall{}, nil
}

// reader returns a reader that has read the call.
func (b *lineBody) reader(size int) *reader {
	c := &b.call
	r := newNamedReader(namedCall{name: c.name, place: c.nameAt, toolName: c.name, start: c.start, text: string(b.text[:size])}, b.scanner.tools, c.findings)
	r.call.Arguments = b.arguments(r, c.args)
	return r
}

// longerReadings returns the other reading of a call in which values are not ended: they go
// on up to the next end marker.
func (b *lineBody) longerReadings(r reader) []chat.Call {
	var args []lineArg
	for _, a := range b.call.args {
		last := len(args) - 1
		if last < 0 || !args[last].unterminated {
			args = append(args, a)
			continue
		}
		args[last].value = slices.Concat(args[last].value, []byte(a.firstLine), a.value)
		args[last].unterminated = a.unterminated
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
			r.fault(diag.DuplicateKey, place, "duplicate argument %q", excerpt(a.key))
		case !utf8.ValidString(a.key + value):
			r.fault(diag.InvalidUTF8, place, "the argument %q is not valid UTF-8", excerpt(a.key))
		}
		seen[a.key] = true
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, quote(a.key)...), ':')
		out = append(out, typedValue(value, shape.Property(a.key))...)
	}
	if diag.HasErrors(r.findings) {
		return nil
	}
	return append(out, '}')
}

// typedValue returns a value that is written as text: JSON where the definition says
// that it is no string, and all of it is JSON, with no key twice.
func typedValue(text string, shape *Shape) json.RawMessage {
	isText := shape == nil || shape.Kinds == 0 || shape.Kinds&markup.String != 0
	if isText || !json.Valid([]byte(text)) || diag.HasErrors(literal.ParseJSON(text).Findings) {
		return json.RawMessage(quote(text))
	}
	return json.RawMessage(strings.TrimSpace(text))
}

func (b *lineBody) close() { b.emitTruncated("the text ends") }

// emitTruncated takes a call that is cut off: an argument may be missing, also where all
// that were begun have ended.
func (b *lineBody) emitTruncated(how string) {
	c := &b.call
	f := diag.New(diag.TruncatedCall, diag.Bytes(b.at-len(b.line), b.at), "%s inside a call", how)
	if word, _, _ := cutKeyword(b.line); word == toolNameKeyword && !c.open { // the name may be cut as well
		b.line = nil
		b.emitTruncated(how)
		b.scanner.report(f)
		return
	}
	if len(b.line) > 0 {
		b.parseLine()
	}
	if c.name == "" {
		return
	}
	f.Span.Start = c.start
	c.findings = append(c.findings, f)
	r := b.reader(len(b.text))
	r.call.Status = chat.StatusTruncated
	b.scanner.emitCall(r)
}

// renderLines writes a call in lines.
func renderLines(_ *Dialect, b []byte, c chat.Call, tools Toolset) ([]byte, bool) {
	b = append(b, "```tool\nTOOL_NAME: "+c.Name+"\n"...)
	ok := isBareName(c.Name)
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
		back := typedValue(text, tools[c.Name].Property(name))
		ok = ok && canWriteKey(name) && canWriteValue(text) && sameValue(back, value)
		b = append(b, "BEGIN_ARG: "+name+"\n"+text+"\nEND_ARG\n"...)
	}
	return append(b, "```"...), ok && err == nil
}

// canWriteKey reports whether the name of an argument can be on a line.
func canWriteKey(name string) bool {
	return name != "" && name == strings.TrimSpace(name) && !strings.ContainsAny(name, "\r\n") && utf8.ValidString(name)
}

// canWriteValue reports whether a value is read as it is: no line of it means something.
func canWriteValue(text string) bool {
	if strings.HasSuffix(text, "\r") {
		return false
	}
	for line := range strings.Lines(text) {
		if word, _, _ := cutKeyword([]byte(line)); word != "" {
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
