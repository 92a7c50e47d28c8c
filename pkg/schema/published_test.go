package schema

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

const goodFinding = `{"code":"TA002","severity":"error","message":"m","hint":"h","file":"f","call":0,"path":"/a",
	"span":{"start":0,"end":1,"line":1,"column":1,"end_line":1,"end_column":2},
	"fixes":[{"title":"t","kind":"safe","edits":[{"start":0,"end":1,"new":""}]}]}`

// examples has, for each published schema, documents that fit and documents
// that do not, with the only finding they raise.
var examples = map[string]struct {
	good []string
	bad  map[string]string
}{
	"finding.v1": {
		good: []string{goodFinding, `{"code":"TC001","severity":"hint","message":""}`},
		bad: map[string]string{
			`{"code":"X1","severity":"error","message":"m"}`:                 `TA002 1:9 /code: expected a match of the pattern ^T[A-Z][0-9]{3}$, got the string "X1"`,
			`{"code":"TA001","severity":"error","message":"m","span":[1,2]}`: `TA002 1:57 /span: expected an object, got an array`,
		},
	},
	"result.v1": {
		good: []string{
			`{"ok":true,"data":null}`,
			`{"ok":false,"needs":{"durationMins":true},"question":"How long?"}`,
			`{"ok":false,"error":{"code":"NOT_FOUND","message":"","retryable":false}}`,
		},
		bad: map[string]string{
			`{"ok":false,"error":{"code":"NOPE","message":"","retryable":false}}`: `TA002 1:29 /error/code: expected one of "INVALID_ARGUMENTS", "UNKNOWN_TOOL", "UNAUTHORIZED", "SCOPES_MISSING", "CONNECTION_INACTIVE", "DENIED", "NOT_FOUND", "CONFLICT", "RATE_LIMITED", "TIMEOUT", "TOO_LARGE", "UNAVAILABLE", "UNKNOWN_OUTCOME", "FAILED"; got the string "NOPE"`,
			`{"ok":true}`: `TA002 1:1 document: missing key "data"`,
		},
	},
	"batch.v1": {
		good: []string{
			`{"id":"r17","index":17,"input":"sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a","plan":"sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a","exit":{"code":0,"name":"ok","retry":"no","retryable":false},"answer":{"a":1},"usage":{"input_tokens":1,"output_tokens":2},"cost_usd":0.0021,"duration_ms":812,"run_id":"r","run_file":"r.jsonl"}`,
			`{"id":"r18","index":18,"input":"sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a","plan":"sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a","exit":{"code":7,"name":"denied","retry":"no","retryable":false},"error":{"message":"m","hint":"h"},"usage":{"input_tokens":1,"output_tokens":2},"cost_usd":null,"duration_ms":0,"run_id":"r","run_file":"r.jsonl"}`,
		},
		bad: map[string]string{
			`{"id":"r","index":1,"input":"sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a","plan":"sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a","exit":{"code":0,"name":"ok","retry":"no","retryable":false},"usage":{"input_tokens":1,"output_tokens":2},"cost_usd":null,"duration_ms":0,"run_id":"r","run_file":"f"}`:            `TA002 1:1 document: missing key "answer"`,
			`{"id":"r","index":0,"input":"sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a","plan":"sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a","exit":{"code":0,"name":"ok","retry":"no","retryable":false},"answer":1,"usage":{"input_tokens":1,"output_tokens":2},"cost_usd":null,"duration_ms":0,"run_id":"r","run_file":"f"}`: `TA002 1:19 /index: expected at least 1, got the number 0`,
		},
	},
	"approval_request.v1": {
		good: []string{
			`{"toolCallId":"t1c1","toolName":"file_put","args":{"path":"a"},"digest":"sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a","approval":"sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a","preview":{"files":[{"path":"a","resolved":"b/a","state":"file","bytes":3,"reason":"r"}]},"effect":"write","purpose":"Write.","rule":"out","reason":"r","note":"n"}`,
		},
		bad: map[string]string{
			`{"toolCallId":"t1c1","toolName":"file_put","args":{},"digest":"sha256:0","approval":"sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a","preview":{},"effect":"write","purpose":"","rule":"out"}`: `TA002 1:63 /digest: expected a match of the pattern ^sha256:[0-9a-f]{64}$, got the string "sha256:0"`,
		},
	},
	"tool_context.v1": {
		good: []string{
			`{"version":1,"call":{"name":"notify","arguments":{}},"messages":[]}`,
			`{"version":1,"run_id":"r","call":{"id":"t1c1","name":"notify","arguments":{"a":1}},"messages":[
			  {"role":"user","content":"go","attachments":[{"name":"a.png","type":"image/png","bytes":1,"sha256":"00"}]},
			  {"role":"assistant","content":"","calls":[{"id":"c","name":"wget","arguments":"{"}]},{"role":"tool","content":"x","call_id":"c","name":"wget"}]}`,
		},
		bad: map[string]string{
			`{"version":1,"call":{"name":"a","arguments":{}},"messages":[{"role":"system","content":""}]}`: `TA002 1:69 /messages/0/role: expected one of "user", "assistant", "tool"; got the string "system"`,
		},
	},
	"approval_decision.v1": {
		good: []string{`{"approved":false}`, `{"approvalId":"1","approved":true,"modifiedArgs":{},"reason":""}`, `{"approved":true,"modifiedArgs":null}`},
		bad: map[string]string{
			`{"approved":"yes"}`: `TA002 1:13 /approved: expected a boolean, got the string "yes"`,
			`{"approvalId":"1"}`: `TA002 1:1 document: missing key "approved"`,
		},
	},
	"parse_result.v1": {
		good: []string{
			`{"dialect":"tool","calls":[],"findings":[` + goodFinding + `],"findings_cut":2}`,
			`{"file":"f","record":1,"dialect":"tool","why":"w","content":"","reasoning":"","findings":[],
			  "calls":[{"name":"wget","arguments":{"uri":"x"},"id":"1","priority":-1.5,"status":"ok","executable":true,"value_changed":false,
			  "span":{"start":0,"end":1,"line":1,"column":1,"end_line":1,"end_column":2},"repairs":["TC203"],"alternatives":[{"name":"wget","status":"ok","executable":false}]}]}`,
		},
		bad: map[string]string{
			`{"dialect":"tool","calls":[{"name":"f","status":"fine","executable":true}],"findings":[]}`: `TA002 1:49 /calls/0/status: expected one of "ok", "repaired", "ambiguous", "truncated", "invalid", "suppressed"; got the string "fine"`,
		},
	},
	"doctor.v1": {
		good: []string{
			`{"ok":true,"exit":{"code":0,"name":"ok"},"checks":[{"name":"ollama","status":"ok","detail":"d","hint":"h","models":[{"name":"ollama/a","size_bytes":1,"context":4096,"tools":true,"thinking":false},{"name":"lmstudio/b"}]}]}`,
			`{"ok":false,"exit":{"code":5,"name":"unavailable"},"checks":[{"name":"version","status":"skip","detail":""}]}`,
		},
		bad: map[string]string{
			`{"ok":true,"exit":{"code":0,"name":"ok"},"checks":[{"name":"a","status":"good","detail":""}]}`: `TA002 1:73 /checks/0/status: expected one of "ok", "warn", "fail", "skip"; got the string "good"`,
		},
	},
	"envelope.v1": {
		good: []string{
			`{"ok":true,"exit":{"code":0,"name":"ok","retry":"no","retryable":false},"answer":null,"run_file":"r","run_id":"i","model":"m","turns":1,
			  "calls":[{"id":"t1c1","tool":"wget","effect":"read","status":"error","code":"TIMEOUT","arguments":{}}],
			  "toolCalls":[{"toolType":"wget","toolName":"wget","input":{},"output":{"error":{"code":"TIMEOUT","message":"m","retryable":true}}}],
			  "usage":{"input_tokens":1,"output_tokens":2,"cached_input_tokens":1,"reasoning_tokens":1,"estimated_tokens":3},"cost_usd":0.0021,
			  "models":[{"model":"m","requests":1,"usage":{"input_tokens":1,"output_tokens":2},"cost_usd":null}],"findings":[` + goodFinding + `],"labels":["private"],"wasAborted":false,"repairs":0}`,
			`{"ok":false,"exit":{"code":8,"name":"needs","retry":"with_input","retryable":false},"resume":"oneshot run --resume r","error":{"message":"m","hint":"h"},"turns":0,"calls":[],"toolCalls":[],
			  "usage":{"input_tokens":0,"output_tokens":0},"cost_usd":null,"models":[],"needs":{"a":true},"question":"q","limit":"turns","findings":[],"labels":["private"],"wasAborted":true,"repairs":0}`,
		},
		bad: map[string]string{
			`{"ok":false,"exit":{"code":2,"name":"usage","retry":"no","retryable":false},"turns":0,"calls":[],"toolCalls":[],"usage":{"input_tokens":0,"output_tokens":0},"cost_usd":0,"models":[],"findings":[],"labels":["private"],"wasAborted":false,"repairs":0}`: `TA002 1:1 document: missing key "error"`,
		},
	},
	"agent_config.v2": {
		good: []string{
			`{"version":1}`,
			`{"version":1,"model":["a","b"],"tool":"x","timeout":"1m30s","param":{"stop":["x"]},"base_url":{"ollama":"http://h"},
			  "api_key":{"openai":"${secret:K}"},"input":["a","-"],"now":"2026-11-21T09:30:00Z"}`,
		},
		bad: map[string]string{
			`{}`:                               `TA002 1:1 document: missing key "version"`,
			`{"version":1,"tool":[]}`:          `TA002 1:21 /tool: expected at least 1 item, got 0`,
			`{"version":1,"api_key":"sk-123"}`: `TA002 1:24 /api_key: expected a match of the pattern ^\$\{secret:[A-Za-z_][A-Za-z0-9_]*\}$, got the string "sk-123"`,
			`{"version":1,"stdin_wait":3}`:     `TA002 1:27 /stdin_wait: expected a string, got the number 3`,
		},
	},
	"policy.v1": {
		good: []string{
			`{"version":1,"tools":{"a":{}}}`,
			`{"version":1,"enable_exec":true,"require_nonce":false,"tools":{"a":{"allow":[{}],"ask":[{"id":"i"}],"deny":[{"because":"b"}],"limit":{"bytes":1}}},
			  "budget":{"calls":0,"wall":"1h"},"taint":{},"tests":[{"call":{"tool":"a"},"expect":"ask"}]}`,
			`{"version":1,"tools":{},"programs":{"path":["/bin"],"env":[],"limit":{"memory":"2GB","file_size":1,"processes":1,"open_files":1},
			  "sandbox":{"read":[],"write":[],"network":true,"missing":"ignore"}}}`,
		},
		bad: map[string]string{
			`{"version":1,"tools":{"a":{"deny":[{"set":{"a":1}}]}}}`:      `TA002 1:37 /tools/a/deny/0: unknown key "set"; known keys: "args", "because", "effect", "id"`,
			`{"version":1,"tools":{},"programs":{"path":[]}}`:             `TA002 1:44 /programs/path: expected at least 1 item, got 0`,
			`{"version":1,"tools":{},"programs":{"env":["A=b"]}}`:         `TA002 1:44 /programs/env/0: expected a match of the pattern ^[A-Za-z_][A-Za-z0-9_]*$, got the string "A=b"`,
			`{"version":1,"tools":{},"programs":{"sandbox":null}}`:        `TA002 1:47 /programs/sandbox: expected an object, got null`,
			`{"version":1,"tools":{"a":{"allow":[{"args":{"b":{}}}]}}}`:   `TA002 1:50 /tools/a/allow/0/args/b: expected at least 1 key, got 0`,
			`{"version":1,"tools":{"a":{"allow":[{"args":{"b":[1]}}]}}}`:  `TA002 1:51 /tools/a/allow/0/args/b/0: expected a string, got the number 1`,
			`{"version":1,"tools":{"a":{"allow":[{"effect":"delete"}]}}}`: `TA002 1:47 /tools/a/allow/0/effect: expected one of "read", "write", "exec"; got the string "delete"`,
		},
	},
	"chat_message.v2": {
		good: []string{
			`{"role":"user","content":""}`,
			`{"role":"assistant","content":"c","toolCalls":[],"error":{"error":"e","message":""},"timestamp":"2026-11-21T09:30:00Z"}`,
			`{"role":"assistant","content":"c","toolCalls":[{"toolType":"x","toolName":"y","input":{"a":1},"output":{"value":[1]}}]}`,
		},
		bad: map[string]string{
			`{"role":"tool","content":""}`: `TA002 1:9 /role: expected one of "user", "assistant", "system"; got the string "tool"`,
			`{"role":"user","content":"","toolCalls":[{"toolType":"x","toolName":"y","input":[],"output":{}}]}`:                                                                        `TA002 1:81 /toolCalls/0/input: expected an object, got an empty array`,
			`{"role":"user","content":"","toolCalls":[{"toolType":"vectorSearch","toolName":"y","input":{"query":"q","topK":0},"output":{"results":[],"namespace":"n","index":"i"}}]}`: `TA002 1:112 /toolCalls/0/input/topK: expected at least 1, got the number 0`,
			`{"role":"user","content":"","toolCalls":[{"toolType":"vectorSearch","toolName":"y","input":{"query":"q","topK":1},"output":{"results":[],"namespace":""}}]}`:              `TA002 1:124 /toolCalls/0/output: missing key "index"`,
		},
	},
	"agent_streaming_events.v1": {
		good: []string{
			`{"event":"error","data":{"error":"e","message":""}}`, `{"event":"on_chain_start"}`, `{"event":"on_chat_model_start","toolCalls":[]}`,
			`{"event":"on_chat_model_stream","data":""}`, `{"event":"on_tool_start","data":"d"}`, `{"event":"on_tool_end"}`,
			`{"event":"on_chain_end","data":null,"toolCalls":[{"toolType":"x","toolName":"y","input":{},"output":{}}]}`,
			`{"event":"on_chat_model_start","toolCalls":[{"toolType":"vectorSearch","toolName":"y","input":{"query":"q","topK":1},"output":{"omitted":20000}}]}`,
		},
		bad: map[string]string{
			`{"event":"on_chain"}`:             `TA002 1:10 /event: expected one of "error", "on_chain_start", "on_chain_end", "on_chat_model_start", "on_chat_model_stream", "on_tool_start", "on_tool_end"; got the string "on_chain"`,
			`{}`:                               `TA002 1:1 document: missing key "event"`,
			`{"event":"on_tool_end","data":1}`: `TA002 1:24 document: unknown key "data"; known keys: "event"`,
			`{"event":"error","data":"m"}`:     `TA002 1:25 /data: expected an object, got the string "m"`,
			`{"event":"on_chat_model_stream","data":{"a":"b"}}`: `TA002 1:40 /data: expected a string, got an object`,
		},
	},
	"config.v1": {
		good: []string{
			`{}`,
			`{"model":["ollama/qwen3:8b","openai/gpt-5-mini"],"base_url":{"ollama":"http://gpu.example:11434"},"max_turns":5,"timeout":"2m"}`,
			`{"prices":{"openai/own":{"input":0.25,"output":2,"tiers":[{"above":200000,"input":0.5}]}}}`,
		},
		bad: map[string]string{
			`{"model":[]}`:                               `TA002 1:10 /model: expected at least 1 item, got 0`,
			`{"prices":{"a/b":{"input":1}}}`:             `TA002 1:18 /prices/a~1b: missing key "output"`,
			`{"prices":{"a/b":{"input":-1,"output":2}}}`: `TA002 1:27 /prices/a~1b/input: expected at least 0, got the number -1`,
			`{"api":true}`:                               `TA002 1:8 /api: expected one of "ollama", "chat", "responses", "messages"; got true`,
		},
	},
	"baseline.v1": {
		good: []string{`{"fingerprint":"0123456789abcdef0123456789abcdef","code":"TC301","file":"f","call":"c","path":"/p","nth":2}`},
		bad: map[string]string{
			`{"fingerprint":"0","code":"TC301","file":"f"}`: `TA002 1:16 /fingerprint: expected a match of the pattern ^[0-9a-fA-F]{32}$, got the string "0"`,
		},
	},
	"tool_definition.v1": {
		good: []string{
			`{"name":"f","description":"d","signature":"f()","effect":"read","builtin":"f","examples":[{"call":"f()"},{"call":"f()","note":"n"},{"call":"f()"}]}`,
			`{"name":"f","description":"d","effect":"write","builtin":"f","examples":[{"call":"f()"},{"call":"f()"},{"call":"f()"}],
			  "parameters":{"a":{"type":["string","null"],"required":false,"pattern":"^a","description":"d"},
			    "b":{"type":"object","properties":{"c":{"anyOf":[{"type":"array","items":{}},{"const":1}]}},"additionalProperties":{"type":"string"}}},
			  "returns":"string","idempotent":true,"scopes":["s"],"timeout":"1m30s","limit":{"rate":"5/s","bytes":"1MB"},"tags":["t"]}`,
		},
		bad: map[string]string{
			`{"name":"f","description":"d","effect":"read","builtin":"f","examples":[{"call":"f()"},{"call":"f()"},{"call":"f()"}]}`:                  `TA002 1:1 document: matches none of the alternatives: missing key "signature"; or missing key "parameters"`,
			`{"name":"f-g","description":"d","signature":"f()","effect":"read","builtin":"f","examples":[{"call":"f()"},{"call":"f()"},{"call":""}]}`: `TA002 1:9 /name: expected a match of the pattern ^[A-Za-z_][A-Za-z0-9_]{0,63}$, got the string "f-g"`,
		},
	},
}

func TestPublished(t *testing.T) {
	names := PublishedNames()
	if len(names) == 0 {
		t.Fatal("no schema is published")
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			text, ok := PublishedText(name)
			if !ok {
				t.Fatal("it has no text")
			}
			s := compiled(t, string(text))
			ex := examples[name]
			if len(ex.good) == 0 || len(ex.bad) == 0 {
				t.Fatal("it has no examples")
			}
			for _, doc := range ex.good {
				if findings := s.Check([]byte(doc)); findings != nil {
					t.Errorf("%s: %v", doc, lines(findings))
				}
			}
			for doc, want := range ex.bad {
				if diff := cmp.Diff([]string{want}, lines(s.Check([]byte(doc)))); diff != "" {
					t.Errorf("%s (-want +got):\n%s", doc, diff)
				}
			}
		})
	}
	if _, ok := PublishedText("../schema"); ok {
		t.Error("a name outside of the published schemas has a text")
	}
}

// TestPublishedExamples checks that each example in a schema fits the subschema
// that contains it.
func TestPublishedExamples(t *testing.T) {
	count := 0
	for _, name := range PublishedNames() {
		text, _ := PublishedText(name)
		explainMembers(decoded(t, name), func(path []string, value any) string {
			list, ok := value.([]any)
			if last := len(path) - 1; !ok || path[last] != "examples" {
				return ""
			}
			at := joinPointer(path[:len(path)-1]...)
			part, findings := CompileSubschema(name, text, at)
			if part == nil {
				t.Fatalf("%s: %v", at, lines(findings))
			}
			for _, example := range list {
				count++
				if findings := part.Check([]byte(jsonText(example))); findings != nil {
					t.Errorf("%s: the example %s of %s: %v", name, jsonText(example), at, lines(findings))
				}
			}
			return ""
		})
	}
	if count < 10 {
		t.Errorf("only %d examples", count)
	}
}

// TestPublishedAgree checks that schemas with a common part have the same copy
// of it: each schema is self-contained.
func TestPublishedAgree(t *testing.T) {
	finding := decoded(t, "finding.v1")
	for _, key := range []string{"$schema", "$id", "title", "$defs"} {
		delete(finding, key)
	}
	for _, name := range []string{"parse_result.v1", "envelope.v1"} {
		if diff := cmp.Diff(any(finding), valueAt(decoded(t, name), []string{"$defs", "finding"}), ignoreDescription); diff != "" {
			t.Errorf("finding in %s (-finding.v1 +%s):\n%s", name, name, diff)
		}
	}
	for _, other := range []string{"agent_streaming_events.v1", "envelope.v1"} {
		defs, _ := valueAt(decoded(t, other), []string{"$defs"}).(map[string]any)
		for name, def := range valueAt(decoded(t, "chat_message.v2"), []string{"$defs"}).(map[string]any) {
			if diff := cmp.Diff(def, defs[name]); diff != "" {
				t.Errorf("%s (-message +%s):\n%s", name, other, diff)
			}
		}
	}
	var codes []any
	for _, c := range chat.ErrorCodes {
		codes = append(codes, string(c.Code))
	}
	if diff := cmp.Diff(any(codes), valueAt(decoded(t, "result.v1"), []string{"oneOf", "2", "properties", "error", "properties", "code", "enum"})); diff != "" {
		t.Errorf("codes of result.v1 (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(any(codes), valueAt(decoded(t, "envelope.v1"), []string{"properties", "calls", "items", "properties", "code", "enum"})); diff != "" {
		t.Errorf("codes of envelope.v1 (-want +got):\n%s", diff)
	}
}

var ignoreDescription = cmp.FilterPath(func(p cmp.Path) bool {
	return len(p) <= 3 && p.Last().String() == `["description"]`
}, cmp.Ignore())

func decoded(t *testing.T, name string) map[string]any {
	t.Helper()
	text, _ := PublishedText(name)
	v, err := decodeExact(text)
	if err != nil {
		t.Fatal(err)
	}
	return v.(map[string]any)
}

// TestPublishedFitsGo checks that the JSON of Go values fits the published
// schemas.
func TestPublishedFitsGo(t *testing.T) {
	call := 1
	full := diag.New(diag.NotJSON, diag.Bytes(1, 2), "m")
	full.Hint, full.File, full.Call, full.Path = "h", "f", &call, "/p"
	full.Fixes = []diag.Fix{{Title: "t", Kind: diag.Unsafe, Edits: []diag.Edit{{End: 1, New: "x"}}}}
	values := map[string][]any{
		"finding.v1": {full, diag.Finding{Code: diag.NotJSON, Severity: diag.Info}},
		"result.v1": {
			chat.Success([]int{1}), chat.Failure(chat.Failed, "x"), chat.Result{Needs: []string{"a"}, Question: "q"},
		},
	}
	for name, vs := range values {
		text, _ := PublishedText(name)
		s := compiled(t, string(text))
		for _, v := range vs {
			doc, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			if findings := s.Check(doc); findings != nil {
				t.Errorf("%s %s: %v", name, doc, lines(findings))
			}
		}
	}
	if !slices.IsSorted(PublishedNames()) {
		t.Error("the names are not sorted")
	}
}
