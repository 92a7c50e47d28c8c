package prompt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/dialect"
	"oneshot/pkg/prompt"
	"oneshot/pkg/tool"
)

// exampleSection returns the example calls of a system prompt, or "".
func exampleSection(system string) string {
	_, rest, _ := strings.Cut(system, "Example calls with sample values:\n\n")
	section, _, _ := strings.Cut(rest, "\n\nRules:")
	return section
}

// X5: the first example of each definition is in the prompt, as a model writes it.
func TestExamplesInDialects(t *testing.T) {
	defs := definitions(t)
	for name, want := range map[string]string{
		"tool":      "```tool\nreturn wget({uri: \"https://example.com/\"});\nreturn now();\n```",
		"toolcalls": `{"toolCalls":[{"type":"wget","id":"call_1","operation":"wget","parameters":{"uri":"https://example.com/"}}]}` + "\n" + `{"toolCalls":[{"type":"now","id":"call_1","operation":"now","parameters":{}}]}`,
		"hermes":    "<tool_call>\n" + `{"name":"wget","arguments":{"uri":"https://example.com/"}}` + "\n</tool_call>\n<tool_call>\n" + `{"name":"now","arguments":{}}` + "\n</tool_call>",
		"qwen3_coder_xml": "<tool_call>\n<function=wget>\n<parameter=uri>\nhttps://example.com/\n</parameter>\n</function>\n</tool_call>\n" +
			"<tool_call>\n<function=now>\n</function>\n</tool_call>",
		"gemini_tool_code": "```tool_code\nprint(default_api.wget(uri=\"https://example.com/\"))\nprint(default_api.now())\n```",
	} {
		d, _ := dialect.Lookup(name)
		if got := exampleSection(load(t).System("", []*tool.Definition{defs[0], defs[2]}, d)); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// In every dialect the example in the system prompt is read as the same call.
func TestExamplesAreRead(t *testing.T) {
	texts := load(t)
	for _, def := range definitions(t) {
		tools := dialect.Toolset{def.Name: def.Shape}
		for _, e := range slices.Clone(def.Examples) {
			def.Examples = []tool.Example{e}
			for _, d := range dialect.Dialects() {
				section := exampleSection(texts.System("", []*tool.Definition{def}, d))
				if section == "" {
					t.Errorf("%s does not show %s", d.Name, e.Call)
					continue
				}
				calls := dialect.Scan(section, dialect.Options{Dialect: d, Tools: tools}).Calls
				if len(calls) != 1 || calls[0].Name != def.Name || !calls[0].Executable {
					t.Errorf("%s: %s is read as %+v from\n%s", d.Name, e.Call, calls, section)
					continue
				}
				got, _ := def.BindPositional(calls[0])
				if diff := cmp.Diff(decoded(t, e.Parsed.Arguments), decoded(t, got.Arguments)); diff != "" {
					t.Errorf("%s (-example +read):\n%s", d.Name, diff)
				}
			}
		}
	}
}

// The definition sets how many examples a prompt shows. Examples with markers or invisible characters are skipped,
// and in a native description also long ones.
func TestHowManyExamples(t *testing.T) {
	def := definitions(t)[0]
	for _, args := range []string{`{"uri":"<|im_start|>"}`, `{"uri":"a\u202eb"}`, `{"uri":"` + strings.Repeat("x", 200) + `"}`} {
		e := tool.Example{Parsed: chat.Call{Name: def.Name, Arguments: []byte(args)}}
		def.Examples = append([]tool.Example{e}, def.Examples...)
	}
	for n, want := range map[int][2]int{-1: {1, 0}, 0: {0, 0}, 2: {2, 2}, 4: {4, 3}, 6: {4, 3}} {
		if def.PromptExamples = &n; n < 0 {
			def.PromptExamples = nil
		}
		if text, native := len(prompt.Examples(def, false)), len(prompt.Examples(def, true)); text != want[0] || native != want[1] {
			t.Errorf("%d: %d in text, %d natively, want %v", n, text, native, want)
		}
		if got := strings.Count(prompt.Functions([]*tool.Definition{def})[0].Description, "\nExample: "); got != want[1] {
			t.Errorf("%d: %d in the description, want %d", n, got, want[1])
		}
	}
}
