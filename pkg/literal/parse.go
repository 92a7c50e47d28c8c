package literal

import (
	"encoding/json"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// ParseCall parses a text that is one call name(args), with whitespace, comments and semicolons
// around it. If it is not, a finding says so, and the call holds the parts that could be read.
func ParseCall(text string) (chat.Call, []diag.Finding) {
	s := NewCall(Options{})
	n, state := s.Write([]byte(text))
	if state == NeedMore {
		s.Close()
	}
	call, ok := s.Call()
	findings := s.Findings()
	switch {
	case !ok && len(findings) == 0:
		findings = append(findings, diag.New(diag.NotACall, diag.Bytes(0, len(text)), "not a call: expected name(arguments)"))
	case ok && hasTrailingText(text[n:]):
		findings = append(findings, diag.New(diag.NotACall, diag.Bytes(n, len(text)), "unexpected text after the call"))
		call.Executable = false
	}
	return call, findings
}

// hasTrailingText reports whether anything but whitespace, comments and semicolons follows a
// call.
func hasTrailingText(rest string) bool {
	s := NewStatement(Options{})
	s.Write([]byte(rest))
	s.Close()
	return s.phase != beforeStatement
}

// A Parsed is the result of parsing a whole text.
type Parsed struct {
	Value        json.RawMessage // nil if it has an error
	Status       chat.Status
	ValueChanged bool // a repair may have changed the value
	Findings     []diag.Finding
}

// ParseJSON parses a text that should be one JSON value. Extensions of JavaScript and Python are
// read with a finding.
func ParseJSON(text string) Parsed { return ParseBytes([]byte(text)) }

// ParseBytes is [ParseJSON] for bytes, which it does not retain.
func ParseBytes(text []byte) Parsed {
	var r strictParser
	var o object
	if value, ok := r.appendTo(nil, text, &o); ok {
		return Parsed{Value: value, Status: chat.StatusOK}
	}
	s := NewJSON(Options{})
	s.ExpectValue()
	n, state := s.Write(text)
	if state == NeedMore {
		s.Close()
	}
	all := Parsed{s.Value(), s.Status(), s.ValueChanged(), s.Findings()}
	if all.Value == nil {
		return all
	}
	s.ExpectPunct("", false)
	s.Write(text[n:])
	s.Close()
	after := s.Findings()
	if rest := text[min(s.End(), len(text)):]; len(rest) > 0 {
		after = append(after, trailingFinding(rest, s.End()))
	}
	if diag.HasErrors(after) {
		all.Value, all.Status = nil, chat.StatusInvalid
	}
	all.Findings = append(all.Findings, after...)
	return all
}

// trailingFinding reports text after a value.
func trailingFinding(rest []byte, at int) diag.Finding {
	place := diag.Bytes(at, at+len(rest))
	if rest[0] == '{' || rest[0] == '[' {
		return diag.New(diag.ConcatenatedValues, place, "unexpected second value")
	}
	return diag.New(diag.BadLiteral, place, "unexpected text after the value")
}
