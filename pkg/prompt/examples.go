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

// maxNativeExampleBytes is how long the arguments of an example are at most, in bytes, that goes into the description of a
// function.
const maxNativeExampleBytes = 200

// Examples returns the examples of a definition that a prompt shows, the first of those that it can show. One that
// holds a marker, or a character that nobody sees, could be read as something else. A native call has no dialect: a
// long example would only fill the description.
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

// hasNoMarkers reports whether the strings of a JSON text hold no marker, also without their escapes, and nothing that
// nobody sees.
func hasNoMarkers(args json.RawMessage) bool {
	plain := jsontext.Value(args).Clone()
	return plain.Canonicalize() == nil && bytes.Equal(dialect.Neutralise(plain), plain)
}

// examples renders example calls as a model writes them, or nothing where no definition shows one.
func (t *Texts) examples(defs []*tool.Definition, d dialect.Dialect) string {
	var b strings.Builder
	for _, def := range defs {
		for _, c := range Examples(def, false) {
			if text, ok := d.Render(c, dialect.Toolset{def.Name: dialect.ShapeOf(def.Schema)}); ok {
				b.WriteString(text)
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	calls := b.String()
	if fence := d.FenceInfo(); fence != "" { // one that begins where another ends is the same
		calls = strings.ReplaceAll(calls, "\n```\n```"+fence+"\n", "\n")
	}
	return "\n\n" + t.fill("examples", "calls", strings.TrimRight(calls, "\n"))
}

// nativeExamples renders examples for the description of a function.
func nativeExamples(def *tool.Definition) string {
	var b strings.Builder
	for _, c := range Examples(def, true) {
		b.WriteString("\nExample: " + string(c.Arguments))
	}
	return b.String()
}
