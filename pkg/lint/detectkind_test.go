package lint

import (
	"cmp"
	"slices"
	"testing"

	"github.com/tidwall/gjson"

	"oneshot/pkg/schema"
)

// C3: the kind of a file is detected from its content, even if that is broken.
func TestDetectKind(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      Kind // "" for Unknown
	}{
		{"definition", greetYAML, Definition},
		{"definition after comments", "# Tools\n---\n# One\n" + greetYAML, Definition},
		{"definition without a name", "description: x\neffect: read\n", Definition},
		{"definition in broken YAML", "name: [\ndescription: x\nsignature: f()\n", Definition},
		{"definition with few keys", "name: f\ndescription: x\nparameters:\n  a: {type: string}\n", Definition},
		{"definition, all misspelt", "nmae: f\ndescripton: x\nefect: read\nsignatur: f()\nexampels: []\n", Definition},
		{"definition with keys of its own", "name: f\neffect: read\nbuiltin: f\nexamples: []\nicon: a\ncolor: b\n", Definition},
		{"definition, indented wrongly", "name: f\n signature: f()\neffect: read\nbuiltin: f\n", Definition},
		{"definition in flow style", "{name: fetch, signature: \"fetch(a: string): string\"}", Definition},
		{"definition in flow style, lines", "# One.\n{\n  name: fetch,\n  effect: read,\n}\n", Definition},
		{"definition in JSON with escapes", `{"name":"f","description":"\ud83d\ude00","parameters":{}}`, Definition},
		{"definitions, the first good", greetYAML + "---\nname: x\n", Definition},
		{"definition in JSON", `{"name": "f", "effect": "read"}`, Definition},
		{"schema", `{"$schema": "https://json-schema.org/draft/2020-12/schema"}`, Schema},
		{"schema by its type", `{"type": "object"}`, Schema},
		{"schema by its types", `{"type": ["object", "null"]}`, Schema},
		{"schema with a title", "\ufeff \n{\"title\": \"Digest\", \"properties\": {}}", Schema},
		{"schema with a comma too many", `{"type": "object", "properties": {},}`, Schema},
		{"schema, torn", `{"properties": {"a":`, Schema},
		{"run file", `{"seq":1,"run":"x","kind":"run","time":"2026-11-21T09:30:00Z"}` + "\n", RunFile},
		{"run file, torn", `{"seq":1,"run":"x","kind":"run","ti`, RunFile},
		{"agent file", "version: 1\nname: digest\nmodel: ollama/a\n", Agent},
		{"agent file in broken YAML", "model: [a\nmax_turns: 1\n", Agent},
		{"agent file in JSON", `{"version": 1, "model": "a"}`, Agent},
		{"agent file, misspelt", "version: 1\nmodell: a\nsytem: b\n", Agent},
		{"agent file with other keys", "name: a\nmodel: b\nsystem: c\nmax_turns: 2\ncolor: red\nicon: d\n", Agent},
		{"agent file, keys in quotes", "\"model\": a\n\"system\": b\n", Agent},
		{"policy", "version: 1\ntools:\n  wget: {}\n", Policy},
		{"policy, wrong keys", "tools: {}\nbudgets: {}\ntaint: {}\n", Policy},
		{"policy in JSON", `{"version": 1, "tools": {}}`, Policy},
		{"policy with a budget", "version: 1\nbudget: {calls: 3}\ntool: {}\n", Policy},
		{"policy, torn", "version: 1\ntools:\n  wget: {\n", Policy},
		{"envelope", `{"ok": true, "exit": {}, "answer": 1, "model": "a", "run_file": "f", "turns": 1, "calls": []}`, "envelope.v1"},
		{"list of parse results", `[{"dialect": "tool", "calls": [], "findings": []}]`, "parse_result.v1"},
		{"baseline", `{"fingerprint":"0","code":"TC301","file":"f"}` + "\n", BaselineFile},
		{"message", `{"role": "user", "content": "a"}`, Message},
		{"messages on lines, torn", `{"role":"user","content":"a"}` + "\n" + `{"role":`, Message},
		{"messages in YAML", "role: user\ncontent: |\n  name: x\n", Message},
		{"messages in a list in YAML", "# Two.\n- role: user\n  content: a\n- role: user\n", Message},
		{"words in a list", "- one\n- two: three\n", ""},
		{"list of calls", `[{"toolType": "a", "toolName": "a", "input": {}, "output": {}}]`, Message},
		{"record in the form v1", `{"name": "retrieval", "query": "q", "results": []}`, Message},
		{"events", `{"event": "on_chain_start"}` + "\n", Events},
		{"events, the first misspelt", `{"event": "on_chain_strat"}` + "\n", Events},
		{"events, torn", `{"event": "on_chain_start", "da`, Events},
		{"invalid event", `{"event": {"id": 1}}`, ""},
		{"event of others", `{"event": "push", "ref": "main"}`, ""},
		{"list of schemas", `[{"type": "object"}]`, ""},
		{"list of lists", `[[{"name": "f", "effect": "read"}]]`, ""},
		{"answer", `{"title": "News", "type": "daily"}`, ""},
		{"list", `[1, 2]`, ""},
		{"words", "These are words: two of them.\n", ""},
		{"indented keys", "  name: x\n  effect: read\n", Definition},
		{"nothing", "", ""},
		{"blanks", " \n\t\n", ""},
		{"no text", "\x00\xff{", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := DetectKind([]byte(tt.src)); got != cmp.Or(tt.want, Unknown) {
				t.Errorf("DetectKind = %q, want %q", got, tt.want)
			}
		})
	}
}

// C3: files of other programs, and prose, have no kind.
func TestForeignFiles(t *testing.T) {
	for _, tt := range []struct{ name, src string }{
		{"workflow", "name: test\non: [push]\njobs:\n  go:\n    runs-on: ubuntu-latest\n"},
		{"workflow with concurrency", "name: test\non:\n  push:\nconcurrency: a\npermissions: {}\njobs: {}\n"},
		{"action", "name: setup\ndescription: Sets up.\ninputs: {}\nruns:\n  using: node20\n"},
		{"hooks", "repos:\n- repo: local\n  hooks:\n  - id: a\n"},
		{"chart", "apiVersion: v2\nname: shop\ndescription: A shop.\ntype: application\nversion: 0.1.0\nappVersion: \"1\"\n"},
		{"package", `{"name": "shop", "version": "1.0.0", "description": "A shop.", "main": "a.js", "license": "MIT"}`},
		{"package with scripts", `{"name": "shop", "version": "1.0.0", "type": "module", "scripts": {"test": "a"}}`},
		{"small package", `{"name": "shop", "version": "1.0.0"}`},
		{"lock", `{"name": "shop", "version": "1.0.0", "lockfileVersion": 3, "packages": {}}`},
		{"openapi", "openapi: 3.1.0\ninfo:\n  title: Shop\n  version: 1\ntags: []\npaths: {}\n"},
		{"openapi in JSON", `{"openapi": "3.1.0", "info": {}, "paths": {}, "definitions": {}}`},
		{"compose", "version: \"3\"\nservices:\n  web:\n    image: nginx\n"},
		{"compose with a name", "name: shop\nservices: {}\nvolumes: {}\n"},
		{"versioned", "version: 2\nupdates:\n- package-ecosystem: gomod\n"},
		{"tsconfig", `{"compilerOptions": {"strict": true}, "include": ["src"], "files": []}`},
		{"tsconfig with comments", "{\n  // strict\n  \"compilerOptions\": {},\n}"},
		{"settings with a schema", `{"$schema": "https://example.com/settings.json", "name": "a"}`},
		{"readme", "# Shop\n\nA shop.\n\n## Usage\n\nname: the name\n\n    go run .\n"},
		{"readme with a key a line", "Shop\n====\n\nname: shop\neffect: none at all\nIt sells things.\nAnd more.\nAnd more.\n"},
		{"readme with a badge", "[![tests](https://example.com/a.svg)](https://example.com)\n\n# Shop\n"},
		{"head of a page", "---\nname: helper\ndescription: Helps.\ntools: Read\nmodel: large\n---\nYou help.\n"},
		{"manifest", "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec: {}\n"},
		{"playbook", "- name: web\n  hosts: all\n  tasks: []\n"},
		{"feature", `{"type": "Feature", "properties": {"name": "a"}, "geometry": null}`},
		{"schema in YAML", "$schema: https://json-schema.org/draft/2020-12/schema\ntype: object\nproperties: {}\n"},
		{"settings with a key near one", `{"version": 1, "modes": {}, "base": {}}`},
		{"results", `{"query": "a", "results": [], "total": 0, "took": 1, "next": null}`},
		{"log line", `{"timestamp": "2026-11-21T09:30:00Z", "level": "info", "content": "a"}`},
		{"tools of OpenAI", `[{"type": "function", "function": {"name": "f", "description": "a", "parameters": {"type": "object"}}}]`},
		{"flat tools of OpenAI", `[{"type": "function", "name": "f", "description": "a", "parameters": {"type": "object"}}]`},
		{"functions of OpenAI", `[{"name": "f", "description": "a", "parameters": {"type": "object"}}]`},
		{"tools of Anthropic", `[{"name": "f", "description": "a", "input_schema": {"type": "object"}}]`},
		{"tools of MCP", `{"tools": [{"name": "f", "description": "a", "inputSchema": {}}]}`},
		{"messages of OpenAI", `[{"role": "user", "content": "a"}, {"role": "assistant", "content": null, "tool_calls": []}]`},
		{"messages of OpenAI on lines", `{"role": "assistant", "content": "", "tool_calls": []}` + "\n" + `{"role": "tool", "content": "a"}`},
		{"result of OpenAI", `[{"role": "user", "content": "a"}, {"role": "tool", "content": "a", "tool_call_id": "1"}]`},
		{"messages of Anthropic", `[{"role": "user", "content": [{"type": "text", "text": "a"}]}]`},
		{"request of Anthropic", `{"model": "a", "max_tokens": 9, "system": "b", "messages": [], "tools": []}`},
		{"request of OpenAI", `{"model": "a", "messages": [], "tools": [], "temperature": 0, "seed": 1}`},
		{"response of OpenAI", `{"id": "a", "object": "b", "model": "c", "choices": [], "usage": {}}`},
		{"response of Anthropic", `{"id": "a", "type": "message", "role": "assistant", "content": [], "model": "b", "usage": {}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := DetectKind([]byte(tt.src)); got != Unknown {
				t.Errorf("DetectKind = %q", got)
			}
		})
	}
}

// C3: without enough evidence, the likely kinds are listed.
func TestLikelyKinds(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      []Kind
	}{
		{"policy with other keys", "rules:\n- allow: x\n", []Kind{Policy}},
		{"policy or agent file", "version: 1\nrules:\n- allow: x\n", []Kind{Policy}},
		{"a name and words", "name: f\ndescription: x\n", []Kind{Definition, Agent}},
		{"package", `{"name": "a", "version": "1"}`, []Kind{Agent}},
		{"words", "These are words.", nil},
		{"request", `{"model": "a", "messages": []}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, likely := DetectKind([]byte(tt.src))
			if got != Unknown || !slices.Equal(likely, tt.want) {
				t.Errorf("DetectKind = %q, %q; want %q", got, likely, tt.want)
			}
		})
	}
}

// C3: foreign keys belong to no kind.
func TestForeignKeysAreForeign(t *testing.T) {
	for _, f := range kindTable {
		for _, key := range f.topKeys() {
			if slices.Contains(foreignKeys, key) {
				t.Errorf("%s has the key %s", f.kind, key)
			}
		}
	}
}

// C3: the kind of each published schema's examples is detected.
func TestDetectSchemaExamples(t *testing.T) {
	for _, f := range kindTable {
		text, _ := schema.PublishedText(f.schema)
		for _, example := range gjson.GetBytes(text, "examples").Array() {
			if got, _ := DetectKind([]byte(example.Raw)); got != f.kind {
				t.Errorf("%s: DetectKind = %q: %s", f.kind, got, example.Raw)
			}
		}
	}
}
