package tool

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"oneshot/pkg/diag"
)

// A requestCase is a line of ssrf_cases.jsonl about the request of a definition.
type requestCase struct {
	ID, Kind, Expect, Template string
	Vars                       map[string]string
	Args                       struct {
		Method  string
		Headers map[string]string
	}
}

var hole = regexp.MustCompile(`\{\{(\w+)\}\}`)

// comesTo has the expected URL or body of each case that escapes a value.
var comesTo = map[string]string{
	"tpl-slash":       "https://api.test/users/1%2Fdelete",
	"tpl-query-break": "https://api.test/users/1%3Frole%3Dadmin",
	"tpl-query-amp":   "https://api.test/s?safe=1&q=a%26safe%3D0",
	"tpl-json-body":   `{"name":"x\",\"admin\":true,\"y\":\""}`,
	"tpl-form-body":   "name=x%26admin%3D1",
}

// request returns the YAML of the request of a case, the names of its parameters, and its arguments.
func (c requestCase) request() (request string, names []string, args map[string]string) {
	names, args = slices.Sorted(maps.Keys(c.Vars)), c.Vars
	text := hole.ReplaceAllString(c.Template, "$${${1}}")
	name, value, isHeader := strings.Cut(strings.TrimPrefix(text, "header "), ": ")
	switch {
	case c.Kind == "args":
		return c.definition()
	case c.ID == "tpl-query-amp": // a URL accepts no placeholder after the ?, see requests.txtar
		return `{url: "https://api.test/s?safe=1", query: {q: "${q}"}}`, names, args
	case isHeader && text != c.Template && strings.HasPrefix(text, "header "):
		return fmt.Sprintf(`{url: "https://api.test/", headers: {%s: %q}}`, name, value), names, args
	case strings.HasPrefix(text, "{\""):
		return `{method: POST, url: "https://api.test/", body: ` + text + `}`, names, args
	case strings.HasPrefix(text, "name="):
		return fmt.Sprintf(`{method: POST, url: "https://api.test/", form: {name: %q}}`, strings.TrimPrefix(text, "name=")), names, args
	}
	return fmt.Sprintf(`{url: %q}`, text), names, args
}

// definition returns a request with the method and the headers of a case, which only a definition can
// name. Values of headers are arguments, in addition to the headers of the definition.
func (c requestCase) definition() (request string, names []string, args map[string]string) {
	args = map[string]string{}
	method, headers := "GET", []string{}
	if c.Args.Method != "" {
		method = c.Args.Method
	}
	for name, value := range c.Args.Headers {
		if name == "Authorization" {
			headers = append(headers, `Authorization: "Bearer ${secret:KEY}"`)
			name = "authorization"
		}
		names, args["v"] = []string{"v"}, value
		headers = append(headers, fmt.Sprintf(`%q: "${v}"`, name))
	}
	return fmt.Sprintf(`{method: %q, url: "http://ok.test/", headers: {%s}}`, method, strings.Join(headers, ", ")), names, args
}

// Each dangerous definition is rejected, and each dangerous value is rejected or escaped.
func TestRequestCases(t *testing.T) {
	dir := os.Getenv("ONESHOT_SHARED")
	if dir == "" {
		t.Skip("ONESHOT_SHARED names no directory with lists of cases")
	}
	f, err := os.Open(filepath.Join(dir, "cases", "ssrf_cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ran := 0
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var c requestCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if c.Kind == "template" || c.Kind == "args" {
			ran++
			t.Run(c.ID, c.run)
		}
	}
	if err := lines.Err(); err != nil || ran < 20 {
		t.Errorf("%d cases were run, %v", ran, err)
	}
}

func (c requestCase) run(t *testing.T) {
	request, names, args := c.request()
	parameters := ""
	for _, name := range names {
		parameters += name + ": {type: string}, "
	}
	example := `{call: 'r({` + strings.Join(names, `: "a", `) + `: "a"})'}`
	if len(names) == 0 {
		example = "{call: r()}"
	}
	defs, findings := Loader{}.Parse("r.yaml", fmt.Appendf(nil, "name: r\ndescription: Do it.\nparameters: {%s}\nexamples: [%s, %s, %s]\neffect: read\nhttp: %s\n",
		parameters, example, example, example, request))
	if len(findings) > 0 {
		if about := []diag.Code{diag.DefPlaceholder, diag.DefRequest, diag.DefValue}; c.Expect != "deny" || !slices.Contains(about, findings[0].Code) {
			t.Errorf("%s: %v", request, findings)
		}
		return
	}
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	filled, err := defs[0].FillRequest(text, secretOf)
	switch wrong := new(FillError); {
	case c.Expect == "deny":
		if !errors.As(err, &wrong) {
			t.Errorf("%s: %+v, %v", request, filled, err)
		}
	case err != nil, comesTo[c.ID] == "", filled.URL != comesTo[c.ID] && string(filled.Body) != comesTo[c.ID]:
		t.Errorf("%s: %s %s %v", request, filled.URL, filled.Body, err)
	}
}
