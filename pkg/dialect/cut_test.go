package dialect

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"oneshot/pkg/chat"
)

// cutArguments are arguments whose truncated forms often look complete.
const cutArguments = `{"path":"a/b c","limit":150,"deep":{"list":[1,22,"three four"],"none":null},"sure":true,"text":"first\nsecond line\n\nlast"}`

// cutTools declare the types of the arguments, which some dialects need.
var cutTools = Toolset{"look_up": shapeOfSchema(json.RawMessage(`{"type":"object","properties":{
	"path":{"type":"string"},"limit":{"type":"integer"},"deep":{"type":"object"},"sure":{"type":"boolean"},"text":{"type":"string"}}}`))}

// cutTexts are calls that no renderer writes, by dialect: with text arguments, or
// without the markers around them.
var cutTexts = map[string][]string{
	"functionary_v32": {">>>python\nprint(1)\nprint(22)\n>>>look_up\n{}", "look_up\n{\"limit\":150}", ">>>python\nx = 15\nx\n<|eot_id|>"},
	"functionary_v2":  {"<|recipient|>python\n<|content|>print(1)\nprint(22)\n<|stop|>", "look_up\n<|content|>{\"limit\":150}"},
	"qwen_agent":      {"✿FUNCTION✿: code_interpreter\n✿ARGS✿: print(1)\nprint(22)\n✿FUNCTION✿: look_up\n✿ARGS✿: {}"},
	"react":           {"Action: look_up\nAction Input: first line\nsecond\nObservation: so", "Action: look_up\nAction Input: \"a b\"\nObservation: so"},
	"continue": {
		"TOOL_NAME: look_up\nBEGIN_ARG: path\na b\nEND_ARG\nBEGIN_ARG: limit\n150\nEND_ARG\nDone.",
		"TOOL_NAME: look_up\nTOOL_NAME: look_up\nBEGIN_ARG: path\na b\nEND_ARG\n\nDone.",
	},
	"harmony": {
		"<|start|>assistant<|channel|>analysis to=python<|message|>print(1)\nprint(22)<|call|>",
		"<|channel|>commentary to=python code<|message|>print(1)\nprint(22)<|end|><|start|>assistant",
		`commentary to=functions.look_up json{"limit":150}`,
	},
	"kimi_k2": {`functions.look_up:12{"limit":150}`},
	"inkling": {`<|message_model|>look_up<|content_invoke_tool_json|>{"args":{"limit":150},"name":"look_up"}<|end_message|>`},
}

// checkCuts checks every prefix of a text: its executable calls are calls of the whole
// text, with the same arguments.
func checkCuts(t failer, d Dialect, tools Toolset, text string) {
	t.Helper()
	o := Options{Dialect: d, Tools: tools}
	whole := map[int]chat.Call{}
	for _, c := range Scan(text, o).Calls {
		whole[c.Start] = c
	}
	for cut := len(text) % stride; cut < len(text); cut += stride {
		for _, c := range Scan(text[:cut], o).Calls {
			w, ok := whole[c.Start]
			if !c.Executable || ok && w.Name == c.Name && cmp.Equal(w.Arguments, c.Arguments) {
				continue
			}
			t.Fatalf("%s: of %q there is %s %s %s, of all of %q %s %s %s", d.Name, text[:cut], c.Status, c.Name, c.Arguments, text, w.Status, w.Name, w.Arguments)
		}
	}
}

// TestCutsNeverExecute checks that no truncated call is executable with a part of its
// arguments.
func TestCutsNeverExecute(t *testing.T) {
	for _, d := range Dialects() {
		t.Run(d.Name, func(t *testing.T) {
			for _, tools := range []Toolset{nil, cutTools} {
				for _, arguments := range []string{cutArguments, `{"limit":150}`, `{"path":"a"}`, `{}`} {
					text, _ := d.Render(chat.Call{Name: "look_up", Arguments: json.RawMessage(arguments)}, tools)
					checkCuts(t, d, tools, text)
				}
				for _, text := range cutTexts[d.Name] {
					checkCuts(t, d, tools, text)
				}
			}
			for _, c := range cases(t, d) {
				checkCuts(t, d, nil, c.input)
			}
		})
	}
}

// TestCutsAny runs checkCuts on random short texts.
func TestCutsAny(t *testing.T) {
	eachRow(t, func(t *testing.T, d *Dialect) {
		texts := anyText(t, d)
		rapid.Check(t, func(rt *rapid.T) {
			text := texts.Draw(rt, "text")
			text = text[:min(len(text), 120)]
			of := rapid.SampledFrom([]Dialect{*d, {}}).Draw(rt, "dialect")
			checkCuts(rt, of, rapid.SampledFrom([]Toolset{nil, knownTools()}).Draw(rt, "tools"), text)
		})
	})
}
