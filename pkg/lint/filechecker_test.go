package lint

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
)

// C3: each kind of file gets its own checks.
func TestChecker(t *testing.T) {
	answers, findings := schema.Compile("s", []byte(`{"type": "object", "required": ["a"]}`))
	if answers == nil {
		t.Fatal(findings)
	}
	for _, tt := range []struct {
		name, src string
		kind      Kind
		count     int
		want      []string
	}{
		{"definition", greetYAML, Definition, 1, []string{}},
		{"definition, wrong effect", strings.Replace(greetYAML, "effect: read", "effect: reed", 1), Definition, 0, []string{"11:9 error TD006 -"}},
		{"definition, no implementation", strings.Replace(greetYAML, "builtin: greet", "builtin: great", 1), Definition, 0, []string{"12:10 error TD012 -"}},
		{"schema", `{"type": "object"}`, Schema, 0, []string{}},
		{"schema, wrong type", `{"type": "objekt"}`, Schema, 0, []string{"1:10 error TS001 - /type"}},
		{"answer", `{"a": 1}`, Answer, 0, []string{}},
		{"answer, key missing", `{"b": 1}`, Answer, 0, []string{"1:1 error TA002 -"}},
		{"answer, no JSON", `Sure!`, Answer, 0, []string{"1:1 error TA001 -"}},
		{"agent file", "version: 1\nmodel: a\n", Agent, 1, []string{}},
		{"agent file, unknown key", "version: 1\nmodels: a\n", Agent, 1, []string{"2:1 error TA002 -"}},
		{"agent file, number too long", "version: 1\nseed: 1" + strings.Repeat("0", 1000), Agent, 1, []string{"2:7 error TA001 - /seed"}},
		{"agent file, twice", "version: 1\nname: a\nname: b\nmodels: c", Agent, 1, []string{"3:1 error TA005 -", "4:1 error TA002 -"}},
		{"policy, in a list", `[{"version": 1}]`, Policy, 1, []string{"1:1 error TA002 -"}},
		{"JSON in a YAML file", "{version: 1, model: a}", Agent, 1, []string{"1:2 error TA001 -"}},
		{"lines", `{"name":"ollama","status":"ok","detail":""}` + "\n\n [1]\n", "doctor.v1", 1, []string{"3:2 error TA001 -"}},
		{"list", ` [{"code":"TA001","severity":"error","message":"m"}, {"code":"TA001","severity":"bad","message":"m"}]`, "finding.v1", 2,
			[]string{"1:81 error TA002 - /1/severity"}},
		{"list, cut", `[{"code":"TA001","severity":"bad","message":"m"}`, "finding.v1", 0, []string{"1:49 error TA001 -"}},
		{"list, a key twice", `[{}, {"code":"TA001","severity":"error","message":"m","code":1}]`, "finding.v1", 0, []string{"1:55 error TA001 - /1/code"}},
		{"JSON, and more", "{}\n---\nok: true\n", "result.v1", 1, []string{"2:1 error TA001 -"}},
		{"YAML documents", "ok: 1\n---\nok: true\ndata: 1\n", "result.v1", 2, []string{"1:5 error TA002 - /ok"}},
		{"baseline", `{"fingerprint":"0123456789abcdef0123456789abcdef","code":"TC301","file":"f"}` + "\n\nx\n", BaselineFile, 2, []string{"3:1 error TA001 -"}},
		{"message", `{"role":"user","content":"a"}`, Message, 1, []string{}},
		{"call", `{"toolType":"a","toolName":"a","input":{},"output":1}`, Message, 1, []string{"1:52 error TA002 - /output"}},
		{"list in YAML", "- {role: user, content: a}\n- role: user\n  content: 1\n- {name: retrieval, query: 1, results: []}\n", Message, 3,
			[]string{"3:12 error TA002 - /1/content", "4:3 warning TM001 - /2", "4:3 error TM002 - /2", "4:3 error TM002 - /2"}},
		{"message and call", `{"role":"user"}` + "\n" + `{"toolName":""}`, Message, 2, []string{"1:1 error TA002 -",
			"2:1 error TA002 -", "2:1 error TA002 -", "2:1 error TA002 -", "2:13 error TA002 - /toolName"}},
		{"events", `{"event":"on_chain_start"}` + "\n" + `{"event":"error","data":{"error":"a","message":"b"}}`, Events, 2, []string{}},
		{"events, torn", `{"event":"on_chain_start"}` + "\n" + `{"event":"er`, Events, 1, []string{"2:1 error TE002 -"}},
		{"events, wrong at the end", `{"event":"on_chain_start"}` + "\n" + `{"event":x}`, Events, 2, []string{"1:10 error TE002 - /event", "2:10 error TA001 - /event"}},
		{"events, in a list", `[{"event":"on_chain_start"}]`, Events, 1, []string{"1:1 error TA002 -", "1:1 error TE001 -", "1:1 error TE002 -"}},
		{"run file, empty", "", RunFile, 0, []string{}},
		{"run file, no record", "Sure!\nNo.\n", RunFile, 0, []string{"1:1 error TR001 -"}},
		{"run file, torn", "Sure!", RunFile, 0, []string{"1:1 warning TR002 -"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := NewChecker(answers, tool.Loader{Builtins: []string{"greet"}}, V1Defaults{}, nil).CheckFile("x", []byte(tt.src), tt.kind)
			if d := cmp.Diff(tt.want, brief(v.Findings)); d != "" {
				t.Error(d)
			}
			if v.Count != tt.count {
				t.Errorf("Count = %d, want %d", v.Count, tt.count)
			}
			for _, f := range v.Findings {
				if f.File != "x" {
					t.Errorf("a finding is in file %q", f.File)
				}
			}
		})
	}
}

// T3: a tool that is defined in two files is an error in the second.
func TestCheckerKnowsNames(t *testing.T) {
	c := NewChecker(nil, tool.Loader{}, V1Defaults{}, nil)
	if v := c.CheckFile("a.yaml", []byte(greetYAML), Definition); len(v.Findings) > 0 {
		t.Fatal(v.Findings)
	}
	v := c.CheckFile("b.yaml", []byte("\n"+greetYAML), Definition)
	if d := cmp.Diff([]string{"2:7 error TD011 -"}, brief(v.Findings)); d != "" {
		t.Fatal(d)
	}
	if message := v.Findings[0].Message; !strings.Contains(message, "a.yaml:1") {
		t.Errorf("the message does not say where the first stands: %s", message)
	}
}

// K7: rewriting the v1 records of any file leaves none that can be rewritten, and keeps strict JSON
// strict.
func checkV1(t *testing.T, schemas map[string]*schema.Schema, src []byte) {
	for _, kind := range []Kind{Message, Events} {
		c := NewChecker(nil, tool.Loader{}, V1Defaults{ToolName: "t", TopK: 3}, nil)
		c.schemas = schemas
		fixed := c.Fix("x", src, kind)
		if fixed.Unfinished != "" || len(diag.SafeFixes(fixed.Result.Findings)) > 0 {
			t.Errorf("%s: %d fixes made, %s\n%s", kind, fixed.Applied, fixed.Unfinished, fixed.Text)
		}
		if fixed.Applied == 0 && !bytes.Equal(src, fixed.Text) {
			t.Errorf("%s: changed without a fix:\n%s", kind, fixed.Text)
		}
		if schema.CheckStrict(src) == nil {
			if fault := schema.CheckStrict(fixed.Text); fault != nil {
				t.Errorf("%s: %s\n%s", kind, fault, fixed.Text)
			}
		}
	}
}

// K7: values and layout of a record are kept.
func TestV1(t *testing.T) {
	const v2 = `{"toolType":"vectorSearch","toolName":"t","input":{"query":"q","topK":3},"output":{"results":RESULTS}}`
	for _, tt := range []struct{ results, want string }{
		{`[]`, `[]`},
		{`[ ]`, `[]`},
		{`[1,{}]`, `[1,{}]`},
		{`[{"chunk_id":"\u0061","score":1.0E+2}]`, `[{"id":"\u0061","score":1.0E+2}]`},
		{`[{"metadata":{"b":[1, 2],"a":{} },"content":""}]`, `[{"metadata":{"b":[1, 2],"a":{},"content":""}}]`},
		{`[{"metadata":{"content":{"a":1,"b":2}},"content":{"b":2, "a":1}}]`, `[{"metadata":{"content":{"a":1,"b":2}}}]`},
		{`[{"content":null,"\u0069d":"x"}]`, `[{"metadata":{"content":null},"id":"x"}]`},
	} {
		src := `{"query":"q","results":` + tt.results + `,"name":"retrieval"}`
		c := NewChecker(nil, tool.Loader{}, V1Defaults{ToolName: "t", TopK: 3}, nil)
		got := c.Fix("x", []byte(src), Message)
		if d := cmp.Diff(strings.Replace(v2, "RESULTS", tt.want, 1), string(got.Text)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.results, d)
		}
	}
	for _, tt := range []struct{ name, src, want string }{
		{"tabs and CRLF", "{\r\n\t\"query\": \"q\",\r\n\t\"name\": \"retrieval\",\r\n\t\"results\": []\r\n}\r\n",
			"{\r\n\t\"toolType\": \"vectorSearch\",\r\n\t\"toolName\": \"t\",\r\n\t\"input\": {\r\n\t\t\"query\": \"q\",\r\n\t\t\"topK\": 3\r\n\t},\r\n\t\"output\": {\r\n\t\t\"results\": []\r\n\t}\r\n}\r\n"},
		{"a layout of its own", "{\"query\":\"q\",\n\"name\":\"retrieval\",\n\"results\":[\n1]}",
			"{\"toolType\":\"vectorSearch\",\"toolName\":\"t\",\"input\":{\"query\":\"q\",\"topK\":3},\"output\":{\"results\":[1]}}"},
	} {
		c := NewChecker(nil, tool.Loader{}, V1Defaults{ToolName: "t", TopK: 3}, nil)
		if d := cmp.Diff(tt.want, string(c.Fix("x", []byte(tt.src), Message).Text)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

// A bounded number of findings per code is kept, and the rest is counted.
func TestCheckerBounds(t *testing.T) {
	src := strings.Repeat("1\n", maxFindingsPerCode+7) + "{\n"
	v := NewChecker(nil, tool.Loader{}, V1Defaults{}, nil).CheckFile("x", []byte(src), BaselineFile)
	last := v.Findings[len(v.Findings)-2:]
	want := []string{fmt.Sprintf("%d:1 error TA002 -", maxFindingsPerCode+1), fmt.Sprintf("%d:2 error TA001 -", maxFindingsPerCode+8)}
	if d := cmp.Diff(want, brief(last)); d != "" || len(v.Findings) != maxFindingsPerCode+2 || last[0].Message != "7 more findings of this code are not listed" {
		t.Errorf("%d findings, %s\n%s", len(v.Findings), last[0].Message, d)
	}
}

// The number of findings about one record is bounded.
func TestV1Doubts(t *testing.T) {
	var src strings.Builder
	src.WriteString(`{"query":"q","results":[]`)
	for i := range 1000 {
		fmt.Fprintf(&src, `,"k%d":1`, i)
	}
	v := NewChecker(nil, tool.Loader{}, V1Defaults{}, nil).CheckFile("x", []byte(src.String()+"}"), Message)
	if n := len(v.Findings); n != maxProblems+2 {
		t.Errorf("%d findings", n)
	}
}

// checkKinds checks that detecting a kind, and checking a file as any kind, succeeds. Schemas
// caches the published schemas.
func checkKinds(t *testing.T, answers *schema.Schema, schemas map[string]*schema.Schema, src []byte) {
	if kind, likely := DetectKind(src); kind == "" || kind != Unknown && len(likely) > 0 {
		t.Errorf("DetectKind = %q, %q", kind, likely)
	}
	checkV1(t, schemas, src)
	for _, kind := range append(slices.Clone(Kinds), "result.v1") {
		c := NewChecker(answers, tool.Loader{}, V1Defaults{}, nil)
		c.schemas = schemas
		v := c.CheckFile("x", src, kind)
		for _, f := range v.Findings {
			if f.Message == "" || f.Code.Rule().Slug == "" {
				t.Errorf("a finding says nothing: %+v", f)
			}
			if f.Span.Line < 1 || f.Span.Start < 0 || f.Span.End < f.Span.Start || f.Span.End > len(src) {
				t.Errorf("%s: %s stands nowhere: %+v", kind, f, f.Span)
			}
		}
	}
}
