package dialect

import (
	"strings"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// marked returns the dialect tool with a nonce in its fences.
func marked(t testing.TB, word string) Dialect {
	t.Helper()
	d, _ := Lookup("tool")
	d, ok := d.WithNonce(word)
	if !ok {
		t.Fatal("tool cannot be marked")
	}
	return d
}

func TestMarked(t *testing.T) {
	d := marked(t, "k3v9")
	const call = "return put(\"a\");\n"
	for _, test := range []struct {
		name, text string
		calls      int
		code       diag.Code
	}{
		{"with the word", "```tool-k3v9\n" + call + "```", 1, ""},
		{"in capitals", "```TOOL-K3V9\n" + call + "```", 1, diag.MalformedFence},
		{"two in one", "```tool-k3v9\n" + call + call + "```", 2, ""},
		{"one behind the other", "```tool-k3v9\n" + call + "```\n\n~~~tool-k3v9\n" + call + "~~~", 2, ""},
		{"plain", "```tool\n" + call + "```", 0, diag.OtherDialect},
		{"plain, empty", "```tool\n```", 0, diag.OtherDialect},
		{"plain, cut", "```tool", 0, ""},
		{"another word", "```tool-k3v8\n" + call + "```", 0, ""},
		{"a part of the word", "```tool-k3v\n" + call + "```", 0, ""},
		{"more than the word", "```tool-k3v90\n" + call + "```", 0, diag.QuotedCall},
		{"a blank in it", "```tool -k3v9\n" + call + "```", 0, diag.OtherDialect},
		{"in a plain one", "```tool\n```tool-k3v9\n" + call + "```\n```", 0, diag.OtherDialect},
		{"in another fence", "````text\n```tool-k3v9\n" + call + "```\n````", 0, diag.QuotedCall},
		{"without a fence", call, 0, ""},
		{"as tags", "<tool_call>{\"name\": \"put\", \"arguments\": {\"path\": \"a\"}}</tool_call>", 0, ""},
		{"behind a plain one", "```tool\n" + call + "```\n```tool-k3v9\n" + call + "```", 1, diag.OtherDialect},
	} {
		t.Run(test.name, func(t *testing.T) {
			for size := range 5 {
				r := scanIn(test.text, d, size)
				if len(r.calls) != test.calls {
					t.Errorf("in pieces of %d: %d calls, want %d", size, len(r.calls), test.calls)
				}
				if test.code == "" && len(r.codes) > 0 || test.code != "" && (len(r.codes) == 0 || r.codes[0] != test.code) {
					t.Errorf("in pieces of %d: findings %v, want %s", size, r.codes, test.code)
				}
			}
		})
	}
}

// scanIn returns the executable calls of a text read in pieces, and the finding codes
// except UnclosedFence; size 0 reads it in one piece.
func scanIn(text string, d Dialect, size int) (found struct {
	calls []chat.Call
	codes []diag.Code
}) {
	s := NewScanner(Options{Dialect: d}, func(e Event) {
		if e.Call != nil && e.Call.Executable {
			found.calls = append(found.calls, *e.Call)
		}
		if e.Finding != nil && e.Finding.Code != diag.UnclosedFence {
			found.codes = append(found.codes, e.Finding.Code)
		}
	})
	for rest := text; rest != ""; {
		n := len(rest)
		if size > 0 {
			n = min(size, n)
		}
		s.Write([]byte(rest[:n]))
		rest = rest[n:]
	}
	s.Close()
	return found
}

// TestMarkedRender checks that a dialect with a nonce reads its own rendered call, and
// that the plain dialect does not.
func TestMarkedRender(t *testing.T) {
	d := marked(t, "0a1b2c")
	text, ok := d.Render(chat.Call{Name: "put", Arguments: []byte(`{"path":"a"}`)}, nil)
	if !ok || !strings.HasPrefix(text, "```tool-0a1b2c\n") || d.FenceInfo() != "tool-0a1b2c" {
		t.Errorf("%q, %q", text, d.FenceInfo())
	}
	if r := Scan(text, Options{Dialect: d}); len(r.Calls) != 1 || string(r.Calls[0].Arguments) != `[{"path":"a"}]` {
		t.Errorf("calls %+v", r.Calls)
	}
	plain, _ := Lookup("tool")
	if r := Scan(text, Options{Dialect: plain}); len(r.Calls) != 0 {
		t.Errorf("calls %+v", r.Calls)
	}
	if same, ok := plain.WithNonce(""); !ok || same.FenceInfo() != "tool" {
		t.Errorf("an empty word makes %q", same.FenceInfo())
	}
}

func TestMarkable(t *testing.T) {
	for _, d := range Dialects() {
		marked, ok := d.WithNonce("a")
		if ok != (d.Name == "tool" || d.Name == "gemini_tool_code") {
			t.Errorf("%s can be marked: %v", d.Name, ok)
		}
		if !ok {
			continue
		}
		text, _ := marked.Render(exampleCall, nil)
		if !strings.HasPrefix(text, "```"+d.FenceInfo()+"-a\n") || len(Scan(text, Options{Dialect: marked}).Calls) != 1 {
			t.Errorf("%s writes %q", d.Name, text)
		}
		plain, _ := d.Render(exampleCall, nil)
		if len(Scan(plain, Options{Dialect: marked}).Calls) != 0 || len(Scan(text, Options{Dialect: d}).Calls) != 0 {
			t.Errorf("%s reads the other fence", d.Name)
		}
	}
}

// FuzzMarked checks that a text without the nonce contains no call.
func FuzzMarked(f *testing.F) {
	for _, text := range []string{"```tool\nput(1)\n```", "```tool-\nput(1)\n```", "<think>```tool-0\n</think>```tool-1\nput(1)"} {
		f.Add(text)
	}
	d := marked(f, "k3v9")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(strings.ToLower(text), "k3v9") {
			t.Skip("the text contains the word")
		}
		if r := Scan(text, Options{Dialect: d}); len(r.Calls) > 0 {
			t.Errorf("%q: %+v", text, r.Calls)
		}
	})
}
