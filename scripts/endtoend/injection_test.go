package endtoend

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Cases of injection belong to classes. For a class whose cases hold a text, one test runs all
// of them. The other cases, and exceptions, are listed by id. The value is the test of a
// package, a script, or the reason why the case does not apply.
var (
	injectionClasses = map[string]string{
		"dialect-in-result": "pkg/agent TestInjectionsInResults",
		"dialect-in-output": "pkg/agent TestInjectionsInNativeOutput",
		"role-forging":      "pkg/agent TestInjectionsInResults",
		"delimiter":         "pkg/agent TestInjectionsInResults",
		"invisible":         "pkg/agent TestInjectionsInResults",
		"phrase":            "pkg/agent TestInjectionsInResults",
		"persistence":       "attack_persist",
		"taint":             "pkg/policy TestSharedLabels",
	}
	injectionCases = map[string]string{
		"out-text-nonce-leak":   "attack_nonce",
		"out-truncated":         "pkg/agent TestUncleanStop",
		"out-stream-cut":        "pkg/agent TestBrokenOff",
		"def-name-chars":        "pkg/tool TestHostileDefinitions",
		"def-huge-desc":         "pkg/tool TestHostileDefinitions",
		"def-schema-bomb":       "pkg/tool TestHostileDefinitions",
		"def-schema-regex":      "pkg/tool TestHostileDefinitions",
		"def-shadow-builtin":    "none: there are no tools of MCP servers yet",
		"def-two-servers":       "none: there are no tools of MCP servers yet",
		"def-split-ambiguity":   "none: there are no tools of MCP servers yet",
		"def-roots":             "none: there are no tools of MCP servers yet",
		"def-resource-link":     "none: there are no tools of MCP servers yet",
		"def-env":               "none: there are no tools of MCP servers yet",
		"def-command-from-repo": "none: there are no tools of MCP servers yet",
		"def-hang":              "none: there are no tools of MCP servers yet",
		"def-giant-frame":       "none: there are no tools of MCP servers yet",
		"persist-09":            "none: package.json is an ordinary file, and the paths of rules say who may write it",
		"res-use-many-lines":    "pkg/executor TestRunSizeLimit",
		"res-use-cut-utf8":      "pkg/executor TestCutTexts",
		"res-use-cut-joins":     "pkg/executor TestCutTexts",
		"res-use-gzip-bomb":     "pkg/netguard TestBodyLimit",
		"res-use-slow-drip":     "pkg/executor TestWgetTimeLimitIsItsOwn",
		"res-use-fence-flood":   "pkg/dialect TestFloods",
		"res-use-tag-flood":     "pkg/dialect TestFloods",
		"final-two-json":        "attack_answer",
		"final-schema":          "attack_answer",
		"final-control":         "attack_invisible",
		"final-exit-code":       "attack_answer",
		"final-fake-result":     "attack_answer",
		"exf-final-md":          "attack_answer",
	}
)

// otherCases are the classes whose cases are the rows of a script of their own.
var otherCases = map[string]string{
	"hostile-call": "strict_calls",
	"exfiltration": "secrets_arguments",
}

func TestInjectionCases(t *testing.T) {
	for _, shown := range []map[string]string{injectionClasses, injectionCases, otherCases} {
		for id, where := range shown {
			wantShown(t, id, where)
		}
	}
	eachCase(t, "injection_cases.jsonl", func(id, class string) {
		if injectionCases[id] == "" && injectionClasses[class] == "" && otherCases[class] == "" {
			t.Errorf("nothing shows the case %s", id)
		}
	})
}

// wantShown checks that the proof of a case exists: "PACKAGE TEST", the name of a script, or
// "none: " and a reason.
func wantShown(t *testing.T, id, where string) {
	t.Helper()
	if why, ok := strings.CutPrefix(where, "none: "); ok {
		if len(why) < 10 {
			t.Errorf("%s: no reason", id)
		}
		return
	}
	dir, test, ok := strings.Cut(where, " ")
	if !ok {
		wantText(t, id, filepath.Join("testdata", "script", where+".txtar"), `(?m)^-- `)
		return
	}
	wantText(t, id, filepath.Join(dir, "*_test.go"), `(?m)^func `+regexp.QuoteMeta(test)+`\(`)
}
