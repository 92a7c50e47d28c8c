package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// script is the grammar of JavaScript statements "return name(arguments);".
var script = grammar{newBody: newJavaScriptBody, render: renderScript}

type scriptBody struct {
	sink      *sink
	statement *literal.Scanner
	junk      diag.Span // span of unreported statements without a call
	pending   bool      // junk is set
}

func newJavaScriptBody(s *sink, f *frame) body {
	fence := literal.Fence{Char: f.char, Len: f.length}
	o := literal.Options{Base: f.bodyAt, Fence: fence, Stops: s.terminatorsFor(terminatorKey{}).stops}
	return &scriptBody{sink: s, statement: s.literals.script(o)}
}

func (b *scriptBody) write(p []byte) (int, frameEnd) {
	for n := 0; ; {
		k, state := b.sink.readLiteral(b.statement, p[n:])
		n += k
		if state == literal.NeedMore {
			return n, notYet
		}
		b.emitStatement()
		switch state {
		case literal.FenceClosed:
			b.reportJunk()
			b.sink.checkClosingFenceBeginsLine(b.statement.End(), b.statement.IsLineStart())
			return n, closed
		case literal.Stopped: // the reasoning around the fence ends
			b.reportJunk()
			b.sink.reportFenceCutByReasoning()
			b.sink.unread([]byte(b.statement.Stop()))
			return n, left
		}
		b.statement.Next()
	}
}

func (b *scriptBody) close() {
	b.statement.Close()
	b.emitStatement()
	b.reportJunk()
	if !slices.ContainsFunc(b.statement.Findings(), func(f diag.Finding) bool { return f.Code == diag.TruncatedCall }) {
		b.sink.reportUnclosedFence(b.sink.at)
	}
}

// emitStatement emits the statement. Statements without a call are collected, because they come in rows.
func (b *scriptBody) emitStatement() {
	call, isCall := b.statement.Call()
	junk, isJunk := b.statement.NonCall()
	switch {
	case isCall:
		b.reportJunk()
		r := callReader{call: call, findings: b.statement.Findings()}
		r.suggestEscapedQuotes(literal.NewCall)
		b.sink.emitCall(&r)
	case isJunk && b.pending:
		b.junk.End = junk.End
	case isJunk:
		b.junk, b.pending = junk, true
	default:
		if findings := b.statement.Findings(); len(findings) > 0 {
			b.reportJunk()
			b.sink.reportFindingsOfNoCall(findings)
		}
	}
}

// reportJunk reports the collected statements without a call.
func (b *scriptBody) reportJunk() {
	if b.pending {
		b.sink.reportNotACall(b.junk, "", "a call is: return name(literals);")
	}
	b.pending = false
}

func renderScript(d *Dialect, b []byte, c chat.Call, _ Toolset) ([]byte, bool) {
	b = append(b, "```"+d.FenceInfo()+"\nreturn "+c.Name+"("...)
	args := strings.TrimSpace(string(c.Arguments))
	if c.Positional {
		args = strings.TrimSuffix(strings.TrimPrefix(args, "["), "]")
	}
	if script := appendJSONAsJavaScript(nil, args); string(script) != "{}" {
		b = append(b, script...)
	}
	return append(b, ");\n```"...), isDottedName(c.Name)
}

// appendJSONAsJavaScript appends JSON in the usual style of JavaScript: unquoted keys where possible, a space after commas
// and colons.
func appendJSONAsJavaScript(b []byte, text string) []byte {
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case ' ', '\t', '\n', '\r':
			i++
		case '"':
			end := i + leadingJSONStringLen(text[i:])
			b = appendStringOrIdentifierKey(b, text[i:end], isFollowedByColon(text[end:]))
			i = end
		case ':', ',':
			b = append(b, c, ' ')
			i++
		default:
			b = append(b, c)
			i++
		}
	}
	return b
}

// leadingJSONStringLen returns the length of the JSON string at the start of text.
func leadingJSONStringLen(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// isFollowedByColon reports whether rest, the text after a string, makes the string a key.
func isFollowedByColon(rest string) bool {
	return strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), ":")
}

// appendStringOrIdentifierKey appends a JSON string as it is, or without quotes if it is a key and an identifier.
func appendStringOrIdentifierKey(b []byte, quoted string, isKey bool) []byte {
	var bare string
	if isKey && json.Unmarshal([]byte(quoted), &bare) == nil && isIdentifier(bare) {
		return append(b, bare...)
	}
	return append(b, quoted...)
}
