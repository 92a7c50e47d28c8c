package cmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/policy"
	"oneshot/pkg/redact"
	"oneshot/pkg/tool"
)

// eachCase calls do for each line of a file of JSON Lines, and returns the number of lines.
func eachCase[T any](t *testing.T, path string, do func(T)) (n int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			n--
			continue
		}
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		do(row)
	}
	return n
}

// judged returns the decision about a call that only secrets in its arguments can deny.
func judged(args json.RawMessage, secrets ...string) policy.Decision {
	p := policy.Policy{Secrets: new(redact.Set)}
	for _, s := range secrets {
		p.Secrets.Add(s)
	}
	def := &tool.Definition{Name: "any", Effect: tool.Read, Schema: []byte(`{"type":"object"}`)}
	return p.Decide(&policy.State{}, policy.Facts{Def: def, Arguments: args})
}

// Secrets in the arguments of a call are denied, except for the known gaps.
func TestSecretArgumentCases(t *testing.T) {
	type row struct {
		ID   string
		Args json.RawMessage
		Deny bool
	}
	n := eachCase(t, "../testdata/secrets/arguments.jsonl", func(r row) {
		d := judged(r.Args, "tk_live-KITE-90817263545")
		if (d.Verdict == policy.Deny) != r.Deny || r.Deny && (d.Rule != "floor:secret" || d.Code != chat.Denied || strings.Contains(d.Why, "KITE")) {
			t.Errorf("%s: %+v", r.ID, d)
		}
	})
	if n < 20 {
		t.Errorf("%d cases", n)
	}
}

// secretRows maps each row of secrets_cases.jsonl to the tests and scripts that cover it, or to the reason why it does not
// apply.
var secretRows = map[string]string{
	"stdout":          "script secrets_sources, script run_provider_secret",
	"stderr":          "script secrets_arguments, script run_provider_secret",
	"panic":           "TestPanicHidden",
	"core":            "TestHarden, script secrets_process",
	"proc-environ":    "TestSecretCommandEnvironment, script secrets_process",
	"redirect":        "TestHeadersOnRedirects",
	"model-echo":      "script secrets_sources, script run_provider_secret",
	"split-chunks":    "script run_provider_secret, TestHide",
	"partial":         "TestHideKeys, TestHide, script secrets_process",
	"patterns":        "TestHideKeys, TestNoKeys, TestHideBodyKeys, script secrets_process",
	"digest":          "TestDigestHidden, script secrets_arguments",
	"ref-injection":   "script secrets_sources",
	"file-trim":       "TestSecretFile, script secrets_sources",
	"keyring-missing": "script secrets_sources",
	"host-binding":    "TestIsFor, script secrets_sources",
	"debug-http":      "script secrets_process",
	"otel":            "- there are no traces",
	"journal-mode":    "script secrets_process",
	"mcp-diag":        "- there is no MCP",
	"error-to-model":  "TestConceal",
}

// TestSecretRowsAreShown checks that the tests and scripts that secretRows and docs/threats.md name exist.
func TestSecretRowsAreShown(t *testing.T) {
	shows := shownBy(t)
	for id, shown := range secretRows {
		for name := range strings.SplitSeq(shown, ", ") {
			if name = strings.TrimPrefix(name, "script "); !strings.HasPrefix(name, "- ") && !shows[name] {
				t.Errorf("%s: there is no %s", id, name)
			}
		}
	}
	page, err := os.ReadFile("../docs/threats.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 4 || strings.HasPrefix(line, "| threat") {
			continue
		}
		rows++
		for name := range strings.SplitSeq(strings.TrimSuffix(cells[3], " |"), ", ") {
			if !shows[strings.Trim(name, "`")] {
				t.Errorf("%s: there is no %s", cells[0], name)
			}
		}
	}
	if rows < 10 {
		t.Errorf("the page has %d rows", rows)
	}
}

// shownBy returns the names of all tests, fuzz targets and scripts.
func shownBy(t *testing.T) map[string]bool {
	t.Helper()
	shows := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	for _, pattern := range []string{"*_test.go", "../pkg/*/*_test.go", "../testdata/script/*.txtar"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if script, ok := strings.CutSuffix(filepath.Base(file), ".txtar"); ok {
				shows[script] = true
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range declared.FindAllSubmatch(text, -1) {
				shows[string(m[1])] = true
			}
		}
	}
	return shows
}

// Each row of the shared cases is in secretRows, and the cases about arguments have the expected decisions.
func TestSharedSecretCases(t *testing.T) {
	dir := os.Getenv("ONESHOT_SHARED")
	if dir == "" {
		t.Skip("ONESHOT_SHARED is not set")
	}
	if n := eachCase(t, filepath.Join(dir, "cases", "secrets_cases.jsonl"), func(r struct{ ID string }) {
		if secretRows[r.ID] == "" {
			t.Errorf("%s: nothing shows it", r.ID)
		}
	}); n != len(secretRows) {
		t.Errorf("%d rows, %d are shown", n, len(secretRows))
	}
	type row struct {
		ID      string
		Text    string
		Secrets map[string]string
		Expect  struct{ Last, Reason string }
		Calls   []struct{ Args json.RawMessage }
	}
	ran := 0
	eachCase(t, filepath.Join(dir, "cases", "injection_cases.jsonl"), func(line json.RawMessage) {
		if !bytes.Contains(line, []byte(`"id": "exf-`)) {
			return
		}
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		switch {
		case r.Expect.Reason == "secret_in_arguments":
			for _, s := range r.Secrets {
				if d := judged(r.Calls[len(r.Calls)-1].Args, s); d.Verdict != policy.Deny || d.Rule != "floor:secret" {
					t.Errorf("%s: %+v", r.ID, d)
				}
			}
		case r.ID == "exf-split": // a gap according to its note, but the first half is found
			for _, s := range r.Secrets {
				if d := judged(r.Calls[0].Args, s); d.Verdict != policy.Deny {
					t.Errorf("%s: %+v", r.ID, d)
				}
			}
		case r.ID == "exf-final-secret":
			var s redact.Set
			s.Add("sk-CANARY-0123456789abcdef")
			if got := s.Hide(r.Text); got != "key is ***" {
				t.Errorf("%s: %q", r.ID, got)
			}
		case r.ID == "exf-final-md": // about hosts in the answer, not about secrets
			return
		default:
			t.Errorf("%s: nothing shows it", r.ID)
		}
		ran++
	})
	if ran != 6 {
		t.Errorf("%d rows were run", ran)
	}
}
