package policy

import "testing"

func TestPathGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, folder string
		matches, not    []string
		below, notBelow []string
	}{
		{"logs/*.log", "logs", []string{"a.log"}, []string{"a.txt", "x/a.log"}, nil, []string{"x"}},
		{"src/**/*.go", "src", []string{"a.go", "x/a.go", "x/y/a.go"}, []string{"a.md"}, []string{"x", "x/y"}, nil},
		{"/srv/*/x.md", "/srv", []string{"a/x.md"}, []string{"x.md"}, []string{"a"}, []string{"a/b"}},
		{"../[ab].md", "..", []string{"a.md"}, []string{"c.md"}, nil, []string{"x"}},
		{"*/b/**", ".", []string{"a/b/c", "a/b"}, []string{"a/c"}, []string{"a", "a/b", "a/b/c"}, []string{"a/c"}},
	} {
		g, err := NewPathGlob(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		folder, below := g.Split()
		if folder != c.folder {
			t.Errorf("%s: folder %q, want %q", c.pattern, folder, c.folder)
		}
		for _, name := range c.matches {
			if !below.Matches(name) {
				t.Errorf("%s does not match %s below %s", c.pattern, name, folder)
			}
		}
		for _, name := range c.not {
			if below.Matches(name) {
				t.Errorf("%s matches %s below %s", c.pattern, name, folder)
			}
		}
		for _, name := range c.below {
			if !below.CanMatchBelow(name) {
				t.Errorf("%s cannot match below %s", c.pattern, name)
			}
		}
		for _, name := range c.notBelow {
			if below.CanMatchBelow(name) {
				t.Errorf("%s can match below %s", c.pattern, name)
			}
		}
	}
}

func TestPathGlobSyntax(t *testing.T) {
	for _, pattern := range []string{"a**", "[a", `a\`} {
		if _, err := NewPathGlob(pattern); err == nil {
			t.Errorf("%q has no error", pattern)
		}
	}
	g, err := NewPathGlob(`a/\*.md`)
	if err != nil {
		t.Fatal(err)
	}
	if name, rest := g.Split(); name != "a/*.md" || !rest.IsLiteral() {
		t.Errorf("got %q, literal %v", name, rest.IsLiteral())
	}
}

func TestPathGlobHidden(t *testing.T) {
	g, err := NewPathGlob("*/.e*")
	if err != nil {
		t.Fatal(err)
	}
	if !g.NamesHidden(".env") || g.NamesHidden(".git") {
		t.Error("only .env is named")
	}
}

func TestEscapePathGlob(t *testing.T) {
	for _, name := range []string{"job [x]", `a\b/c`, "a**b/?", "."} {
		g, err := NewPathGlob(EscapePathGlob(name))
		if err != nil {
			t.Fatal(err)
		}
		if folder, rest := g.Split(); folder != name || !rest.IsLiteral() {
			t.Errorf("%q: got %q, literal %v", name, folder, rest.IsLiteral())
		}
	}
}
