package lint

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
)

// reportCallInBrokenJSON reports a call inside a text that begins like a JSON document and is
// not valid JSON, such as a capture with unescaped quotes. The scanner skips objects whole, so
// the call would pass without a finding.
func (r *scanResult) reportCallInBrokenJSON(src []byte, o Options) {
	text := bytes.TrimSpace(src)
	inside := bytes.TrimLeft(text, "[{ \t\r\n")
	isQuiet := !slices.ContainsFunc(r.findings, func(f diag.Finding) bool { return f.Severity != diag.Info })
	if len(inside) == len(text) || !bytes.HasPrefix(inside, []byte{'"'}) || !isQuiet || json.Valid(text) {
		return
	}
	at := firstMarker(src)
	if at < 0 {
		return
	}
	inner := dialect.ScanBytes(src[at:], dialect.Options{Reasoning: o.Reasoning, Tools: o.toolShapes()})
	if len(inner.Calls) == 0 {
		return
	}
	first := inner.Calls[0]
	f := diag.New(diag.QuotedCall, diag.Bytes(at+first.Start, at+first.End), "a call in the dialect %s is inside invalid JSON and is not read", inner.CallDialects[0].Name)
	f.Hint = "fix the JSON first, for example quotes that are not escaped"
	r.report(f)
}

// firstMarker returns the offset of the first marker in a text, or -1. Markers that begin with
// an ASCII letter or a backtick do not count: JSON often contains them.
func firstMarker(src []byte) int {
	first := -1
	for _, m := range dialect.Markers() {
		if m[0] < 0x80 && strings.IndexByte("<[]", m[0]) < 0 {
			continue
		}
		if at := bytes.Index(src, []byte(m)); at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	return first
}
