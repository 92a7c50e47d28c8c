package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// programOf returns a definition with parameters and a program, both in YAML.
func programOf(t testing.TB, parameters, program string) *Definition {
	t.Helper()
	defs, findings := Loader{}.Parse("p.yaml", fmt.Appendf(nil, `name: p
description: Do it.
parameters: %s
examples: [{call: 'p()'}, {call: 'p()'}, {call: 'p()'}]
effect: exec
exec: %s
`, parameters, program))
	if len(findings) > 0 || len(defs) != 1 {
		t.Fatal(lines(findings))
	}
	return defs[0]
}

const optional = `{x: {type: string, required: false}, y: {type: string, required: false}, n: {type: integer, required: false}, f: {type: number, required: false},
  b: {type: boolean, default: true}, many: {type: array, items: {type: string}, required: false}, any: {required: false}, mode: {enum: ["1", "-v"], required: false}}`

// Arguments in argv: each placeholder is part of one word, whatever its value.
func TestFill(t *testing.T) {
	for _, tt := range []struct{ argv, args, want string }{
		{`[a]`, `{}`, `["a"]`},
		{`[a, "${x}"]`, `{"x":"one two\t\"three\" $(four) *\n;"}`, `["a","one two\t\"three\" $(four) *\n;"]`},
		{`[git, commit, -m, "${x}"]`, `{"x":"a\" --amend \"b"}`, `["git","commit","-m","a\" --amend \"b"]`},
		{`[a, "${x}"]`, `{"x":"${y} $${y}","y":"no"}`, `["a","${y} $${y}"]`},
		{`[a, "$${x} $x $ ${x} $$"]`, `{"x":"v"}`, `["a","${x} $x $ v $$"]`},
		{`[a, "x=${x}", "${x}${y}"]`, `{"x":"1","y":"2"}`, `["a","x=1","12"]`},
		{`[a, "n=${n}", "f=${f}", "b=${b}"]`, `{"n":5.0,"f":1.50}`, `["a","n=5","f=1.50","b=true"]`},
		{`[a, "n=${n}"]`, `{"n":1e3}`, `["a","n=1000"]`},
		{`[a, "b=${b}"]`, `{"b":false}`, `["a","b=false"]`},
		{`[a, "${x}", "at ${x}", z]`, `{}`, `["a","z"]`},
		{`[a, [-x, "${x}"], [-y, "${y}"], z]`, `{"y":"1"}`, `["a","-y","1","z"]`},
		{`[a, [-x, "${x}", "${y}"], z]`, `{"y":"1"}`, `["a","z"]`},
		{`[a, "${many}", z]`, `{"many":["1","two words",""]}`, `many: a program argument must not be empty`},
		{`[a, "${many}", z]`, `{"many":["1","two words"]}`, `["a","1","two words","z"]`},
		{`[a, "${many}", [-m, "${many}"], z]`, `{"many":[]}`, `["a","z"]`},
		{`[a, [-m, "${many}"], z]`, `{"many":["1","2"]}`, `["a","-m","1","2","z"]`},
		{`[a, "${many}"]`, `{"many":["1","-f"]}`, `many: "-f" starts with -, so the program would read it as an option`},
		{`[a, --, "${many}", "${x}"]`, `{"many":["1","-f"],"x":"--help"}`, `["a","--","1","-f","--help"]`},
		{`[a, [--, "${x}"], "${y}"]`, `{"y":"-f"}`, `y: "-f" starts with -, so the program would read it as an option`},
		{`[a, "${x}", "${y}"]`, `{"x":"--","y":"-f"}`, `x: "--" starts with -, so the program would read it as an option`},
		{`[a, "${x}"]`, `{"x":"-"}`, `x: "-" starts with -, so the program would read it as an option`},
		{`[a, "${x}"]`, `{"x":""}`, `x: a program argument must not be empty`},
		{`[a, "${x}${y}"]`, `{"x":"","y":""}`, `x: a program argument must not be empty`},
		{`[a, "${x}${y}"]`, `{"x":"","y":"-f"}`, `x: "-f" starts with -, so the program would read it as an option`},
		{`[a, "${x}-f"]`, `{"x":""}`, `x: "-f" starts with -, so the program would read it as an option`},
		{`[a, "--x=${x}"]`, `{"x":""}`, `["a","--x="]`},
		{`[a, "--x=${x}"]`, `{"x":"-f"}`, `["a","--x=-f"]`},
		{`[a, "-${mode}"]`, `{"mode":"1"}`, `["a","-1"]`},
		{`[a, "-${mode}"]`, `{"mode":"-v"}`, `mode: "--v" starts with -, so the program would read it as an option`},
		{`[a, "${n}"]`, `{"n":-5}`, `n: "-5" starts with -, so the program would read it as an option`},
		{`[a, "x${x}"]`, `{"x":"a\u0000b"}`, `x: a program argument must not contain NUL`},
		{`[a, "${any}"]`, `{"any":{"k":1}}`, `any: expected text, a number, true or false`},
		{`[a, "${any}"]`, `{"any":[1,true,"s"]}`, `["a","1","true","s"]`},
		{`[a, "${any}"]`, `{"any":[1,null]}`, `any[1]: expected text, a number, true or false`},
		{`[a, "${any}"]`, `{"any":[[1]]}`, `any[0]: expected text, a number, true or false`},
		{`[a, "v=${any}"]`, `{"any":[1]}`, `any: expected text, a number, true or false`},
		{`[a, "${any}", z]`, `{"any":null}`, `["a","z"]`},
	} {
		filled, err := programOf(t, optional, "{argv: "+tt.argv+"}").FillProgram(json.RawMessage(tt.args))
		got := ""
		if argv, encoded := json.Marshal(filled.Argv); encoded == nil {
			got = string(argv)
		}
		if err != nil {
			got = err.Error()
		}
		var wrong *FillError
		if err != nil && (!errors.As(err, &wrong) || wrong.TooLarge) || filled.Stdin != nil {
			t.Errorf("%s %s: %v, stdin %q", tt.argv, tt.args, err, filled.Stdin)
		}
		if unescaped := strings.ReplaceAll(got, `\u0026`, "&"); unescaped != tt.want {
			t.Errorf("%s %s:\n got %s\nwant %s", tt.argv, tt.args, got, tt.want)
		}
	}
}

// Arguments in stdin.
func TestFillStdin(t *testing.T) {
	for _, tt := range []struct{ stdin, args, want, err string }{
		{`json`, `{"x":"1"}`, `{"x":"1","b":true}`, ""},
		{`"${x}"`, `{"x":"a\nb\u0000"}`, "a\nb\x00", ""},
		{`"${x}\n"`, `{"x":"a\nb"}`, "a\nb\n", ""},
		{`"x: ${x}\ny: ${y}\n"`, `{"x":"1"}`, "x: 1\ny: \n", ""},
		{`"x: ${x}\ny: ${y}\n"`, `{"x":"1\ny: 2"}`, "", "x: a value embedded in stdin text must be a single line"},
		{`"x: ${x}"`, `{"x":"1\r2"}`, "", "x: a value embedded in stdin text must be a single line"},
		{`"-${x}"`, `{"x":"-"}`, "--", ""},
		{`plain`, `{}`, "plain", ""},
	} {
		filled, err := programOf(t, optional, "{argv: [a], stdin: "+tt.stdin+"}").FillProgram(json.RawMessage(tt.args))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tt.err || string(filled.Stdin) != tt.want {
			t.Errorf("%s %s: %q, %s", tt.stdin, tt.args, filled.Stdin, got)
		}
	}
}

// Repeated placeholders do not get around the size limit.
func TestFillLarge(t *testing.T) {
	d := programOf(t, optional, `{argv: [a`+strings.Repeat(`, "${x}"`, 100)+`]}`)
	args := json.RawMessage(`{"x":"` + strings.Repeat("v", 100_000) + `"}`)
	var wrong *FillError
	if _, err := d.FillProgram(args); !errors.As(err, &wrong) || !wrong.TooLarge {
		t.Error(err)
	}
}

// Paths are the values of parameters with format path.
func TestPathsIn(t *testing.T) {
	d := programOf(t, `{a: {type: string, format: path, default: d}, b: {type: array, items: {type: string, format: path}, required: false}, c: {type: string, required: false}}`, `{argv: [x]}`)
	for args, want := range map[string][]string{
		`{}`:                          {"d"},
		`{"a":"1","b":["2","../3"]}`:  {"1", "2", "../3"},
		`{"c":"../4","b":[],"a":"/"}`: {"/"},
	} {
		got, err := d.FilePaths(json.RawMessage(args))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", args, err, diff)
		}
	}
}

// Values change no other word. After "--", the words of the definition stay the same, and each
// value is one word, or the call is rejected.
func FuzzFill(f *testing.F) {
	d := programOf(f, optional, `{argv: [a, -k, --, "${x}", mid, "<${y}>", "${many}", end], stdin: json}`)
	for _, seed := range []string{"", "-", "--", "v", "${x}", "$${", "a b", "\x00", "'\"", "\n"} {
		f.Add(seed, seed, seed)
	}
	f.Fuzz(func(t *testing.T, x, y, item string) {
		args, err := json.Marshal(map[string]any{"x": x, "y": y, "many": []string{item, x}})
		if err != nil {
			t.Fatal(err)
		}
		var said struct {
			X, Y string
			Many []string
		}
		if err := json.Unmarshal(args, &said); err != nil { // invalid UTF-8 was replaced
			t.Fatal(err)
		}
		filled, err := d.FillProgram(args)
		refused := said.X == "" || said.Many[0] == "" || strings.Contains(x+y+item, "\x00")
		if refused != (err != nil) {
			t.Fatalf("%s: %v", args, err)
		}
		want := []string{"a", "-k", "--", said.X, "mid", "<" + said.Y + ">", said.Many[0], said.Many[1], "end"}
		if diff := cmp.Diff(want, filled.Argv); err == nil && diff != "" {
			t.Errorf("%s (-want +got)\n%s", args, diff)
		}
	})
}

// Escaped text is filled unchanged, and every placeholder of a valid template is replaced.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"", "$", "$$", "${", "${a}", "$${a}", "$$${a}", "${a}${b}", "x ${ab_1} y", "${a b}", "é${é}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		plain, wrong := ParseTemplate(strings.ReplaceAll(text, "${", "$${"))
		if wrong != nil || len(plain.placeholders()) > 0 || plain.fill(nil) != text {
			t.Fatalf("%q: %v, %q", text, wrong, plain.fill(nil))
		}
		tmpl, wrong := ParseTemplate(text)
		if wrong != nil {
			if wrong.Offset < 0 || wrong.Offset > len(text) || !strings.HasPrefix(text[wrong.Offset:], "${") {
				t.Fatalf("%q: %+v", text, wrong)
			}
			return
		}
		again := tmpl.fill(func(name string) string { return "${" + name + "}" })
		if want := strings.ReplaceAll(text, "$${", "${"); again != want {
			t.Fatalf("%q: %q", text, again)
		}
	})
}
