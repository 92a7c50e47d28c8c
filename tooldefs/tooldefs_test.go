package tooldefs

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"oneshot/pkg/schema"
	"oneshot/pkg/schema/yamldoc"
	"oneshot/pkg/tool"
)

// The shipped definitions have no findings, and the expected effects and signatures.
func TestDefinitions(t *testing.T) {
	defs, findings, err := tool.Loader{}.Load(FS, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		t.Error(f)
	}
	want := []string{
		"write file_put(path: string, content: string, ifMatch?: string): {path: string, bytes: integer}",
		"read file_read(filePaths: string[], digest?: boolean): {path: string, content: string, size: integer, sha256?: string}[]",
		"write open_url(url: string): {opened: boolean, shown: boolean}",
		"read say(utterance: string, voiceId?: string, style?: string): {spoken: boolean, shown: boolean}",
		"read send_chat(content: string): {shown: boolean}",
		"exec terminal_execute(command: string, timeout: integer = 60): {exit: integer, stdout: string, stderr: string, ended?: integer}",
		"read vault_search(query: string, limit: integer = 10): {path: string, basename: string, matches: integer, preview: string}[]",
		"read wget(uri: string, timeoutMs: integer = 10000): string",
	}
	var got []string
	for _, d := range defs {
		got = append(got, string(d.Effect)+" "+d.Signature.String())
		if d.Builtin != d.Name || d.Timeout == 0 {
			t.Errorf("%s: builtin %q, timeout %v", d.Name, d.Builtin, d.Timeout)
		}
		for _, p := range d.Signature.Params {
			if p.Description == "" {
				t.Errorf("%s: the parameter %s has no description", d.Name, p.Name)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("definitions (-want +got):\n%s", diff)
	}
}

// A definition without labels has those of its built-in tool.
func TestLabels(t *testing.T) {
	files, err := fs.Glob(FS, "*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := fs.ReadFile(FS, file)
		if err != nil {
			t.Fatal(err)
		}
		shipped, _ := tool.Loader{}.Parse(file, text)
		bare, _ := tool.Loader{}.Parse(file, regexp.MustCompile(`(?m)^labels: .*\n`).ReplaceAll(text, nil))
		if diff := cmp.Diff(shipped[0].Labels, bare[0].Labels); diff != "" {
			t.Errorf("%s (-shipped +without labels):\n%s", file, diff)
		}
	}
}

// B1: reading verified definitions gives the same result without compiling schemas, and so with fewer allocations.
func TestVerified(t *testing.T) {
	read := func(verified bool) (string, float64) {
		load := func() []*tool.Definition {
			defs, findings, err := tool.Loader{Verified: verified}.Load(FS, ".")
			if err != nil || len(findings) > 0 {
				t.Fatal(err, findings)
			}
			return defs
		}
		var all strings.Builder
		for _, d := range load() {
			examples, err := json.Marshal(d.Examples)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&all, d.Signature.String(), string(d.Schema), d.Returns, string(examples), d.Check([]byte(`{"none":1}`)))
		}
		return all.String(), testing.AllocsPerRun(3, func() { load() })
	}
	checked, checking := read(false)
	verified, reading := read(true)
	if diff := cmp.Diff(checked, verified); diff != "" {
		t.Error(diff)
	}
	if reading > 0.6*checking {
		t.Errorf("%v allocations, and %v with checks", reading, checking)
	}

}

// The shipped definitions match the published schema.
func TestPublishedSchema(t *testing.T) {
	text, _ := schema.PublishedText("tool_definition.v1")
	s, findings := schema.Compile("tool_definition.v1", text)
	if findings != nil {
		t.Fatal(findings)
	}
	files, err := fs.Glob(FS, "*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		src, err := fs.ReadFile(FS, name)
		if err != nil {
			t.Fatal(err)
		}
		_, docs := yamldoc.Read(name, src, yamldoc.Codes{})
		for _, doc := range docs {
			text, ok := doc.JSON()
			if findings := s.Check(text); !ok || findings != nil {
				t.Errorf("%s: %v", name, findings)
			}
		}
	}
}

// T11, V1, V2: the shipped tools accept valid arguments and refuse invalid ones.
func TestArguments(t *testing.T) {
	defs, _, err := tool.Loader{}.Load(FS, ".")
	if err != nil {
		t.Fatal(err)
	}
	registry, _ := tool.NewRegistry(defs...)
	tests := []struct {
		name, args string
		fits       bool
	}{
		{"wget", `{"uri":"https://example.com/"}`, true},
		{"wget", `{"uri":"https://example.com/","timeoutMs":120000}`, true},
		{"wget", `{"uri":"https://example.com/","timeoutMs":120001}`, false},
		{"wget", `{"uri":"https://example.com/","timeoutMs":0}`, false},
		{"wget", `{"timeoutMs":1}`, false},
		{"vault_search", `{"query":"x","limit":1000}`, true},
		{"vault_search", `{"query":"x","limit":0}`, false},
		{"vault_search", `{"query":"x","limit":"5"}`, false},
		{"file_read", `{"filePaths":["a.md"]}`, true},
		{"file_read", `{"filePaths":[]}`, false},
		{"file_read", `{"filePaths":"a.md"}`, false},
		{"file_put", `{"path":"a","content":""}`, true},
		{"file_put", `{"path":"a"}`, false},
		{"send_chat", `{"content":"hello"}`, true},
		{"send_chat", `{"content":"hello","to":"Ada"}`, false},
		{"say", `{"utterance":"hello"}`, true},
		{"say", `{"utterance":"hello","voiceId":"Amber","style":""}`, true},
		{"say", `{"utterance":""}`, false},
		{"say", `{"utterance":"` + strings.Repeat("ä", 2000) + `"}`, true},
		{"say", `{"utterance":"` + strings.Repeat("a", 2001) + `"}`, false},
		{"say", `{"utterance":"hello","voiceId":"` + strings.Repeat("a", 65) + `"}`, false},
		{"open_url", `{"url":"https://example.com/"}`, true},
		{"open_url", `{"url":""}`, false},
		{"terminal_execute", `{"command":"ls -l","timeout":600}`, true},
		{"terminal_execute", `{"command":"ls -l","timeout":601}`, false},
		{"terminal_execute", `{"command":"ls -l","timeout":0}`, false},
		{"terminal_execute", `{"command":""}`, false},
		{"terminal_execute", `{"argv":["ls"]}`, false},
		{"terminal_execute", `{"command":"ls","dir":"/"}`, false},
		{"open_url", `{}`, false},
	}
	for _, tt := range tests {
		d, ok := registry.Get(tt.name)
		if !ok {
			t.Fatalf("there is no %s", tt.name)
		}
		if findings := d.Check(json.RawMessage(tt.args)); (len(findings) == 0) != tt.fits {
			t.Errorf("%s(%s): %v", tt.name, tt.args, findings)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, findings, err := (tool.Loader{}).Load(FS, "."); err != nil || len(findings) > 0 {
			b.Fatal(err, findings)
		}
	}
}

// M1: the formats of built-in tools in package tool match those of the shipped definitions.
func TestBuiltinFormats(t *testing.T) {
	defs, _, err := tool.Loader{}.Load(FS, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range defs {
		for _, name := range d.ParameterNames() {
			property := gjson.GetBytes(d.Schema, "properties."+name)
			written := property.Get("format").Str + property.Get("items.format").Str
			if got := d.BuiltinFormat(name); got != written {
				t.Errorf("%s of %s: format %q, and %q is known", name, d.Name, written, got)
			}
		}
	}
}
