package dialect

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
	"oneshot/pkg/quote"
	"oneshot/pkg/schema"
)

// lineArgumentSpans locates the arguments of a call in lines.
func lineArgumentSpans(text string, tools Toolset) (json.RawMessage, []ArgumentSpan) {
	var c lineCall
	var places []ArgumentSpan
	at := 0
	for line := range strings.Lines(text) {
		word, rest, restAt := cutKeyword([]byte(line))
		next, last := at+len(line), len(c.args)-1
		switch {
		case word == toolNameKeyword:
			c.name = rest
		case word == beginArgKeyword:
			c.args, c.open = append(c.args, lineArg{key: rest}), true
			name := diag.Bytes(at+restAt, at+restAt+len(rest))
			places = append(places, ArgumentSpan{Pointer: string(jsontext.Pointer("").AppendToken(rest)), Name: name, Value: diag.Bytes(next, next)})
		case word == endArgKeyword:
			c.open = false
		case c.open:
			c.args[last].value = append(c.args[last].value, line...)
		}
		at = next
	}
	for i, a := range c.args {
		places[i].Value.End += len(a.text())
	}
	b, r := lineBody{sink: &sink{tools: tools}}, callReader{tools: tools}
	r.call.Name, _ = cleanName(c.name, tools)
	return b.encodeArguments(&r, c.args), places
}

// Keywords of Continue's line protocol, in lower case.
const (
	toolNameKeyword = "tool_name:"
	beginArgKeyword = "begin_arg:"
	endArgKeyword   = "end_arg"
)

// lineGrammar is the grammar of calls in lines: a line with the name and, for each argument, a line with its
// name, the lines of its value and a line that ends it.
var lineGrammar = grammar{newBody: newLineProtocolBody, render: renderLines, argumentSpans: lineArgumentSpans, lineBased: true}

// thenToolName matches the first word.
var thenToolName = thenWordAnyCase(toolNameKeyword)

// lineProtocolMarkers returns the spellings of the first keyword outside fences, after text.
func lineProtocolMarkers() []marker {
	var all []marker
	for _, text := range []string{"TOOL_NAME:", "tool_name:", "Tool_Name:", "Tool_name:"} {
		all = append(all, marker{text: text, role: openKeep, lineStart: true, lookahead: nameThen(lineThen(always))})
	}
	return all
}

type lineBody struct {
	sink     *sink
	frame    *frame
	at       int    // of the next byte
	line     []byte // the current line
	doubtful bool   // a value was open where a call began: everything since may be part of it
	text     []byte // the current call
	call     lineCall
}

// A lineCall is a call read so far.
type lineCall struct {
	name      string
	nameSpan  diag.Span
	start     int
	args      []lineArg
	open      bool // the last argument has not ended
	ambiguous bool // a value may extend beyond its assumed end
	findings  []diag.Finding
	wholeLen  int // length of the complete part of the text
}

type lineArg struct {
	key          string
	firstLine    string
	value        []byte
	unterminated bool // its END_ARG is missing
}

// text returns the value without its last line end.
func (a *lineArg) text() string {
	return strings.TrimSuffix(strings.TrimSuffix(string(a.value), "\n"), "\r")
}

func newLineProtocolBody(s *sink, f *frame) body {
	if f.fence.isOpen() && !f.certain {
		s.confirmCallFrame("before the calls")
	}
	return &lineBody{sink: s, frame: f, at: f.bodyAt}
}

func (b *lineBody) write(p []byte) (int, frameEnd) {
	for n, c := range p {
		b.line = append(b.line, c)
		b.at++
		b.sink.steps++
		end := notYet
		switch {
		case b.endAtReasoningEnd():
			end = left
		case b.isClosingFence():
			b.emitCall(len(b.text))
			b.sink.checkClosingFenceBeginsLine(b.at-b.frame.length, true)
			end = closed
		case c == '\n':
			b.parseLine()
		case !b.call.open && !b.canBeCallLine():
			end = b.endBeforeText()
		}
		if end != notYet {
			return n + 1, end
		}
	}
	return len(p), notYet
}

// endAtReasoningEnd ends the call at the end of the reasoning around it. Inside a value the marker is text, unless
// reasoning is known to be open.
func (b *lineBody) endAtReasoningEnd() bool {
	if b.call.open && !b.sink.reasoning.inside {
		return false
	}
	before, marker, ends := b.sink.cutAtReasoningEnd(b.line, len(b.line)-1)
	if ends {
		b.line, b.at = before, b.at-len(marker)
		b.emitTruncated("the reasoning ends")
		b.sink.unread(marker)
	}
	return ends
}

// isClosingFence reports whether the current line closes the fence. Inside a value it is text.
func (b *lineBody) isClosingFence() bool {
	if !b.frame.fence.isOpen() || b.call.open || len(b.line) > b.frame.length+maxFenceBlanks {
		return false
	}
	run := bytes.TrimSpace(b.line)
	return len(run) == b.frame.length && len(bytes.Trim(run, string(b.frame.char))) == 0
}

// canBeCallLine reports whether the current line can belong to a call. Outside a fence, other lines end the call.
func (b *lineBody) canBeCallLine() bool {
	if b.frame.fence.isOpen() || len(b.line) > maxFenceBlanks+len(toolNameKeyword) {
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

// endBeforeText ends a call that is followed by other text.
func (b *lineBody) endBeforeText() frameEnd {
	b.emitCall(b.call.wholeLen)
	b.sink.unread(b.line)
	return left
}

// parseLine parses a complete line.
func (b *lineBody) parseLine() {
	c := &b.call
	line, at := b.line, b.at-len(b.line)
	word, rest, restAt := cutKeyword(line)
	b.line = nil
	switch {
	case word == toolNameKeyword:
		b.doubtful = b.doubtful || c.open
		b.endUnterminatedArgument(at, "the next call")
		b.emitCall(len(b.text))
		b.beginCall(rest, at, at+restAt)
	case c.name == "":
		b.reportJunk(line, at)
		return
	case word == beginArgKeyword:
		b.endUnterminatedArgument(at, "the next argument")
		c.args, c.open = append(c.args, lineArg{key: rest, firstLine: string(line)}), true
	case word == endArgKeyword && c.open:
		c.open = false
	case c.open:
		last := &c.args[len(c.args)-1]
		last.value = append(last.value, line...)
	case len(bytes.TrimSpace(line)) > 0:
		c.report(diag.NotACall, diag.Bytes(at, b.at), "this line belongs to no argument")
	}
	b.text = append(b.text, line...)
	if !c.open {
		c.wholeLen = len(b.text)
	}
}

// cutKeyword splits a line into its keyword and the rest, with the offset of the rest.
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

func (b *lineBody) beginCall(name string, at, nameAt int) {
	b.text = nil
	b.call = lineCall{name: name, nameSpan: diag.Bytes(nameAt, nameAt+len(name)), start: at}
	switch {
	case name == "":
		b.sink.report(diag.New(diag.NotACall, diag.Bytes(at, b.at), "no name follows %s", toolNameKeyword))
	case b.doubtful:
		b.call.ambiguous = true
		b.call.report(diag.MarkerInValue, b.call.nameSpan, "this call may be part of an earlier value whose END_ARG is missing")
	}
}

// reportJunk reports a line before the first call.
func (b *lineBody) reportJunk(line []byte, at int) {
	if len(bytes.TrimSpace(line)) > 0 {
		b.sink.report(diag.New(diag.NotACall, diag.Bytes(at, b.at), "this line is not part of a call and is ignored"))
	}
}

func (c *lineCall) report(code diag.Code, place diag.Span, format string, args ...any) {
	c.findings = append(c.findings, diag.New(code, place, format, args...))
}

// endUnterminatedArgument ends an open value at an offset, before text that may belong to it.
func (b *lineBody) endUnterminatedArgument(at int, before string) {
	c := &b.call
	if !c.open {
		return
	}
	c.report(diag.MissingCloser, diag.Bytes(at, at), "missing END_ARG before %s", before)
	c.args[len(c.args)-1].unterminated = true
	c.open, c.ambiguous = false, true
}

// emitCall emits the current call with the first bytes of its text.
func (b *lineBody) emitCall(size int) {
	if b.call.name == "" {
		return
	}
	r := b.newCallReader(size)
	if b.call.ambiguous {
		r.markAmbiguous(b.readingsWithLongerValues(*r)...)
	}
	b.sink.emitCall(r)
	b.call, b.text = lineCall{}, nil
}

// newCallReader returns a reader for the current call.
func (b *lineBody) newCallReader(size int) *callReader {
	c := &b.call
	r := newNamedReader(namedCall{name: c.name, place: c.nameSpan, toolName: c.name, start: c.start, text: string(b.text[:size])}, b.sink.tools, c.findings)
	r.call.Arguments = b.encodeArguments(r, c.args)
	return r
}

// readingsWithLongerValues returns the alternative in which unterminated values extend to the next END_ARG.
func (b *lineBody) readingsWithLongerValues(r callReader) []chat.Call {
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
	r.call.Arguments = b.encodeArguments(&r, args)
	return []chat.Call{r.call}
}

func (b *lineBody) encodeArguments(r *callReader, args []lineArg) json.RawMessage {
	shape, place := b.sink.tools.Shape(r.call.Name), diag.Bytes(r.call.Start, r.call.End)
	out := []byte{'{'}
	seen := map[string]bool{}
	for i, a := range args {
		value := a.text()
		switch {
		case a.key == "":
			r.addError(diag.CallMember, place, "an argument has no name")
		case seen[a.key]:
			r.addError(diag.DuplicateKey, place, "duplicate argument %q", excerpt(a.key))
		case !utf8.ValidString(a.key + value):
			r.addError(diag.InvalidUTF8, place, "the argument %q is not valid UTF-8", excerpt(a.key))
		}
		seen[a.key] = true
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, quote.JSON(a.key)...), ':')
		out = append(out, valueOfType(value, shape.Property(a.key))...)
	}
	if diag.HasErrors(r.findings) {
		return nil
	}
	return append(out, '}')
}

// valueOfType returns the value of a text: JSON if the schema excludes strings and the text is JSON without
// duplicate keys, else a string.
func valueOfType(text string, shape *schema.Shape) json.RawMessage {
	kinds := shape.Kinds()
	if kinds == 0 || kinds&schema.String != 0 || !json.Valid([]byte(text)) || diag.HasErrors(literal.ParseJSON(text).Findings) {
		return json.RawMessage(quote.JSON(text))
	}
	return json.RawMessage(strings.TrimSpace(text))
}

func (b *lineBody) close() { b.emitTruncated("the text ends") }

// emitTruncated emits a call that is cut off. An argument may be missing even if all arguments so far have
// ended.
func (b *lineBody) emitTruncated(how string) {
	c := &b.call
	f := diag.New(diag.TruncatedCall, diag.Bytes(b.at-len(b.line), b.at), "%s inside a call", how)
	if word, _, _ := cutKeyword(b.line); word == toolNameKeyword && !c.open { // the name may be cut off
		b.line = nil
		b.emitTruncated(how)
		b.sink.report(f)
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
	r := b.newCallReader(len(b.text))
	r.call.Status = chat.StatusTruncated
	b.sink.emitCall(r)
}

func renderLines(_ *Dialect, b []byte, c chat.Call, tools Toolset) ([]byte, bool) {
	b = append(b, "```tool\nTOOL_NAME: "+c.Name+"\n"...)
	ok := isBareName(c.Name)
	dec := json.NewDecoder(bytes.NewReader(argumentsObject(c)))
	_, err := dec.Token()
	for err == nil && dec.More() {
		var value json.RawMessage
		key, _ := dec.Token()
		name, _ := key.(string)
		if err = dec.Decode(&value); err != nil {
			break
		}
		text := string(value)
		_ = json.Unmarshal(value, &text) // otherwise the value is not a string
		back := valueOfType(text, tools.Shape(c.Name).Property(name))
		ok = ok && canRenderKey(name) && canRenderValue(text) && isSameValue(back, value)
		b = append(b, "BEGIN_ARG: "+name+"\n"+text+"\nEND_ARG\n"...)
	}
	return append(b, "```"...), ok && err == nil
}

// canRenderKey reports whether an argument name fits on a line.
func canRenderKey(name string) bool {
	return name != "" && name == strings.TrimSpace(name) && !strings.ContainsAny(name, "\r\n") && utf8.ValidString(name)
}

// canRenderValue reports whether a value reads back unchanged: no line of it is a keyword.
func canRenderValue(text string) bool {
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

// isSameValue reports whether two texts are the same JSON, apart from string escapes.
func isSameValue(a, b json.RawMessage) bool {
	var x, y string
	if json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil {
		return x == y
	}
	return bytes.Equal(a, b)
}
