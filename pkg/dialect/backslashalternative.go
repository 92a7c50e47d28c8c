package dialect

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
	"oneshot/pkg/quote"
)

// addLiteralBackslashAlternative adds the alternative reading of a call with ambiguous backslashes in some strings: all
// backslashes are text.
func (r *callReader) addLiteralBackslashAlternative() {
	if r.call.Status != chat.StatusAmbiguous || r.call.Alternatives != nil {
		return
	}
	texts := map[jsontext.Pointer]json.RawMessage{}
	for _, f := range r.findings {
		if f.Severity != diag.Error {
			continue
		}
		text := r.stringAfterFix(f)
		if text == nil {
			return // other alternatives exist
		}
		texts[jsontext.Pointer(f.Path)] = text
	}
	other := r.call
	if args, set := replaceStrings(other.Arguments, texts); set == len(texts) {
		other.Arguments = args
		r.markAmbiguous(other)
	}
}

// stringAfterFix returns the string that the fix of a finding suggests, with doubled backslashes or without
// markers as quotes. It returns nil for other findings and where the result is not certain.
func (r *callReader) stringAfterFix(f diag.Finding) json.RawMessage {
	begin, end := f.Span.Start-r.call.Start, f.Span.End-r.call.Start
	if f.Code != diag.BadEscape || len(f.Fixes) == 0 || begin < 0 || end > len(r.call.Text) {
		return nil
	}
	edits := shiftEdits(f.Fixes[0].Edits, -f.Span.Start)
	if edits[0].Start == 0 { // markers as quotes: no escapes between them
		return quote.AppendJSON(nil, []byte(r.call.Text[begin+1:end-1]))
	}
	text, _, err := diag.Apply(r.call.Text[begin:end], newFix(diag.Unsafe, "", edits...))
	d := literal.ParseJSON(text)
	bad := func(f diag.Finding) bool { return f.Code == diag.BadEscape }
	if err != nil || len(d.Value) == 0 || d.Value[0] != '"' || slices.ContainsFunc(d.Findings, bad) {
		return nil
	}
	return d.Value
}

// replaceStrings returns JSON with new values for the strings at the given pointers, and the number replaced.
func replaceStrings(all json.RawMessage, values map[jsontext.Pointer]json.RawMessage) (out json.RawMessage, set int) {
	dec, done := jsontext.NewDecoder(bytes.NewReader(all)), 0
	for {
		var text jsontext.Value
		var err error
		if dec.PeekKind() == '"' {
			text, err = dec.ReadValue()
		} else {
			_, err = dec.ReadToken()
		}
		if err != nil {
			return append(out, all[done:]...), set
		}
		kind, count := dec.StackIndex(dec.StackDepth())
		value := values[dec.StackPointer()]
		if key := kind == '{' && count%2 == 1; text == nil || key || value == nil {
			continue
		}
		end := int(dec.InputOffset())
		out = append(append(out, all[done:end-len(text)]...), value...)
		done, set = end, set+1
	}
}
