package policy

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/tool"
)

// TestPage checks that docs/policies.md shows the policy of the cases, explains every built-in rule, and
// names only existing tests.
func TestPage(t *testing.T) {
	page, base := text(t, "../../docs/policies.md"), text(t, "../../testdata/policy/base.yaml")
	if !strings.Contains(page, "```yaml\n"+base+"```\n") {
		t.Error("docs/policies.md does not show testdata/policy/base.yaml as it is")
	}
	var code, tests strings.Builder
	walk(t, "../..", func(name string) {
		switch {
		case strings.HasSuffix(name, "_test.go"):
			tests.WriteString(text(t, name))
		case strings.HasSuffix(name, ".go"):
			code.WriteString(text(t, name))
		case strings.HasSuffix(name, ".txtar"):
			tests.WriteString("script " + filepath.Base(name) + "\n")
		}
	})
	for _, id := range regexp.MustCompile(`"(floor|flag|default):[a-z-]+"`).FindAllString(code.String(), -1) {
		if !strings.Contains(page, "`"+strings.Trim(id, `"`)+"`") {
			t.Errorf("docs/policies.md does not explain %s", id)
		}
	}
	named := regexp.MustCompile("`((Test|Fuzz)[A-Za-z]+|[a-z0-9_]+\\.txtar)`").FindAllStringSubmatch(page, -1)
	for _, name := range named {
		if !strings.Contains(tests.String(), "func "+name[1]+"(") && !strings.Contains(tests.String(), "script "+name[1]+"\n") {
			t.Errorf("docs/policies.md names %s, which is no test", name[1])
		}
	}
	if len(named) < 20 {
		t.Errorf("it names %d tests", len(named))
	}
}

// walk calls do with the name of each file of a tree.
func walk(t *testing.T, root string, do func(name string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			do(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// An internal failure denies the call, and the reason reveals nothing about the failure.
func TestInternal(t *testing.T) {
	p := Policy{Layers: []*Layer{nil}} // a nil layer panics
	d := p.Decide(&State{}, Facts{Def: &tool.Definition{Name: "wget", Effect: tool.Read}})
	if d.Verdict != Deny || d.Rule != "floor:internal" || d.Code != chat.Denied || d.Early || strings.Contains(d.Why, "nil") {
		t.Errorf("%+v", d)
	}
}
