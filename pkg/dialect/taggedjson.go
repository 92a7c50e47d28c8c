package dialect

import (
	"encoding/json"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
	"oneshot/pkg/quote"
)

// usePrecedingName treats an object without a tool name as the arguments of the tool named before it. The call is
// ambiguous.
func (r *callReader) usePrecedingName(name string) {
	if name == "" || r.status != chat.StatusOK || !json.Valid([]byte(r.text)) {
		return
	}
	r.call.Name, r.call.Arguments = name, json.RawMessage(r.text)
	r.markAmbiguous()
}

// taggedJSON is the grammar of JSON after a marker: calls or lists of calls with separators between them.
func taggedJSON(f memberNames) grammar {
	return grammar{memberNames: &f, newBody: newJSONBody, render: renderTagged}
}

// A jsonItem parses one object: a call, or calls whose tools are its keys. It skips other values.
type jsonItem struct {
	*sequence
	memberNames *memberNames
	headerTool  headerTool // from the text before
	lit         *literal.Scanner
	part        jsonPart
	startAt     int    // start of the item
	keyName     string // the tool, as a key
	keySpan     diag.Span
}

// A jsonPart is the part that a jsonItem reads.
type jsonPart int

const (
	objectPart jsonPart = iota
	junkPart            // not an object
	bracePart           // toolIsKey: the opening brace
	keyPart             // the tool name
	valuePart           // its arguments
	commaPart           // a comma, or the closing brace
	restPart            // the text after a fault
)

func newJSONBody(s *sink, f *frame) body { return newJSONSequence(s, f, headerTool{}) }

// newJSONSequence is newJSONBody where a header may have named the tool of the calls.
func newJSONSequence(s *sink, f *frame, t headerTool) body {
	ends, b := s.terminatorsFor(terminatorKey{dialect: f.dialect, isJSON: true}), pooledValue[jsonItem](s.bodyPool)
	*b = jsonItem{sequence: pooledValue[sequence](s.bodyPool), memberNames: f.grammar.memberNames, headerTool: t, lit: s.literals.json(literal.Options{Stops: ends.stops})}
	*b.sequence = sequence{sink: s, frame: f, at: f.bodyAt, terminators: ends, item: b, single: !f.dialect.framing.multiple}
	return b.sequence
}

func (b *jsonItem) callFormHint() string { return "a call is: " + b.memberNames.callForm() }

func (b *jsonItem) canBegin(c byte) bool { return c == '{' }

func (b *jsonItem) begin(c byte, at int) bool {
	b.lit.StopCapture()
	b.lit.ResetAt(at)
	b.startAt = at
	switch {
	case c != '{':
		b.part = junkPart
		b.lit.SkipInvalid()
	case b.memberNames.toolIsKey:
		b.part = bracePart
		b.lit.ExpectPunct("{", false)
	default:
		b.part = objectPart
		b.lit.ExpectObject(callMembers)
	}
	return true
}

func (b *jsonItem) write(p []byte) (int, literal.State) {
	for n := 0; ; {
		k, state := b.sink.readLiteral(b.lit, p[n:])
		if b.part == junkPart && k > 0 { // for quoted markers in it
			b.sink.steps += b.sink.textLine.add(string(p[n : n+k]))
		}
		n += k
		switch {
		case state == literal.Invalid && b.part == commaPart && n < len(p) && p[n] == '{':
			at := b.lit.End()
			b.sink.report(diag.New(diag.ConcatenatedValues, diag.Bytes(at, at+1), "a second value follows the arguments of %s and is ignored", excerpt(b.keyName)))
			b.part = restPart
			b.lit.SkipToClosingBracket("{")
		case state == literal.Invalid && b.part == commaPart && n < len(p) && p[n] == ']':
			at := b.lit.End()
			f := diag.New(diag.UnbalancedBracket, diag.Bytes(at, at+1), "missing '}' before ']'")
			f.Fixes = newFix(diag.Unsafe, "add }", diag.Edit{Start: at, End: at, New: "}"})
			b.sink.report(f)
			b.part = restPart
			return n, state
		case state == literal.Invalid && b.part >= keyPart && b.part != restPart:
			b.emitCall(state)
			b.part = restPart
			b.lit.SkipToClosingBracket("{")
		case state != literal.Done || b.part == objectPart || b.continueKeyed():
			return n, state
		}
	}
}

// continueKeyed continues an object whose keys are tools. It reports whether the object has ended.
func (b *jsonItem) continueKeyed() bool {
	switch b.part {
	case bracePart:
		b.expectKey()
	case keyPart:
		b.keyName, _, b.keySpan = b.lit.Key()
		b.part = valuePart
		b.lit.ExpectValue()
	case valuePart:
		b.emitKeyedCall()
		b.part = commaPart
		b.lit.ExpectPunct(",}", false)
	case commaPart:
		if b.lit.Punct() == '}' {
			return true
		}
		b.expectKey()
	case restPart:
		return true
	}
	return false
}

func (b *jsonItem) expectKey() {
	b.part = keyPart
	b.lit.StartCapture()
	b.lit.ExpectKey()
}

func (b *jsonItem) emitCall(state literal.State) string {
	switch {
	case b.part == objectPart:
		w := pooledValue[callObject](b.sink.bodyPool)
		w.load(b.memberNames, b.lit)
		b.emitObjectCall(w)
	case b.part == valuePart:
		b.emitKeyedCall()
	case b.part == restPart:
	case state != literal.Done:
		b.sink.reportNotACall(diag.Bytes(b.startAt, max(b.lit.End(), b.startAt+1)), "", b.callFormHint())
	}
	return b.markerTextToUnread(b.lit)
}

func (b *jsonItem) close() { b.emitCall(b.lit.Close()) }

func (b *jsonItem) emitObjectCall(w *callObject) {
	r := callReader{tools: b.sink.tools}
	r.readObject(w)
	if r.call.Name == "" && b.memberNames.namePrecedes {
		r.usePrecedingName(b.sink.wordBefore(b.frame.at))
	}
	r.checkHeaderTool(b.headerTool)
	b.sink.emitCall(&r)
}

// A headerTool is the tool name in a message header.
type headerTool struct {
	name string // "" for none
	at   int
}

// checkHeaderTool reports a header with another spelling of the call's tool. The call counts.
func (r *callReader) checkHeaderTool(t headerTool) {
	place, written := diag.Bytes(t.at, t.at+len(t.name)), t.name
	token := controlTokenOffset(written)
	if token >= 0 {
		written = strings.TrimSpace(written[:token])
	}
	name, noise := cleanName(written, r.tools)
	switch _, known := r.tools[name]; {
	case name == "" || r.call.Name == "":
	case r.call.Name != name:
		f := diag.New(diag.CallMember, diag.Bytes(r.call.Start, r.call.End), "the message is for %s but calls %s; the call counts", excerpt(name), excerpt(r.call.Name))
		f.Severity = diag.Warning
		r.addFinding(f)
	case token >= 0:
		f := diag.New(diag.MarkupInName, place, "the tool name in the header contains %q, which is not part of it", excerpt(t.name[token:]))
		if !known {
			f.Severity = diag.Error
		}
		r.addFinding(f)
	case noise != "":
		r.addFinding(diag.New(diag.NameNoise, place, "in the header: %s", noise))
	}
}

// emitKeyedCall emits a call whose tool is a key.
func (b *jsonItem) emitKeyedCall() {
	value, place, text := b.lit.Value(), b.lit.ValueSpan(), b.lit.Captured(b.keySpan.Start)
	text = text[:min(len(text), place.End-b.keySpan.Start)]
	r := newNamedReader(namedCall{name: b.keyName, place: b.keySpan, toolName: b.keyName, quoted: true, start: b.keySpan.Start, text: text}, b.sink.tools, b.lit.Findings())
	r.call.Status, r.call.ValueChanged = b.lit.Status(), b.lit.ValueChanged()
	switch {
	case len(value) == 0 || value[0] == '{':
		r.call.Arguments = value
	case isStringOfObject(value):
		r.args = value
		r.readEncodedArguments(place)
	default:
		r.addError(diag.CallMember, place, "arguments of %s: expected an object, got %s", excerpt(b.keyName), describeKind(value[0]))
	}
	b.sink.emitCall(r)
}

// renderTagged writes a call after its marker.
func renderTagged(d *Dialect, b []byte, c chat.Call, _ Toolset) ([]byte, bool) {
	f, args := d.grammar.memberNames, string(argumentsObject(c))
	b = append(b, d.framing.affixes[0]...)
	if f.toolIsKey {
		b = append(b, "{"+quote.JSON(c.Name)+":"+args+"}"...)
	} else {
		b = append(b, `{"`+f.name.String()+`":`+quote.JSON(c.Name)+`,"`+f.args.String()+`":`+args+"}"...)
	}
	return append(b, d.framing.affixes[1]...), true
}
