package lint

import (
	"bytes"
	"encoding/json"
	"slices"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/wire"
)

// escaped reports a text that is one response with the escapes of a string of JSON, in
// quotes or without them, where calls stand in that. Who has escaped it is unknown, so it
// stays text.
func (o Options) escaped(text []byte) (diag.Finding, bool) {
	plain, ok := unescaped(text)
	if !ok {
		return diag.Finding{}, false
	}
	inner := dialect.ScanBytes(plain, dialect.Options{Dialect: o.Dialect, Reasoning: o.Reasoning, Tools: o.toolset()})
	if len(inner.Calls) == 0 {
		return diag.Finding{}, false
	}
	place := diag.Bytes(0, len(text))
	f := diag.New(diag.DoubleEncoded, place, "this is text; read as a string of JSON it would be a call of %q", wire.Excerpt(inner.Calls[0].Name))
	f.Severity = diag.Error
	f.Fixes = []diag.Fix{{Title: "write it without escapes", Kind: diag.Unsafe, Edits: []diag.Edit{{Start: place.Start, End: place.End, New: string(plain)}}}}
	return f, true
}

// unescaped returns what a text says as a string of JSON, if it looks like one: it has
// quotes around it, or is an object or array whose own quotes have backslashes.
func unescaped(text []byte) (plain []byte, ok bool) {
	text = bytes.TrimSpace(text)
	if len(text) < 2 {
		return nil, false
	}
	if text[0] != '"' {
		inside := bytes.TrimLeft(text, "[{ \t\r\n")
		if len(inside) == len(text) || !bytes.HasPrefix(inside, []byte(`\"`)) {
			return nil, false
		}
		text = slices.Concat([]byte{'"'}, bytes.ReplaceAll(bytes.ReplaceAll(text, []byte{'\r'}, nil), []byte{'\n'}, []byte(`\n`)), []byte{'"'})
	}
	var said string
	if json.Unmarshal(text, &said) != nil {
		return nil, false
	}
	return []byte(said), true
}
