package endtoend

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestLinks checks that every relative link of a page leads to a file, and every anchor to a heading.
func TestLinks(t *testing.T) {
	out, err := exec.Command("git", "-c", "core.quotePath=false", "ls-files", "--cached", "--others", "--exclude-standard", "*.md").Output()
	if err != nil {
		t.Skip("no git: ", err)
	}
	links := 0
	for _, page := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if strings.HasPrefix(page, "testdata/") || strings.HasPrefix(page, "prompts/") || strings.Contains(page, "/notes/") {
			continue
		}
		if _, err := os.Stat(page); os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		text, _ := split(readText(t, page))
		for _, m := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(inlineCode.ReplaceAllString(text, ""), -1) {
			if regexp.MustCompile(`^[a-z]+:`).MatchString(m[1]) {
				continue
			}
			links++
			path, anchor, _ := strings.Cut(m[1], "#")
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			linked, err := os.ReadFile(target)
			switch {
			case err != nil:
				t.Errorf("%s: %s leads nowhere", page, m[1])
			case anchor != "" && !anchors(string(linked))[anchor]:
				t.Errorf("%s: %s has no heading #%s", page, target, anchor)
			}
		}
	}
	if links < 100 {
		t.Errorf("the pages have only %d links", links)
	}
	index := readText(t, "docs/README.md")
	for _, page := range docPages(t) {
		if name := filepath.Base(page); name != "README.md" && !strings.Contains(index, "]("+name+")") {
			t.Errorf("docs/README.md does not list %s", name)
		}
	}
}

var inlineCode = regexp.MustCompile("`[^`\n]*`")

// anchors returns the anchors that GitHub makes of the headings of a page.
func anchors(page string) map[string]bool {
	all := map[string]bool{}
	prose, _ := split(page)
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(prose, -1) {
		all[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])] = true
	}
	return all
}

// TestDocsSize limits the size of the pages that everybody reads.
func TestDocsSize(t *testing.T) {
	for page, most := range map[string]int{"README.md": 9 << 10, "ARCHITECTURE.md": 12 << 10} {
		if size := len(readText(t, page)); size > most {
			t.Errorf("%s has %d bytes, at most %d are allowed", page, size, most)
		}
	}
}

// TestDocsPackages checks that ARCHITECTURE.md describes every package of the layers in their order, and that
// every path in code font on a page for contributors exists.
func TestDocsPackages(t *testing.T) {
	page := readText(t, "ARCHITECTURE.md")
	rest := page
	for _, name := range slices.Concat(layers...) {
		_, after, ok := strings.Cut(rest, "\n| `pkg/"+name+"` |")
		if !ok {
			t.Errorf("ARCHITECTURE.md does not describe pkg/%s, or not in the order of the layers", name)
			continue
		}
		rest = after
	}
	for _, m := range regexp.MustCompile("`((?:pkg|cmd|scripts|docs|internal|testdata)/[a-z0-9_./]+)`").FindAllStringSubmatch(page+readText(t, "CONTRIBUTING.md"), -1) {
		if _, err := os.Stat(m[1]); err != nil {
			t.Errorf("%s does not exist", m[1])
		}
	}
}

// otherFlags are the flags of other programs on the pages.
var otherFlags = map[string]bool{"--author": true, "--compress-program": true, "--ignored": true, "--lang": true, "--no-same-owner": true, "--short": true, "--since": true, "--src-lang": true}

// TestDocsFlags checks that every flag on a page is a flag of a command. TestCodesFresh checks docs/findings.md.
func TestDocsFlags(t *testing.T) {
	flag := regexp.MustCompile(`--[a-z][a-z-]+`)
	known := map[string]bool{}
	for _, command := range []string{"", "run", "batch", "parse", "validate", "prompt", "tools list", "tools call", "runs list", "runs show", "runs stats", "runs export", "runs prune", "agents list", "schema", "doctor", "demo", "explain"} {
		for _, f := range flag.FindAllString(output(t, "oneshot "+command+" --help"), -1) {
			known[f] = true
		}
	}
	for _, page := range append(docPages(t), "CHANGELOG.md", "ARCHITECTURE.md") {
		if page == codePage {
			continue
		}
		for _, f := range flag.FindAllString(readText(t, page), -1) {
			if !known[f] && !otherFlags[f] {
				t.Errorf("%s: no command has the flag %s", page, f)
			}
		}
	}
}
