package lint

import (
	"bytes"
	"encoding/json"
	"slices"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/provider/wire"
)

// findEscapedResponse reports a text that is an entire response escaped as a JSON string, with or
// without quotes, and would hold calls when decoded. It stays text, because it is unknown who
// escaped it.
func (o Options) findEscapedResponse(text []byte) (diag.Finding, bool) {
	plain, ok := unescapeText(text)
	if !ok {
		return diag.Finding{}, false
	}
	inner := dialect.ScanBytes(plain, dialect.Options{Dialect: o.Dialect, Reasoning: o.Reasoning, Tools: o.toolShapes()})
	if len(inner.Calls) == 0 {
		return diag.Finding{}, false
	}
	place := diag.Bytes(0, len(text))
	f := diag.New(diag.DoubleEncoded, place, "this text would be a call of %q when decoded as a JSON string", wire.Excerpt(inner.Calls[0].Name))
	f.Severity = diag.Error
	f.Fixes = []diag.Fix{{Title: "decode it", Kind: diag.Unsafe, Edits: []diag.Edit{{Start: place.Start, End: place.End, New: string(plain)}}}}
	return f, true
}

// unescapeText decodes a text that looks like an escaped JSON string: in quotes, or an object or
// array whose own quotes have backslashes.
func unescapeText(text []byte) (plain []byte, ok bool) {
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
	var decoded string
	if json.Unmarshal(text, &decoded) != nil {
		return nil, false
	}
	return []byte(decoded), true
}
