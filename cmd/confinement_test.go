package cmd

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/policy"
	"oneshot/pkg/subprocess"
	"oneshot/pkg/tool"
)

// tree creates folders, and links given as "NAME -> TARGET", in a temporary directory and makes it the working directory.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		link, target, ok := strings.Cut(name, " -> ")
		if ok {
			err = os.Symlink(target, filepath.Join(dir, link))
		} else {
			err = os.MkdirAll(filepath.Join(dir, name), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

// runs returns a tool that runs no program, and one that runs a program with these variables.
func runs(env ...string) []*tool.Definition {
	return []*tool.Definition{{Name: "reader", Effect: tool.Read}, {Name: "runner", Effect: tool.Exec, Exec: &tool.Program{Env: env}}}
}

func quietTalk() *console {
	return newConsole(Env{Stderr: io.Discard, Stdout: io.Discard, Getenv: func(string) string { return "" }})
}

// A sandbox has the targets of links, and no folders inside a writable one: a program could replace them by links.
func TestSandboxFolders(t *testing.T) {
	dir := tree(t, "root/out/deep", "root/data", "other", "root/door -> out", "root/away -> ../other", "lib -> other", "rooted")
	for name, c := range map[string]struct {
		box  policy.Sandbox
		root string
		want subprocess.Sandbox
		err  string
	}{
		"one": {policy.Sandbox{Read: []string{"/"}, Write: []string{"out"}, Network: true, Optional: true}, "root",
			subprocess.Sandbox{Read: []string{"/"}, Write: []string{"root/out"}, Network: true, Optional: true}, ""},
		"within another":           {policy.Sandbox{Read: []string{"out/deep", "data"}, Write: []string{"out/deep", "out"}}, "root", subprocess.Sandbox{Read: []string{"root"}, Write: []string{"root/out"}}, ""},
		"twice":                    {policy.Sandbox{Read: []string{dir + "/other", dir + "/lib"}, Write: []string{"out", "./out", "door"}}, "root", subprocess.Sandbox{Read: []string{"other", "root"}, Write: []string{"root/out"}}, ""},
		"written and read":         {policy.Sandbox{Read: []string{dir + "/other"}, Write: []string{dir + "/other"}}, "root", subprocess.Sandbox{Read: []string{"root"}, Write: []string{"other"}}, ""},
		"a name that begins alike": {policy.Sandbox{Read: []string{dir + "/rooted"}}, "root", subprocess.Sandbox{Read: []string{"root", "rooted"}}, ""},
		"no root":                  {policy.Sandbox{Read: []string{dir + "/other"}}, "", subprocess.Sandbox{Read: []string{"other"}}, ""},
		"nothing more to read":     {policy.Sandbox{Read: []string{}}, "root", subprocess.Sandbox{Read: []string{"root"}}, ""},
		"what is not there":        {policy.Sandbox{Read: []string{"/no/such/folder", "nor/this"}}, "root", subprocess.Sandbox{Read: []string{"root"}}, ""},
		"nothing there to write":   {policy.Sandbox{Write: []string{"new"}}, "root", subprocess.Sandbox{}, "programs.sandbox.write: root/new does not exist"},
		"nor anywhere":             {policy.Sandbox{Write: []string{"/no/such/folder"}}, "root", subprocess.Sandbox{}, "programs.sandbox.write: /no/such/folder does not exist"},
		"a link that leads out":    {policy.Sandbox{Read: []string{"away"}}, "root", subprocess.Sandbox{}, "programs.sandbox.read: away is outside the root"},
		"a link to be written":     {policy.Sandbox{Write: []string{"away"}}, "root", subprocess.Sandbox{}, "programs.sandbox.write: away is outside the root"},
		"below no root":            {policy.Sandbox{Read: []string{"data"}}, "", subprocess.Sandbox{}, "programs.sandbox.read: data is relative and needs --root"},
	} {
		o := confineOptions{root: c.root}
		got, err := o.sandbox(c.box)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", name, err, c.err)
			}
			continue
		}
		for _, list := range [][]string{c.want.Read, c.want.Write} {
			for i := range list {
				if !filepath.IsAbs(list[i]) {
					list[i] = filepath.Join(dir, list[i])
				}
			}
		}
		if d := cmp.Diff(c.want, got); err != nil || d != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, d)
		}
	}
}

// A sandbox may read the usual system folders if the policy names no folders to read.
func TestUsualReads(t *testing.T) {
	tree(t, "root")
	o := confineOptions{root: "root"}
	box, err := o.sandbox(policy.Sandbox{})
	if err != nil || len(box.Write) > 0 {
		t.Fatalf("%+v: %v", box, err)
	}
	for _, name := range append(usualReads, "root") {
		if _, err := os.Stat(name); err != nil {
			continue
		}
		found := false
		for _, dir := range box.Read {
			_, below := relativeTo(dir, name)
			found = found || below
		}
		if !found {
			t.Errorf("%s cannot be read: %v", name, box.Read)
		}
	}
}

// A sandbox in which programs could write files that steer this run or the next is refused.
func TestProgramsApart(t *testing.T) {
	dir := tree(t, "root/out/tools", "root/defs", "bin", "state", "root/.git/hooks", "root/hooks -> .git/hooks", "box")
	for name, c := range map[string]struct {
		write []string
		path  []string
		made  []string
		defs  []string
		want  string
	}{
		"apart":                      {[]string{"out"}, []string{dir + "/bin"}, []string{"root/outer", "state", ""}, []string{"root/defs"}, ""},
		"the root":                   {[]string{dir + "/root"}, nil, nil, nil, "programs could change root"},
		"above the root":             {[]string{dir}, nil, nil, nil, "programs could change root"},
		"where programs are":         {[]string{dir + "/bin"}, []string{dir + "/bin"}, nil, nil, "programs could change " + dir + "/bin"},
		"above where they are":       {[]string{"/usr"}, nil, nil, nil, "programs could change /usr/local/bin"},
		"a policy":                   {[]string{"out"}, nil, []string{"root/out/policy"}, nil, "programs could change root/out/policy"},
		"a record that is not there": {[]string{"out"}, nil, []string{"root/out/new/run.jsonl"}, nil, "programs could change root/out/new/run.jsonl"},
		"definitions":                {[]string{"out"}, nil, nil, []string{"root/out/tools"}, "programs could change root/out/tools"},
		"among definitions":          {[]string{"out/tools"}, nil, nil, []string{"root/out"}, "programs could add definitions to root/out"},
		"what is obeyed, by a link":  {[]string{"hooks"}, nil, nil, nil, "other programs run or load files from " + dir + "/root/.git/hooks"},
	} {
		o := confineOptions{root: "root"}
		_, err := o.confinement(quietTalk(), policy.Programs{Path: c.path, Sandboxes: []policy.Sandbox{{Write: c.write, Optional: true}}}, runs(), c.made, c.defs)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || exitOf(err).Code != 2) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := confineOptions{root: "root"}
	_, err = o.confinement(quietTalk(), policy.Programs{Sandboxes: []policy.Sandbox{{Write: []string{filepath.Dir(self)}, Optional: true}}}, runs(), nil, nil)
	if err == nil || !strings.Contains(err.Error(), "programs could change "+self) {
		t.Errorf("this program: %v", err)
	}
}

// The program path must not contain folders that tools or other users can write.
func TestProgramsSearched(t *testing.T) {
	dir := tree(t, "root/bin", "bin", "open")
	if err := os.Chmod("open", 0o777); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		path []string
		want string
	}{
		"usual":        {nil, ""},
		"some":         {[]string{dir + "/bin", dir + "/not/there"}, ""},
		"none is left": {[]string{}, "the policies have no folder in common"},
		"the root":     {[]string{dir + "/bin", dir + "/root"}, dir + "/root is the root, which tools can write"},
		"open":         {[]string{dir + "/open"}, dir + "/open has mode 0777: anyone can add programs"},
	} {
		o := confineOptions{root: "root"}
		_, err := o.confinement(quietTalk(), policy.Programs{Path: c.path}, runs(), nil, nil)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A run without programs needs no confinement, and one with programs needs --root.
func TestNoPrograms(t *testing.T) {
	for name, c := range map[string]struct {
		flags policy.FlagRules
		tools []*tool.Definition
		exit  int
	}{
		"no such tool": {policy.FlagRules{EnableExec: true}, runs()[:1], 0},
		"switched off": {policy.FlagRules{}, runs(), 0},
		"read-only":    {policy.FlagRules{EnableExec: true, ReadOnly: true}, runs(), 0},
		"no root":      {policy.FlagRules{EnableExec: true}, runs(), 2},
	} {
		got, err := toolAccess{}.programs(quietTalk(), policy.Policy{Flags: c.flags}, c.tools)
		if got != nil || exitOf(err).Code != c.exit || got.doc() != nil || got.searchPath() != nil {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// Programs get the variables of their definition that the policy passes; a warning names the others. A program that a model
// names gets all variables that the policy passes.
func TestProgramsVariables(t *testing.T) {
	var said strings.Builder
	tree(t, "root")
	o := confineOptions{root: "root"}
	for _, c := range []struct {
		env  []string
		want []string
		says int
	}{{nil, []string{"A", "B"}, 0}, {[]string{}, nil, 2}, {[]string{"B", "C"}, []string{"B", "C"}, 1}} {
		said.Reset()
		con := newConsole(Env{Stderr: &said, Getenv: func(string) string { return "" }})
		got, err := o.confinement(con, policy.Programs{Env: c.env}, runs("B", "A", "B"), nil, nil)
		if err != nil || cmp.Diff(c.want, got.named) != "" || got.passesVariable("A") != (c.env == nil) || got.passesVariable("C") != (len(c.env) == 2 || c.env == nil) {
			t.Errorf("%v: %v, %v", c.env, got.named, err)
		}
		if n := strings.Count(said.String(), "the policy hides the variable"); n < c.says || c.says == 0 && n > 0 {
			t.Errorf("%v: %s", c.env, said.String())
		}
	}
}

// The kernel stacks at most [maxSandboxes] sandboxes: a policy with more is refused before any program runs.
func TestManySandboxes(t *testing.T) {
	tree(t, "root")
	o := confineOptions{root: "root"}
	for n, code := range map[int]int{maxSandboxes: 0, maxSandboxes + 1: 2} {
		_, err := o.confinement(quietTalk(), policy.Programs{Sandboxes: slices.Repeat([]policy.Sandbox{{Optional: true}}, n)}, runs(), nil, nil)
		if exitOf(err).Code != code {
			t.Errorf("%d: %v", n, err)
		}
	}
}
