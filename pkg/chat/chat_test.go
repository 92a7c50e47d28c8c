package chat

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// P2: the envelope has three forms, and each decodes to the original result.
func TestEnvelope(t *testing.T) {
	for _, c := range []struct {
		name   string
		result Result
		want   string
		ok     bool
	}{
		{"data", Result{Data: json.RawMessage(`{"b":1.50,"a":[12345678901234567890,1e400]}`)}, `{"ok":true,"data":{"b":1.50,"a":[12345678901234567890,1e400]}}`, true},
		{"text", Success("a <b> & 'c' ü 👍\u2028"), `{"ok":true,"data":"a <b> & 'c' ü 👍\u2028"}`, true},
		{"null", Success(nil), `{"ok":true,"data":null}`, true},
		{"false", Success(false), `{"ok":true,"data":false}`, true},
		{"needs", Result{Needs: []string{"durationMins"}, Question: "How long?"}, `{"ok":false,"needs":{"durationMins":true},"question":"How long?"}`, false},
		{"needs in order", Result{Needs: []string{"a", "b"}}, `{"ok":false,"needs":{"a":true,"b":true}}`, false},
		{"error", Failure(NotFound, "no %s", "file"), `{"ok":false,"error":{"code":"NOT_FOUND","message":"no file","retryable":false}}`, false},
		{"retryable", Failure(Timeout, "100%%"), `{"ok":false,"error":{"code":"TIMEOUT","message":"100%","retryable":true}}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.result.OK() != c.ok {
				t.Errorf("OK is %v", c.result.OK())
			}
			text, err := c.result.MarshalJSON()
			if err != nil || string(text) != c.want {
				t.Fatalf("envelope %s (%v), want %s", text, err, c.want)
			}
			var back Result
			if err := json.Unmarshal(text, &back); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.result, back); diff != "" {
				t.Errorf("round trip (-result +read):\n%s", diff)
			}
		})
	}
}

// An empty result is a success without data. Errors win over needs, and both over data: a failure
// is never a success.
func TestEnvelopeOfOddResults(t *testing.T) {
	for want, r := range map[string]Result{
		`{"ok":true,"data":null}`: {},
		`{"ok":false,"error":{"code":"FAILED","message":"x","retryable":false}}`: {
			Data: json.RawMessage(`1`), Needs: []string{"a"}, Error: &ToolError{Code: Failed, Message: "x"},
		},
		`{"ok":false,"needs":{"a":true}}`: {Data: json.RawMessage(`1`), Needs: []string{"a", "a"}},
	} {
		if got, err := r.MarshalJSON(); err != nil || string(got) != want {
			t.Errorf("envelope %s (%v), want %s", got, err, want)
		}
	}
	for _, data := range []string{"hello", "", "{", "1 2"} {
		if got, err := (Result{Data: json.RawMessage(data)}).MarshalJSON(); err == nil {
			t.Errorf("data %q makes %s", data, got)
		}
	}
}

func TestReadEnvelope(t *testing.T) {
	for _, bad := range []string{
		``, `null x`, `[]`, `"ok"`, `{"ok":1}`, `{"data":1}`, `{"ok":false}`, `{"ok":false,"data":1}`,
		`{"ok":true,"needs":{"a":true}}`, `{"ok":true,"error":{"code":"FAILED"}}`, `{"ok":false,"needs":{}}`,
	} {
		var r Result
		if err := json.Unmarshal([]byte(bad), &r); err == nil {
			t.Errorf("%s is read as %+v", bad, r)
		}
	}
	var r Result
	if err := json.Unmarshal([]byte(` { "data" : 1.50 , "ok" : true } `), &r); err != nil || string(r.Data) != "1.50" {
		t.Errorf("read %+v (%v)", r, err)
	}
}

// A value that does not marshal to JSON is the tool's failure, not a crash.
func TestSuccessOfAnything(t *testing.T) {
	for _, v := range []any{math.NaN(), make(chan int), func() {}, json.RawMessage("{")} {
		if r := Success(v); r.OK() || r.Error.Code != Failed || r.Error.Message == "" {
			t.Errorf("%T: %+v", v, r)
		}
	}
}

// P4: the list of error codes is closed: every constant has one row with a text, and there are no
// other rows.
func TestErrorCodes(t *testing.T) {
	rows := map[ErrorCode]bool{}
	for _, d := range ErrorCodes {
		if rows[d.Code] {
			t.Errorf("%s stands twice", d.Code)
		}
		rows[d.Code] = true
		if !strings.HasSuffix(d.Text, ".") || len(d.Text) < 10 {
			t.Errorf("%s: %q is no text for people", d.Code, d.Text)
		}
		if got := d.Code.Doc(); got != d {
			t.Errorf("Doc of %s is %+v", d.Code, got)
		}
		if r := Failure(d.Code, "x"); r.Error.Retryable != d.Retryable {
			t.Errorf("%s: a failure says retryable %v", d.Code, r.Error.Retryable)
		}
	}
	constants := constantsOf(t, "errorcode.go", "ErrorCode")
	if len(constants) == 0 {
		t.Fatal("no constants were found")
	}
	for _, c := range constants {
		if !rows[ErrorCode(c)] {
			t.Errorf("%s is not documented", c)
		}
		delete(rows, ErrorCode(c))
	}
	for c := range rows {
		t.Errorf("%s is documented and has no constant", c)
	}
	if got := ErrorCode("NOPE").Doc(); got != (ErrorCodeDoc{Code: "NOPE"}) {
		t.Errorf("Doc of an unknown code is %+v", got)
	}
}

// The documented error codes are those of the published format, in the same order.
func TestErrorCodesAreThoseOfTheFormat(t *testing.T) {
	const list = "INVALID_ARGUMENTS UNKNOWN_TOOL UNAUTHORIZED SCOPES_MISSING CONNECTION_INACTIVE DENIED NOT_FOUND CONFLICT " +
		"RATE_LIMITED TIMEOUT TOO_LARGE UNAVAILABLE UNKNOWN_OUTCOME FAILED"
	var got []string
	for _, d := range ErrorCodes {
		got = append(got, string(d.Code))
	}
	if diff := cmp.Diff(strings.Fields(list), got); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}
}

// Only transient errors are retryable.
func TestRetryable(t *testing.T) {
	var got []ErrorCode
	for _, d := range ErrorCodes {
		if d.Retryable {
			got = append(got, d.Code)
		}
	}
	if diff := cmp.Diff([]ErrorCode{RateLimited, Timeout, Unavailable}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// constantsOf returns the values of a type's constants in a source file.
func constantsOf(t *testing.T, file, typeName string) []string {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := spec.Type.(*ast.Ident); ok && id.Name == typeName {
			for _, v := range spec.Values {
				text, err := strconv.Unquote(v.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, text)
			}
		}
		return true
	})
	return values
}

func TestUsage(t *testing.T) {
	a, b := Usage{3, 4, 1, 1, 2, 0}, Usage{10, 20, 5, 2, 10, 30}
	if got := a.Add(b); got != (Usage{13, 24, 6, 3, 12, 30}) || got.Total() != 37 {
		t.Errorf("sum %+v, total %d", got, got.Total())
	}
}

// Recorded members keep their names and units.
func TestJSONNames(t *testing.T) {
	for want, v := range map[string]any{
		`{"number":2,"error":"x","status":503,"wait_ns":1500000000}`:                                                            Attempt{Number: 2, Error: "x", Status: 503, Wait: 1500 * time.Millisecond},
		`{"number":1,"error":"x","wait_ns":0,"charged":true,"usage":{"input_tokens":1,"output_tokens":0},"by":"m","last":true}`: Attempt{Number: 1, Error: "x", Charged: true, Usage: Usage{InputTokens: 1}, By: "m", Last: true},
		`{"number":1,"error":"x","wait_ns":0,"skipped":true}`:                                                                   Attempt{Number: 1, Error: "x", Skipped: true},
		`{"number":1,"error":"x","wait_ns":0}`:                                                                                  Attempt{Number: 1, Error: "x"},
		`{"role":"user","content":"x"}`:                                                                                         Message{Role: User, Content: "x"},
		`{"input_tokens":1,"output_tokens":2}`:                                                                                  Usage{InputTokens: 1, OutputTokens: 2},
		`{"input_tokens":6,"output_tokens":5,"cached_input_tokens":4,"cache_write_tokens":3,"reasoning_tokens":2,"estimated_tokens":1}`: Usage{6, 5, 4, 3, 2, 1},
		`{"name":"f","arguments":{"a":1.50},"priority":0,"status":"ok","executable":true,"value_changed":false,"text":"f"}`:             Call{Name: "f", Arguments: json.RawMessage(`{"a":1.50}`), Status: StatusOK, Executable: true, Positional: true, Start: 3, End: 4, Text: "f"},
	} {
		if got, err := json.Marshal(v); err != nil || string(got) != want {
			t.Errorf("%s (%v), want %s", got, err, want)
		}
	}
}
