package endtoend

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The page of threats says of each what is done, what is not, and what shows it: tests and
// scripts that there are.
func TestThreats(t *testing.T) {
	page, err := os.ReadFile("pkg/policy/README.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([^`]+)`")
	sections := strings.Split(string(page), "\n## ")[1:]
	if len(sections) < 10 {
		t.Errorf("only %d threats", len(sections))
	}
	for _, section := range sections {
		title, _, _ := strings.Cut(section, "\n")
		for _, part := range []string{"Done: ", "Not: ", "Shown by: "} {
			if strings.Count(section, "\n\n"+part) != 1 {
				t.Errorf("%s: there has to be one paragraph that begins with %q", title, part)
			}
		}
		_, shown, _ := strings.Cut(section, "\nShown by: ")
		names := named.FindAllStringSubmatch(shown, -1)
		if len(names) == 0 {
			t.Errorf("%s: nothing shows it", title)
		}
		for _, name := range names {
			wantShown(t, title, name[1])
		}
	}
	for _, script := range attackScripts(t) {
		if !strings.Contains(string(page), "`"+script+"`") {
			t.Errorf("the page does not speak of %s", script)
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
