package endtoend

import (
	"regexp"
	"strings"
	"testing"
)

// TestThreats checks that the page of threats has the defence, the limits and the tests of each, and
// that these tests and scripts exist.
func TestThreats(t *testing.T) {
	page := readText(t, "docs/threats.md")
	named := regexp.MustCompile("`([^`]+)`")
	sections := strings.Split(page, "\n## ")[1:]
	if len(sections) < 10 {
		t.Errorf("only %d threats", len(sections))
	}
	for _, section := range sections {
		title, _, _ := strings.Cut(section, "\n")
		for _, part := range []string{"Defence: ", "Limits: ", "Tests: "} {
			if strings.Count(section, "\n\n"+part) != 1 {
				t.Errorf("%s: want one paragraph that begins with %q", title, part)
			}
		}
		_, shown, _ := strings.Cut(section, "\nTests: ")
		shown, _, _ = strings.Cut(shown, "\n\n")
		names := named.FindAllStringSubmatch(shown, -1)
		if len(names) == 0 {
			t.Errorf("%s: no tests", title)
		}
		for _, name := range names {
			wantShown(t, title, name[1])
		}
	}
	for _, script := range attackScripts(t) {
		if !strings.Contains(page, "`"+script+"`") {
			t.Errorf("the page does not name %s", script)
		}
	}
}

// attackScripts are the names of the scripts that attack a run.
func attackScripts(t *testing.T) []string {
	var names []string
	for _, file := range scriptFiles(t) {
		name := strings.TrimSuffix(file[strings.LastIndexByte(file, '/')+1:], ".txtar")
		if strings.HasPrefix(name, "attack_") {
			names = append(names, name)
		}
	}
	return names
}
