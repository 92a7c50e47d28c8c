package endtoend

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// httpCases maps each case of a failing server to the script that names it in a
// comment, or to the test of a package. Every case in the folder that ONESHOT_SHARED
// names has a line here.
var httpCases = map[string]string{
	"429-past":           "fault_wait",
	"429-overflow":       "fault_wait",
	"429-negative":       "fault_wait",
	"429-list":           "fault_wait",
	"429-ms":             "fault_wait",
	"429-reset":          "fault_wait",
	"429-quota":          "fault_status",
	"503-retry-after":    "fault_wait",
	"501":                "fault_status",
	"408-425":            "fault_status",
	"403-rate":           "fault_status",
	"404":                "fault_status",
	"conn-refused":       "fault_connection",
	"reset-before":       "fault_connection",
	"reset-after":        "fault_connection", // a request to a model changes nothing, so it is sent again
	"dns-nx":             "pkg/provider TestConnectionToNoName",
	"guard-deny":         "server_pages",
	"slow-headers":       "fault_silence",
	"slow-body":          "fault_silence",
	"stream-idle":        "fault_silence",
	"stream-comments":    "fault_silence",
	"stream-cut":         "fault_calls",
	"stream-bad-json":    "fault_garbage",
	"stream-crlf":        "fault_garbage",
	"body-cap":           "fault_size",
	"gzip-bomb":          "fault_size",
	"content-length-lie": "fault_connection",
	"chunk-ext":          "fault_size",
	"many-headers":       "fault_size",
	"100-continue":       "fault_silence",
	"206":                "server_pages",
	"content-type":       "server_pages",
	"rate-limit":         "pkg/executor TestPace",
	"retry-budget":       "fault_status",
	"hedge":              "fault_silence",
	"keepalive-reuse":    "server_native",
	"proxy-env":          "pkg/netguard TestNoProxy",
	"oauth-scope":        "fault_status",
}

func TestHTTPCases(t *testing.T) {
	for id, shown := range httpCases {
		if dir, test, ok := strings.Cut(shown, " "); ok {
			wantText(t, id, filepath.Join(dir, "*_test.go"), `(?m)^func `+test+`\(`)
		} else {
			wantText(t, id, filepath.Join("testdata", "script", shown+".txtar"), `(?m)^#.*[ #]`+regexp.QuoteMeta(id)+`([:,]| |$)`)
		}
	}
	eachCase(t, "http_cases.jsonl", func(id, _ string) {
		if httpCases[id] == "" {
			t.Errorf("nothing shows the case %s", id)
		}
	})
}

// eachCase calls f with the id and the class of each case of a list in the folder that
// ONESHOT_SHARED names, if that is set.
func eachCase(t *testing.T, list string, f func(id, class string)) {
	t.Helper()
	shared := os.Getenv("ONESHOT_SHARED")
	if shared == "" {
		t.Log("ONESHOT_SHARED names no folder: whether every case is in the table is not known")
		return
	}
	cases, err := os.ReadFile(filepath.Join(shared, "cases", list))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(cases)) {
		var c struct{ ID, Class string }
		if err := json.Unmarshal([]byte(line), &c); err != nil || c.ID == "" {
			t.Fatalf("%v: %s", err, line)
		}
		f(c.ID, c.Class)
	}
}

// wantText checks that one of the files has a match for the pattern.
func wantText(t *testing.T, id, files, pattern string) {
	t.Helper()
	found, err := filepath.Glob(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range found {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if regexp.MustCompile(pattern).Match(text) {
			return
		}
	}
	t.Errorf("%s: no %s has a match for %s", id, files, pattern)
}
