package prompt

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/dialect"
	"oneshot/pkg/tool"
)

// maxNativeExampleBytes bounds the arguments of an example in a native function description.
const maxNativeExampleBytes = 200

// Examples returns the first examples of a definition that a prompt can show. An example with a marker or an invisible
// character could be misread and is skipped. A native call has no dialect, so long examples would only bloat the
// description.
func Examples(def *tool.Definition, native bool) []chat.Call {
	var calls []chat.Call
	for _, e := range def.Examples {
		long := native && len(e.Parsed.Arguments) > maxNativeExampleBytes
		if len(calls) < def.MaxPromptExamples(native) && !long && hasNoMarkers(e.Parsed.Arguments) {
			calls = append(calls, e.Parsed)
		}
	}
	return calls
}

// hasNoMarkers reports whether the strings of a JSON text contain no marker, escaped or not, and no invisible
// character.
func hasNoMarkers(args json.RawMessage) bool {
	plain := jsontext.Value(args).Clone()
	return plain.Canonicalize() == nil && bytes.Equal(dialect.Neutralise(plain), plain)
}

// examples renders example calls as a model writes them, "" without examples.
func (t *Texts) examples(defs []*tool.Definition, d dialect.Dialect) string {
	var b strings.Builder
	for _, def := range defs {
		for _, c := range Examples(def, false) {
			if text, ok := d.Render(c, dialect.Toolset{def.Name: def.Shape}); ok {
				b.WriteString(text)
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	calls := b.String()
	if fence := d.FenceInfo(); fence != "" { // merge adjacent fences
		calls = strings.ReplaceAll(calls, "\n```\n```"+fence+"\n", "\n")
	}
	return "\n\n" + t.fillTemplate("examples", "calls", strings.TrimRight(calls, "\n"))
}

// nativeExamples renders examples for a function description.
func nativeExamples(def *tool.Definition) string {
	var b strings.Builder
	for _, c := range Examples(def, true) {
		b.WriteString("\nExample: " + string(c.Arguments))
	}
	return b.String()
}
