package diag

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// constants returns the codes in this package's source, by constant name.
func constants(t *testing.T) map[string]Code {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]Code{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != len(spec.Names) {
				return true
			}
			if id, ok := spec.Type.(*ast.Ident); ok && id.Name == "Code" {
				for i, name := range spec.Names {
					value, err := strconv.Unquote(spec.Values[i].(*ast.BasicLit).Value)
					if err != nil {
						t.Fatal(err)
					}
					codes[name.Name] = Code(value)
				}
			}
			return true
		})
	}
	if len(codes) < 20 {
		t.Fatalf("only %d codes were found", len(codes))
	}
	return codes
}

// Every code has exactly one rule, and every rule a code.
func TestEveryCodeHasARule(t *testing.T) {
	rules := map[Code]int{}
	for _, r := range Rules {
		rules[r.Code]++
	}
	owner := map[Code]string{}
	for name, code := range constants(t) {
		if other := owner[code]; other != "" {
			t.Errorf("%s and %s are both %s", name, other, code)
		}
		owner[code] = name
		if rules[code] != 1 {
			t.Errorf("%s (%s) has %d rules", name, code, rules[code])
		}
	}
	for code := range rules {
		if owner[code] == "" {
			t.Errorf("the rule %s has no constant", code)
		}
	}
}

// Every rule is complete and its slug is unique.
func TestRulesAreComplete(t *testing.T) {
	form, slug := regexp.MustCompile(`^T[ABCDEMPRS][0-9]{3}$`), regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	slugs := map[string]Code{}
	for _, r := range Rules {
		if !form.MatchString(string(r.Code)) {
			t.Errorf("%s is no code", r.Code)
		}
		if !slug.MatchString(r.Slug) {
			t.Errorf("%s: %q is no slug", r.Code, r.Slug)
		}
		if other := slugs[r.Slug]; other != "" {
			t.Errorf("%s and %s are both %q", other, r.Code, r.Slug)
		}
		slugs[r.Slug] = r.Code
		if owners := familiesOf(r.Code); len(owners) != 1 || r.Code.Family().Name != owners[0] {
			t.Errorf("%s is of the families %v", r.Code, owners)
		}
		if r.Severity.Rank() == 0 && r.Severity != Hint {
			t.Errorf("%s: severity %q", r.Code, r.Severity)
		}
		if r.Title == "" || strings.Contains(r.Title, "\n") {
			t.Errorf("%s: title %q", r.Code, r.Title)
		}
		if len(r.Text) < 40 || !strings.HasSuffix(r.Text, ".") || strings.Contains(r.Text, "  ") {
			t.Errorf("%s: text %q", r.Code, r.Text)
		}
		if r.Bad == "" || r.Good == "" || r.Bad == r.Good {
			t.Errorf("%s: the examples are %q and %q", r.Code, r.Bad, r.Good)
		}
		if r.Fix != "" && r.Fix != Safe && r.Fix != Unsafe && r.Fix != Display {
			t.Errorf("%s: fix %q", r.Code, r.Fix)
		}
		if !reflect.DeepEqual(r.Code.Rule(), r) {
			t.Errorf("%s: Rule returns %+v", r.Code, r.Code.Rule())
		}
	}
	if got := Code("TC999").Rule(); !reflect.DeepEqual(got, Rule{Code: "TC999", Severity: Error}) {
		t.Errorf("the rule of an unknown code is %+v", got)
	}
}

// familiesOf returns the names of a code's families.
func familiesOf(c Code) []string {
	var names []string
	for _, f := range Families {
		if f.hasCode(c) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Every family is documented and has codes, and its name selects exactly these.
func TestFamilies(t *testing.T) {
	total := 0
	for _, f := range Families {
		codes := CodesByName(f.Name)
		total += len(codes)
		if f.Title == "" || f.Examples == "" || len(codes) == 0 {
			t.Errorf("%+v has %d codes", f, len(codes))
		}
		for _, c := range codes {
			if c.Family().Name != f.Name {
				t.Errorf("%s stands for %s, which is of %s", f.Name, c, c.Family().Name)
			}
		}
	}
	if total != len(Rules) {
		t.Errorf("the families have %d of %d codes", total, len(Rules))
	}
	if f := Code("TX001").Family(); f.Name != "" {
		t.Errorf("the family of an unknown code is %+v", f)
	}
}
