package fileroot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// world is a root and files outside of it.
type world struct {
	base, dir string
	root      *Root
}

// newWorld makes BASE/secret.txt, BASE/outdir/o.txt and the root BASE/vault with
// ok.txt and a/in.txt.
func newWorld(t testing.TB) world {
	t.Helper()
	base := t.TempDir()
	w := world{base: base, dir: filepath.Join(base, "vault")}
	for name, content := range map[string]string{"secret.txt": "SECRET", "outdir/o.txt": "OUTSIDE", "vault/ok.txt": "fine", "vault/a/in.txt": "inside"} {
		w.file(t, filepath.Join(base, name), content)
	}
	root, err := Open(w.dir, "tools")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	w.root = root
	return w
}

func (w world) file(t testing.TB, name, content string) {
	t.Helper()
	err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(content), 0o644))
	if err != nil {
		t.Fatal(err)
	}
}

// make creates a file in the root: "->target" makes a symbolic link, "=hardlink FILE",
// "=fifo", "=socket" and "=mknod" make that kind of file, and any other text is the
// content of a regular file.
func (w world) make(t testing.TB, name, what string) {
	t.Helper()
	path := filepath.Join(w.dir, name)
	var err error
	switch {
	case strings.HasPrefix(what, "->"):
		err = os.Symlink(what[2:], path)
	case strings.HasPrefix(what, "=hardlink "):
		err = os.Link(strings.ReplaceAll(what[10:], "{BASE}", w.base), path)
	case what == "=fifo":
		err = syscall.Mkfifo(path, 0o644)
	case what == "=socket":
		var l net.Listener
		t.Chdir(w.dir) // the name of a socket must be short
		if l, err = net.Listen("unix", name); err == nil {
			t.Cleanup(func() { l.Close() })
		}
	case strings.HasPrefix(what, "=mknod"):
		if err = unix.Mknod(path, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5))); errors.Is(err, os.ErrPermission) {
			t.Skip("making a device node needs root")
		}
	default:
		w.file(t, path, what)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// wantRefusal checks that an error is a PathError of a kind and does not reveal the path
// of the root.
func (w world) wantRefusal(t testing.TB, err error, kinds ...Kind) {
	t.Helper()
	var refused *PathError
	if !errors.As(err, &refused) {
		t.Fatalf("error %v, want a PathError", err)
	}
	if len(kinds) > 0 && refused.Kind != kinds[0] {
		t.Errorf("kind %q (%v), want %q", refused.Kind, err, kinds[0])
	}
	if !strings.HasPrefix(refused.Path, "/") && strings.Contains(err.Error(), w.base) {
		t.Errorf("the error says where the root is: %v", err)
	}
}

// M10: reads return only plain files inside the root.
func TestRead(t *testing.T) {
	fixture := map[string]string{
		"l_in": "->ok.txt", "l_dir_in": "->a", "l_out": "->../secret.txt", "l_abs": "->/etc/passwd", "l_oab": "->../vault/ok.txt",
		"l_dir_out": "->../outdir", "l_self": "->l_self", "l_gone": "->missing", "hard": "=hardlink {BASE}/secret.txt", "fifo": "=fifo", "sock": "=socket",
		"Pläne & Ideen/日本.md": "text",
	}
	for _, c := range []struct {
		path string
		want string // content
		kind Kind
	}{
		{path: "ok.txt", want: "fine"},
		{path: "./ok.txt", want: "fine"},
		{path: "a/in.txt", want: "inside"},
		{path: "Pläne & Ideen/日本.md", want: "text"},
		{path: "l_in", want: "fine"},
		{path: "l_dir_in/in.txt", want: "inside"},
		{path: "missing", kind: NotFound},
		{path: "ok.txt/below", kind: NotFound},
		{path: "l_gone", kind: NotFound},
		{path: "a", kind: NotRegular},
		{path: "fifo", kind: NotRegular},
		{path: "sock", kind: NotRegular},
		{path: "l_out", kind: Refused},
		{path: "l_abs", kind: Refused},
		{path: "l_oab", kind: Refused},
		{path: "l_dir_out/o.txt", kind: Refused},
		{path: "l_self", kind: Refused},
		{path: "hard", kind: Refused},
	} {
		t.Run(c.path, func(t *testing.T) {
			w := newWorld(t)
			for name, what := range fixture {
				w.make(t, name, what)
			}
			got, err := w.root.Read(c.path, 100)
			if c.kind != "" {
				w.wantRefusal(t, err, c.kind)
			} else if err != nil || string(got) != c.want {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}

// ReadResolved follows no links.
func TestReadResolved(t *testing.T) {
	w := newWorld(t)
	for name, what := range map[string]string{"file": "->ok.txt", "folder": "->a", "out": "->../outdir", "hard": "=hardlink {BASE}/secret.txt", "fifo": "=fifo"} {
		w.make(t, name, what)
	}
	if got, err := w.root.ReadResolved("a/in.txt", 100); err != nil || string(got) != "inside" {
		t.Errorf("%q, %v", got, err)
	}
	for path, kind := range map[string]Kind{
		"file": Changed, "folder/in.txt": Changed, "out/o.txt": Changed, "a/../ok.txt": Refused, "hard": Refused, "fifo": NotRegular, "a": NotRegular, "none": NotFound, "none/x": NotFound, "ok.txt/x": NotFound,
	} {
		_, err := w.root.ReadResolved(path, 100)
		w.wantRefusal(t, err, kind)
	}
	_, err := w.root.ReadResolved("a/in.txt", 5)
	w.wantRefusal(t, err, TooLarge)
}

func TestReadLimit(t *testing.T) {
	w := newWorld(t)
	if got, err := w.root.Read("ok.txt", 4); err != nil || string(got) != "fine" {
		t.Errorf("at the limit: %q, %v", got, err)
	}
	if got, err := w.root.Read("ok.txt", math.MaxInt64); err != nil || string(got) != "fine" {
		t.Errorf("without a limit: %q, %v", got, err)
	}
	_, err := w.root.Read("ok.txt", 3)
	w.wantRefusal(t, err, TooLarge)
}

// A file below the root can be on another file system; it is not accessible.
func TestOtherDevice(t *testing.T) {
	w := newWorld(t)
	w.root.device++
	_, err := w.root.Read("ok.txt", 100)
	w.wantRefusal(t, err, Refused)
	w.wantRefusal(t, w.root.Write("ok.txt", nil, ""), Refused)
	w.wantRefusal(t, w.root.Write("a/new.txt", nil, ""), Refused)
}

func TestClean(t *testing.T) {
	for _, c := range []struct{ path, want, why string }{
		{path: "a.md", want: "a.md"},
		{path: "./a/b c.md", want: "a/b c.md"},
		{path: ".hidden", want: ".hidden"},
		{path: "...a", want: "...a"},
		{path: "~/x", want: "~/x"},
		{path: "．．/x", want: "．．/x"},
		{path: "console.txt", want: "console.txt"},
		{path: "com10", want: "com10"},
		{path: "notes~1.text", want: "notes~1.text"},
		{path: "longnotes~1.md", want: "longnotes~1.md"},
		{path: "a~b1.md", want: "a~b1.md"},
		{path: "a~", want: "a~"},
		{path: "", why: "empty"},
		{path: "GIT~1/config", why: "short name"},
		{path: "sub/policy~1.yam", why: "short name"},
		{path: "ab123~12", why: "short name"},
		{path: "./", why: "empty"},
		{path: "/etc/passwd", why: "absolute"},
		{path: ".//etc/passwd", why: "absolute"},
		{path: ".", why: `"."`},
		{path: "..", why: `"."`},
		{path: "a/../b", why: `"."`},
		{path: "a/./b", why: `"."`},
		{path: "././a", why: `"."`},
		{path: "a//b", why: "empty component"},
		{path: "a/", why: "empty component"},
		{path: `a\b`, why: "backslash"},
		{path: "c:x", why: "colon"},
		{path: "a\x00b", why: "invisible"},
		{path: "a\nb", why: "invisible"},
		{path: "\u202etxt.exe", why: "invisible"},
		{path: "a\U000e0041", why: "invisible"},
		{path: ".g\u200cit/x", why: "invisible"},
		{path: "a\u2028b", why: "invisible"},
		{path: "a\xff", why: "UTF-8"},
		{path: "a./b", why: "dot or a space"},
		{path: "a ", why: "dot or a space"},
		{path: "x/NUL", why: "device"},
		{path: "con.txt", why: "device"},
		{path: "aux .md", why: "device"},
		{path: "COM¹", why: "device"},
		{path: "lpt9.tar.gz", why: "device"},
		{path: "conin$", why: "device"},
		{path: strings.Repeat("a", 256), why: "too long"},
		{path: strings.Repeat("a/", 2048) + "a", why: "too long"},
		{path: strings.Repeat("a/", 32) + "a", why: "too deep"},
		{path: strings.Repeat("a/", 31) + "a", want: strings.Repeat("a/", 31) + "a"},
	} {
		got, err := Clean(c.path)
		if c.why == "" && (err != nil || got != c.want) {
			t.Errorf("%q: %q, %v; want %q", c.path, got, err, c.want)
		}
		if c.why != "" && (err == nil || !strings.Contains(err.Error(), c.why)) {
			t.Errorf("%q: %q, %v; want an error with %q", c.path, got, err, c.why)
		}
	}
}

// A clean path is local and unchanged by cleaning.
func TestCleanAny(t *testing.T) {
	pieces := []string{"a", "b.md", "/", "./", "../", ".", "..", "\\", "COM¹", "con", "\xff", "\x00", " ", ":", "~", "é", "e\u0301", "\u202e", strings.Repeat("x", 255)}
	rapid.Check(t, func(t *rapid.T) {
		path := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		clean, err := Clean(path)
		if err != nil {
			return
		}
		if again, err := Clean(clean); err != nil || again != clean {
			t.Errorf("Clean(%q) = %q, and of that %q, %v", path, clean, again, err)
		}
		if !filepath.IsLocal(clean) || filepath.Clean(clean) != clean {
			t.Errorf("Clean(%q) = %q is not a clean local path", path, clean)
		}
	})
}

func TestWrite(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"new.txt", "ok.txt", "x/y/z.txt", "./a/b.txt"} {
		if err := w.root.Write(path, []byte("new "+path), ""); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if got, err := os.ReadFile(filepath.Join(w.dir, path)); err != nil || string(got) != "new "+path {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(w.dir, ".oneshot-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// M10, M4: a write never leaves the root, never follows a link and never changes a file
// with several hard links.
func TestWriteRefuses(t *testing.T) {
	fixture := map[string]string{
		"l_in": "->ok.txt", "l_out": "->../secret.txt", "l_gone": "->missing", "l_gone_out": "->../newfile", "l_dir_in": "->a", "l_dir_out": "->../outdir",
		"hard": "=hardlink {BASE}/secret.txt", "fifo": "=fifo", "l_git": "->.git", ".git/config": "GIT",
	}
	for _, path := range []string{
		"l_in", "l_out", "l_gone", "l_gone_out", "l_dir_in/new", "l_dir_out/new", "l_dir_out/o.txt", "hard", "fifo", "a", "ok.txt/x", "../x", "", "l_git/config",
	} {
		t.Run(path, func(t *testing.T) {
			w := newWorld(t)
			for name, what := range fixture {
				w.make(t, name, what)
			}
			before := w.snapshot(t)
			w.wantRefusal(t, w.root.Write(path, []byte("EVIL"), ""))
			if diff := cmp.Diff(before, w.snapshot(t)); diff != "" {
				t.Errorf("something changed (-before +after):\n%s", diff)
			}
		})
	}
}

// snapshot describes every file of a world.
func (w world) snapshot(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.Walk(w.base, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		all[path] = info.Mode().String()
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			all[path] += " " + string(content)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestWriteKeepsPermissions(t *testing.T) {
	w := newWorld(t)
	ok := filepath.Join(w.dir, "ok.txt")
	if err := os.Chmod(ok, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.root.Write("ok.txt", []byte("x"), ""); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(ok); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := os.Chmod(ok, 0o400); err != nil {
		t.Fatal(err)
	}
	w.wantRefusal(t, w.root.Write("ok.txt", nil, ""), Refused)
}

// A replaced file keeps its permissions regardless of the umask, and its owner and group where that is permitted.
func TestWriteKeepsOwners(t *testing.T) {
	w := newWorld(t)
	for _, mode := range []fs.FileMode{0o666, 0o664, 0o777, 0o640, 0o200} {
		name := filepath.Join(w.dir, "ok.txt")
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		uid, gid := os.Getuid(), os.Getgid()
		if uid == 0 {
			uid, gid = 12345, 23456
		}
		if err := os.Chown(name, uid, gid); err != nil {
			t.Fatal(err)
		}
		if err := w.root.Write("ok.txt", []byte("new"), ""); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if owner, group := ownerOf(info); info.Mode().Perm() != mode || owner != uid || group != gid {
			t.Errorf("%v %d %d; want %v %d %d", info.Mode(), owner, group, mode, uid, gid)
		}
	}
	for mode, want := range map[fs.FileMode]fs.FileMode{0o640: 0o600, 0o664: 0o644, 0o666: 0o666, 0o604: 0o604, 0o750: 0o700} {
		if got := limitGroup(mode); got != want {
			t.Errorf("%v without its group is %v, want %v", mode, got, want)
		}
	}
}

// M3: names that control other programs are never written, whether they exist or not and in any spelling; names with a
// leading dot only where allowed.
func TestProtected(t *testing.T) {
	w := newWorld(t)
	decomposed := "outils-e\u0301te\u0301"
	root, err := Open(w.dir, "./tools/", "conf/run.yaml", "outils-\u00e9t\u00e9", "*.tool")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, path := range []string{
		".git", ".git/config", "sub/.git/hooks/pre-commit", ".GIT/config", ".github/workflows/ci.yml", "x/.GitHub/WorkFlows/ci.yml", ".envrc", "Makefile", "sub/makefile",
		"MA\u212aEFILE", ".vscode/tasks.json", ".claude/settings.json", ".oneshot/x", "policy.yaml", "Agent.yml", "CLAUDE.md",
		".zprofile", ".bash_login", "sub/.vimrc", ".env.local", ".cargo/config.toml", ".cursorrules", ".github/copilot-instructions.md", ".GitHub/Actions/x.yml",
		".\u00dfh/config", ".\u1e9eH/config", ".pro\ufb01le", "Make\ufb01le", ".git\ufe0f/config", ".g\u034fit/config", ".\u3164env", "AGENTS.md\U000e0100",
		"HEAD", "repo/Head", "azure-pipelines.yml", "sub/Lefthook.yml", "bitbucket-pipelines.yml", "mise.toml", "sitecustomize.py", "opencode.json",
		".gitea/workflows/x.yml", ".forgejo/x", ".woodpecker.yml", ".woodpecker/x.yml", ".drone.yml", ".buildkite/pipeline.yml", ".bash_aliases", ".cshrc", ".config/fish/config.fish",
		".inputrc", ".gdbinit", ".env.staging", ".mise.toml", ".yarn/releases/yarn.cjs", ".aws/config", ".kube/config", "a/.x/b", ".github/dependabot.yml", ".cargo/registry/x", ".env.example",
		"tools/wget.yaml", "TOOLS/wget.yaml", "tools", "conf/run.yaml", decomposed + "/x", "a.tool", "sub/B.TOOL",
	} {
		w.wantRefusal(t, root.Write(path, nil, ""), Refused)
	}
	for _, path := range []string{"vimrc", "header", "HEAD.md", "objects/x", "refs/heads/main", "repo/config", "git/config", "makefile.md", "sub/tools/x", "conf/run.yaml.md", "toolset", "a.toolbox"} {
		if err := root.Write(path, nil, ""); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	root.AllowDotted(".Obsidian", ".env.example", ".github", ".git")
	for _, path := range []string{".obsidian/app.json", "sub/.OBSIDIAN/x", ".env.example", ".github/dependabot.yml"} {
		if err := root.Write(path, nil, ""); err != nil {
			t.Errorf("allowed %s: %v", path, err)
		}
	}
	for _, path := range []string{".obsidian/.git/config", ".obsidian/.x", ".git/config", ".github/workflows/ci.yml", ".obsidian2/x", ".github/.x"} {
		w.wantRefusal(t, root.Write(path, nil, ""), Refused)
	}
	for _, name := range ProtectedNames() {
		if name != Fold(name) {
			t.Errorf("%q is not in the form that it is compared in: %q", name, Fold(name))
		}
	}
}

func TestOpen(t *testing.T) {
	w := newWorld(t)
	link := filepath.Join(w.base, "link")
	if err := os.Symlink("vault", link); err != nil {
		t.Fatal(err)
	}
	root, err := Open(link)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := root.Read("ok.txt", 100); err != nil || string(got) != "fine" {
		t.Errorf("root named by a link: %q, %v", got, err)
	}
	if err := root.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := root.Read("ok.txt", 100); err == nil {
		t.Error("read after Close")
	}
	for _, dir := range []string{filepath.Join(w.base, "none"), filepath.Join(w.dir, "ok.txt"), "/", "/../"} {
		if r, err := Open(dir); err == nil {
			r.Close()
			t.Errorf("%s was opened as a root", dir)
		}
	}
	if _, err := os.Stat(filepath.Join(w.base, "none")); err == nil {
		t.Error("the missing root was made")
	}
}

func TestWalk(t *testing.T) {
	w := newWorld(t)
	for name, what := range map[string]string{
		"a.md": "1", "a-b/c.md": "22", "a/z/deep.md": "333", ".hidden/x.md": "", ".dot.md": "", "l_dir": "->a", "l_file": "->ok.txt", "l_out": "->../outdir",
		"hard": "=hardlink {BASE}/secret.txt", "fifo": "=fifo", "bad\u202e.md": "", "nul.md": "",
		"a: b/c.md": "", "l:ink": "->ok.txt",
	} {
		w.make(t, name, what)
	}
	var got, unnamed []string
	err := w.root.Walk(context.Background(), func(path string, size int64) error {
		got = append(got, fmt.Sprintf("%s %d", path, size))
		if _, err := w.root.Read(path, 100); err != nil {
			t.Errorf("%s is walked and cannot be read: %v", path, err)
		}
		return nil
	}, func(path string) { unnamed = append(unnamed, path) })
	want := []string{"a-b/c.md 2", "a.md 1", "a/in.txt 6", "a/z/deep.md 3", "ok.txt 4"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	slices.Sort(unnamed)
	if diff := cmp.Diff([]string{"a: b/", "bad\u202e.md", "nul.md"}, unnamed); diff != "" {
		t.Errorf("unnamed (-want +got):\n%s", diff)
	}
}

func TestWalkEnds(t *testing.T) {
	w := newWorld(t)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	seen := 0
	err := w.root.Walk(ctx, func(string, int64) error { seen++; cancel(stop); return nil }, nil)
	if !errors.Is(err, stop) || seen != 1 {
		t.Errorf("cancelled: %v after %d files", err, seen)
	}
	if err := w.root.Walk(context.Background(), func(string, int64) error { return stop }, nil); !errors.Is(err, stop) {
		t.Errorf("stopped by the caller: %v", err)
	}
	small := walk{root: w.root, remaining: 2}
	w.wantRefusal(t, small.pushEntries(entry{}), TooLarge)
}

// A walk skips files and folders that are removed or replaced meanwhile.
func TestWalkPassesOver(t *testing.T) {
	w := newWorld(t)
	gone := walk{root: w.root, remaining: 10, stack: []entry{{path: "ok.txt"}, {path: "gone/"}, {path: "gone.md"}, {path: "ok.txt/"}}}
	var got []string
	for len(gone.stack) > 0 {
		if err := gone.step(func(path string, _ int64) error { got = append(got, path); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"ok.txt"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// M10: after its hard link in the root is removed, an open file has one link, which is outside; it is still refused.
func TestRemovedHardLink(t *testing.T) {
	w := newWorld(t)
	link := filepath.Join(w.dir, "link")
	if err := os.Link(filepath.Join(w.base, "secret.txt"), link); err != nil {
		t.Fatal(err)
	}
	f, err := w.root.root.Open("link")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	named, err := w.root.root.Stat("link")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	w.wantRefusal(t, w.root.checkOpened("link", f, named), Refused)
	w.file(t, link, "INSIDE")
	if named, err = w.root.root.Stat("link"); err != nil {
		t.Fatal(err)
	}
	w.wantRefusal(t, w.root.checkOpened("link", f, named), Changed)
}
