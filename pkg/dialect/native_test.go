package dialect

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// M7: a native call that its server could parse is unchanged, except for noise in its
// name.
func TestNativeWhole(t *testing.T) {
	given := chat.Call{ID: "1", Name: "f", Arguments: json.RawMessage(`{"a": 1.50}`), Status: chat.StatusOK, Executable: true}
	got, findings := Native(given)
	if diff := cmp.Diff(given, got); diff != "" || len(findings) > 0 {
		t.Errorf("%v (-given +got)\n%s", findings, diff)
	}
	for name, want := range map[string]string{
		"functions.f": "f", "tools.a.b": "a.b", `"f"`: "f", " f\n": "f", "`default_api.f`": "f", "f": "f",
	} {
		given.Name = name
		got, findings := Native(given)
		if got.Name != want || !got.Executable {
			t.Errorf("the name %q becomes %q, executable: %t", name, got.Name, got.Executable)
		}
		if noted := len(findings) == 1 && findings[0].Code == diag.NameNoise; noted != (name != want) {
			t.Errorf("the name %q: %v", name, findings)
		}
	}
}

// M7: a native call without a tool name is not executable.
func TestNativeNameless(t *testing.T) {
	for _, name := range []string{"", " ", "\n"} {
		got, findings := Native(chat.Call{Name: name, Arguments: json.RawMessage(`{}`), Status: chat.StatusOK, Executable: true})
		if got.Executable || got.Status != chat.StatusInvalid || len(findings) != 1 || findings[0].Code != diag.CallMember {
			t.Errorf("the name %q: status %s, executable: %t, %v", name, got.Status, got.Executable, findings)
		}
	}
}

// M7: arguments other than a JSON object are repaired if the repair is certain, and
// otherwise reported.
func TestNativeArguments(t *testing.T) {
	for _, test := range []struct {
		text, arguments string
		status          chat.Status
		codes           string
	}{
		{"", `{}`, chat.StatusOK, "TC308"},
		{" \n", `{}`, chat.StatusOK, "TC308"},
		{"null", `{}`, chat.StatusOK, "TC308"},
		{`""`, `{}`, chat.StatusOK, "TC308"},
		{`{"a": 1, "b": [2,]}`, `{"a":1,"b":[2]}`, chat.StatusRepaired, "TC201"},
		{`{'a': True, b: /* c */ .5}`, `{"a":true,"b":0.5}`, chat.StatusRepaired, "TC202 TC203 TC208 TC209 TC216"},
		{"{\"a\": \"b\nc\"} ", `{"a":"b\nc"}`, chat.StatusRepaired, "TC204"},
		{`{"a": "C:\dir"}`, `{"a":"C:\\dir"}`, chat.StatusRepaired, "TC205"},
		{`"{\"a\": 1}"`, `{"a":1}`, chat.StatusRepaired, "TC219"},
		{`"{'a': 1}"`, `{"a":1}`, chat.StatusRepaired, "TC202 TC219"},
		{`"\"{}\""`, ``, chat.StatusInvalid, "TC115"},
		{`"ls -R"`, ``, chat.StatusInvalid, "TC115"},
		{`{"a": 010}`, `{"a":10}`, chat.StatusAmbiguous, "TC216"},
		{`{"a": 1, "a": 2}`, ``, chat.StatusInvalid, "TC214"},
		{`{"a": NaN}`, ``, chat.StatusInvalid, "TC213"},
		{`{"a": 1}{"b": 2}`, ``, chat.StatusInvalid, "TC212"},
		{`{"a": 1]`, ``, chat.StatusInvalid, "TC211"},
		{`[{"a": 1}]`, ``, chat.StatusInvalid, "TC115"},
		{`1`, ``, chat.StatusInvalid, "TC115"},
		{`ls -R`, ``, chat.StatusInvalid, "TC217"},
		{`{"a": "b`, ``, chat.StatusTruncated, "TC404"},
		{`{"a": {`, ``, chat.StatusTruncated, "TC404"},
		{`"{\"a\"`, ``, chat.StatusTruncated, "TC404"},
		{"{\"a\": \"\xff\"}", ``, chat.StatusInvalid, "TC001"},
		{`{"a":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + "}", ``, chat.StatusInvalid, "TC218"},
	} {
		t.Run(excerpt(test.text), func(t *testing.T) {
			call, findings := Native(chat.Call{ID: "1", Name: "f", Text: test.text, Status: chat.StatusInvalid})
			if string(call.Arguments) != test.arguments || call.Status != test.status || call.ID != "1" || call.Text != test.text {
				t.Errorf("got %s %s", call.Arguments, call.Status)
			}
			for _, f := range findings {
				if f.Span.Start < 0 || f.Span.End > len(test.text) {
					t.Errorf("%v stands outside the arguments", f)
				}
			}
			if got := sortedCodes(findings); got != test.codes {
				t.Errorf("findings %s, want %s", got, test.codes)
			}
			checkNative(t, call, findings)
		})
	}
}

// sortedCodes returns the codes of findings, each once.
func sortedCodes(findings []diag.Finding) string {
	var codes []string
	for _, f := range findings {
		codes = append(codes, string(f.Code))
	}
	slices.Sort(codes)
	return strings.Join(slices.Compact(codes), " ")
}

// checkNative checks the properties of every finished native call.
func checkNative(t *testing.T, c chat.Call, findings []diag.Finding) {
	t.Helper()
	if c.Executable != (c.Status == chat.StatusOK || c.Status == chat.StatusRepaired) || c.Executable && diag.HasErrors(findings) {
		t.Fatalf("%q is %s, executable: %t, %v", c.Text, c.Status, c.Executable, findings)
	}
	var object map[string]json.RawMessage
	if c.Executable && (json.Unmarshal(c.Arguments, &object) != nil || object == nil) {
		t.Fatalf("%q becomes %s, which is no object", c.Text, c.Arguments)
	}
	if !c.Executable && !diag.HasErrors(findings) {
		t.Fatalf("nothing says why %q is not executable", c.Text)
	}
	for _, f := range findings {
		checkSpan(t, f, c.Text)
	}
}

// nativeTexts are texts in place of the arguments of a native call.
var nativeTexts = []string{
	"", "null", "{}", `{"a": 1.50, "b": [true, null, "é\n"]}`, `{'a': True,}`, `"{\"a\": 1}"`, `{"a": 010}`, `{"a":1}{"b":2}`, "ls -R", `{"a": "b`,
	"{\"a\": \"\xff\"}", `[{"a":1}]`, "// c\n{a: `b`}", `{"a": "C:\dir"}`, `"\"{}\""`, "\ufeff{}",
}

// checkNativeAs checks a native call with any text as arguments: it is executable only
// with an object and without errors, and an object of strict JSON keeps its value.
func checkNativeAs(t *testing.T, text string) {
	call, findings := Native(chat.Call{Name: "f", Text: text, Status: chat.StatusInvalid})
	checkNative(t, call, findings)
	strict := json.Valid([]byte(text)) && strings.HasPrefix(strings.TrimSpace(text), "{")
	if strict && call.Executable && string(canonical(t, []byte(text))) != string(canonical(t, call.Arguments)) {
		t.Fatalf("%s becomes %s", text, call.Arguments)
	}
}
