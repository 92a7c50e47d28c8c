package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"oneshot/pkg/schema/yamldoc"
)

// programsOf returns the permissions of programs under several policies. Each text is the value of
// "programs" in a document.
func programsOf(t testing.TB, texts ...string) Programs {
	t.Helper()
	var p Policy
	for _, text := range texts {
		_, docs := yamldoc.Read("policy.yaml", []byte("{version: 1, tools: {}, programs: "+text+"}"), yamldoc.Codes{})
		doc, _ := docs[0].JSON()
		l, findings := Compile(doc, nil)
		if l == nil {
			t.Fatalf("%s: %v", text, findings)
		}
		p.Layers = append(p.Layers, l)
	}
	return p.ProgramConfinement()
}

// Policies restrict programs together: a setting that no policy has keeps its default, and programs
// get only the permissions that all policies give.
func TestPrograms(t *testing.T) {
	for name, c := range map[string]struct {
		layers []string
		want   Programs
	}{
		"nothing": {[]string{`{}`, `{limit: {}}`}, Programs{}},
		"all": {
			[]string{`{path: [/opt/bin, /bin], env: [LANG], limit: {memory: 2GB, file_size: 5, processes: 9, open_files: 8}, sandbox: {read: [/usr, data], write: [./out], network: true, missing: ignore}}`},
			Programs{
				Path: []string{"/opt/bin", "/bin"}, Env: []string{"LANG"}, Limit: ProgramLimit{2e9, 5, 9, 8},
				Sandboxes: []Sandbox{{Read: []string{"/usr", "data"}, Write: []string{"./out"}, Network: true, Optional: true}},
			},
		},
		"the order is that of the first": {[]string{`{path: [/c, /a, /b]}`, `{}`, `{path: [/b, /c, /d]}`}, Programs{Path: []string{"/c", "/b"}}},
		"the second alone":               {[]string{`{}`, `{path: [/c], env: [A]}`}, Programs{Path: []string{"/c"}, Env: []string{"A"}}},
		"nothing in common":              {[]string{`{path: [/c], env: [A]}`, `{path: [/d], env: [B]}`}, Programs{Path: []string{}, Env: []string{}}},
		"no variable":                    {[]string{`{env: []}`, `{env: [A]}`}, Programs{Env: []string{}}},
		"the least":                      {[]string{`{limit: {memory: 1MB, processes: 7}}`, `{limit: {memory: 1MiB, file_size: 1KB, processes: 6}}`}, Programs{Limit: ProgramLimit{1e6, 1e3, 6, 0}}},
		"each sandbox":                   {[]string{`{sandbox: {}}`, `{sandbox: {read: []}}`}, Programs{Sandboxes: []Sandbox{{}, {Read: []string{}}}}},
		"a policy":                       {[]string{`{sandbox: {network: true}}`, `{}`}, Programs{Sandboxes: []Sandbox{{Network: true}}}},
	} {
		if d := cmp.Diff(c.want, programsOf(t, c.layers...)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// An invalid setting is an error at its place, and the policy does not compile.
func TestWrongPrograms(t *testing.T) {
	for text, want := range map[string]string{
		`{path: [/bin, bin]}`:                        `TP008 /programs/path/1 "bin": expected an absolute path`,
		`{path: ["."]}`:                              `TP008 /programs/path/0 ".": expected an absolute path`,
		`{path: [""]}`:                               `TP008 /programs/path/0 "": expected an absolute path`,
		`{path: [/usr/../bin]}`:                      `TP008 /programs/path/0 "/usr/../bin": the path is not in its shortest form`,
		`{path: ["/bin:."]}`:                         `TP008 /programs/path/0 "/bin:.": a folder of PATH cannot contain a colon`,
		`{path: ["/bin\0x"]}`:                        `TP008 /programs/path/0 "/bin\x00x": a path cannot contain NUL`,
		`{env: [LD_PRELOAD]}`:                        `TP008 /programs/env/0 "LD_PRELOAD": this variable makes programs load or run other code`,
		`{env: [A, GIT_SSH_COMMAND]}`:                `TP008 /programs/env/1 "GIT_SSH_COMMAND": this variable makes programs load or run other code`,
		`{env: [PATH]}`:                              `TP008 /programs/env/0 "PATH": programs.path sets where programs are looked up`,
		`{limit: {memory: 99999999999GB}}`:           `TP001 /programs/limit/memory "99999999999GB" is not a size such as 64KB, 1MB or 1MiB`,
		`{limit: {file_size: 1e3}}`:                  `TP001 /programs/limit/file_size 1e3 is not a size such as 64KB, 1MB or 1MiB`,
		`{sandbox: {read: [../x]}}`:                  `TP008 /programs/sandbox/read/0 "../x": the path contains "." or ".."`,
		`{sandbox: {read: ["~/x:y"]}}`:               `TP008 /programs/sandbox/read/0 "~/x:y": the path contains a backslash or a colon`,
		`{sandbox: {read: [/usr/]}}`:                 `TP008 /programs/sandbox/read/0 "/usr/": the path is not in its shortest form`,
		`{sandbox: {write: ["."]}}`:                  `TP008 /programs/sandbox/write/0 ".": in the root, programs could write files that other programs run or obey`,
		`{sandbox: {write: ["./"]}}`:                 `TP008 /programs/sandbox/write/0 "./": in the root, programs could write files that other programs run or obey`,
		`{sandbox: {write: [out, "out/.."]}}`:        `TP008 /programs/sandbox/write/1 "out/..": the path contains "." or ".."`,
		`{sandbox: {write: [/]}}`:                    `TP008 /programs/sandbox/write/0 "/": that is the whole file system`,
		`{sandbox: {write: [./.git]}}`:               `TP008 /programs/sandbox/write/0 "./.git": other programs run or obey the files there`,
		`{sandbox: {write: [/home/kim/.SSH/keys]}}`:  `TP008 /programs/sandbox/write/0 "/home/kim/.SSH/keys": other programs run or obey the files there`,
		`{sandbox: {write: [a/.GitHub/Workflows]}}`:  `TP008 /programs/sandbox/write/0 "a/.GitHub/Workflows": other programs run or obey the files there`,
		`{sandbox: {write: ["a/.git\u200b/hooks"]}}`: `TP008 /programs/sandbox/write/0 "a/.git\u200b/hooks": the path contains an invisible character`,
	} {
		l, findings := compile(t, "{version: 1, tools: {}, programs: "+text+"}")
		if l != nil || len(findings) != 1 || string(findings[0].Code)+" "+findings[0].Path+" "+findings[0].Message != want {
			t.Errorf("%s: %+v, want %s", text, findings, want)
		}
	}
}

// One more policy never adds a permission, whatever the number and order of the policies.
func TestProgramsOnlyNarrow(t *testing.T) {
	lists := func(names ...string) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			all := rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, len(names), rapid.ID).Draw(t, "names")
			return "[" + strings.Join(all, ", ") + "]"
		})
	}
	part := rapid.OneOf(
		rapid.Map(lists("/a", "/b", "/c"), func(s string) string { return "path: " + s }),
		rapid.Map(lists("A", "B", "C"), func(s string) string { return "env: " + s }),
		rapid.SampledFrom([]string{"limit: {memory: 1MB}", "limit: {memory: 2MB, processes: 4}", "limit: {processes: 3, open_files: 5}", "sandbox: {network: true}", "sandbox: {write: [out]}"}),
	)
	text := rapid.Map(part, func(s string) string { return "{" + s + "}" })
	narrowed := 0
	rapid.Check(t, func(rt *rapid.T) {
		texts := rapid.SliceOfN(text, 1, 4).Draw(rt, "policies")
		before, after := programsOf(t, texts[:len(texts)-1]...), programsOf(t, texts...)
		if cmp.Diff(before, after) != "" {
			narrowed++
		}
		if !isPart(after.Path, before.Path) || !isPart(after.Env, before.Env) {
			rt.Errorf("%v: %+v, and then %+v", texts, before, after)
		}
		for _, n := range [][2]int64{
			{before.Limit.Memory, after.Limit.Memory}, {int64(before.Limit.Processes), int64(after.Limit.Processes)}, {int64(before.Limit.OpenFiles), int64(after.Limit.OpenFiles)},
		} {
			if n[0] > 0 && (n[1] == 0 || n[1] > n[0]) {
				rt.Errorf("%v: a limit was %d and is %d", texts, n[0], n[1])
			}
		}
		if len(after.Sandboxes) < len(before.Sandboxes) {
			rt.Errorf("%v: a sandbox is gone", texts)
		}
	})
	if narrowed < 20 {
		t.Errorf("only %d policies narrowed anything", narrowed)
	}
}

// isPart reports whether a list is a subset of another one. A nil list contains everything.
func isPart(list, of []string) bool {
	return of == nil || list != nil && !slices.ContainsFunc(list, func(s string) bool { return !slices.Contains(of, s) })
}
