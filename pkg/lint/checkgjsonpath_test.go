package lint

import (
	"errors"
	"testing"
)

// A path is rejected exactly if a group in it is not closed. A bracket or quote that gjson reads as
// part of a name is no group.
func TestCheckGJSONPath(t *testing.T) {
	for text, want := range map[string]int{
		"": -1, "a.b": -1, "a.0.b": -1, `a.#(b=="x)").c`: -1, `a.#(b=="\")").c`: -1, "a.#(b.#(c==1)).d": -1, "a.#[b==1]#": -1,
		"{a,b}": -1, "a.[b,c.{d}]": -1, `a.@pretty:{"indent":"}"}`: -1, "f(x": -1, "a[0": -1, `a"b`: -1, `a.\#(b`: -1, "a)": -1, "#": -1, "a.#.b": -1, "@this": -1, "a@b:{": -1,
		"r.#(": 2, `r.#(a=="b)`: 2, "r.#(a.#(b)": 2, "#[a": 0, "{a,b": 0, "a|[b": 2, `a.{"b:c}`: 2, `@pretty:{"indent"`: 8, `r.#(a==1\)`: 2, `r.#(a=={)`: -1,
	} {
		at := -1
		var e *GJSONPathError
		if errors.As(CheckGJSONPath(text), &e) {
			at = e.Offset
		}
		if at != want {
			t.Errorf("%s: %d, want %d", text, at, want)
		}
	}
}
