package fileroot

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// crooked is a tree with every kind of misleading name: links, hard links, pipes, protected and Unicode names.
var crooked = map[string]string{
	"l_in": "->ok.txt", "l_dir": "->a", "l_out": "->../secret.txt", "l_out_dir": "->../outdir", "l_abs": "->/etc/passwd", "l_root": "->/", "l_up": "->..", "l_self": "->l_self",
	"l_gone": "->missing", "l_gone_out": "->../newfile", "l_back": "->../vault/ok.txt", "l_git": "->.git", "l_proc": "->/proc/self/root", "l_two": "->l_dir/up", "a/up": "->..", "a/out": "->../../outdir",
	"l_dot": "->.", "l_slash": "->a/", "hard": "=hardlink {BASE}/secret.txt", "fifo": "=fifo", ".git/config": "GIT", "tools/t.yaml": "TOOL", "Käse/x": "inside", "K\u212a": "inside",
}

// newCrooked makes a world with the tree crooked.
func newCrooked(t testing.TB) world {
	w := newWorld(t)
	for name, what := range crooked {
		if _, err := os.Lstat(filepath.Join(w.dir, filepath.Dir(name))); err != nil {
			w.file(t, filepath.Join(w.dir, filepath.Dir(name), ".keep"), "")
		}
		w.make(t, name, what)
	}
	return w
}

// steers is an independent check for protected names: it strips the characters that some file system
// ignores from each part, and compares the rest without regard to case.
func steers(clean string) bool {
	var parts []string
	for part := range strings.SplitSeq(norm.NFC.String(clean), "/") {
		part = strings.Map(func(r rune) rune {
			if unicode.In(r, unicode.Cf, unicode.Cc) {
				return -1
			}
			return r
		}, part)
		parts = append(parts, strings.TrimRight(part, ". "))
	}
	is := func(name string) func(string) bool {
		return func(part string) bool { return strings.EqualFold(part, name) }
	}
	for _, name := range protectedNames {
		first, second, two := strings.Cut(name, "/")
		at := slices.IndexFunc(parts, is(first))
		if at >= 0 && (!two || at+1 < len(parts) && strings.EqualFold(parts[at+1], second)) {
			return true
		}
	}
	return strings.EqualFold(parts[0], "tools")
}

// below returns the target of a path, as resolved by the system, relative to a folder; false if it is
// outside of the folder or missing.
func below(dir, name string) (string, bool) {
	to, err := filepath.EvalSymlinks(filepath.Join(dir, name))
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(dir, to)
	return filepath.ToSlash(rel), err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

// M10: for any path in a tree of misleading names, a read returns only files inside the root, a write
// changes only the file of that name and no protected one, Resolve returns the path of the file that is
// read, and no error reveals the path of the root.
func FuzzVault(f *testing.F) {
	for name := range crooked {
		f.Add(name)
		f.Add(name + "/x")
	}
	for _, p := range []string{
		"", ".", "..", "/", "a", "a/new", "ok.txt", "./ok.txt", "new/x", "../secret.txt", "a/../../secret.txt", "l_dir/up/ok.txt", "l_two/l_two/ok.txt", ".GIT/x", ".git./x", ".g\u200cit/x", "ma\u212aefile", "Tools/x",
		"tool\u017f/x", ".github/workflows/x", ".GitHub/Workflows/x", "a\x00b", `a\..\b`, "C:/x", "nul", "a//b", "a/", "\u202ex", ".oneshot-x.tmp", "Ka\u0308se/x", ".oneshot/x", "l_dot/l_dot/ok.txt", "l_slash/in.txt",
	} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		w := newCrooked(t)
		w.reads(t, p)
		w.writes(t, p)
	})
}

// reads checks reading and resolving a path.
func (w world) reads(t *testing.T, p string) {
	content, err := w.root.Read(p, 100)
	leads, resolveErr := w.root.Resolve(p)
	real, inside := below(w.dir, strings.TrimPrefix(p, "./"))
	if err != nil {
		w.wantRefusal(t, err)
	}
	if resolveErr != nil {
		w.wantRefusal(t, resolveErr)
	}
	if err == nil && (!inside || resolveErr != nil || !slices.Contains([]string{"fine", "inside", "GIT", "TOOL", ""}, string(content))) {
		t.Errorf("%q: %q was read; it leads to %q, %v", p, content, leads, resolveErr)
	}
	if again, againErr := w.root.ReadResolved(leads, 100); resolveErr == nil && ((err == nil) != (againErr == nil) || string(again) != string(content)) {
		t.Errorf("%q is %q, %v, and %q, to which it leads, is %q, %v", p, content, err, leads, again, againErr)
	}
	if resolveErr == nil && (leads != path.Clean(leads) || path.IsAbs(leads) || strings.HasPrefix(leads, "../") || leads == ".." || inside && real != leads) {
		t.Errorf("%q leads to %q, and the system says %q", p, leads, real)
	}
}

// writes checks writing to a path.
func (w world) writes(t *testing.T, p string) {
	before := w.snapshot(t)
	err := w.root.Write(p, []byte("CANARY"), "")
	after := w.snapshot(t)
	if err != nil {
		w.wantRefusal(t, err)
	}
	clean, cleanErr := Clean(p)
	if err == nil && (cleanErr != nil || steers(clean)) {
		t.Errorf("%q was written", p)
	}
	written := filepath.Join(w.dir, clean)
	for name, is := range after {
		switch was, old := before[name]; {
		case old && was == is:
		case err == nil && name == written && strings.HasSuffix(is, " CANARY") && (!old || strings.HasPrefix(was, "-")):
		case err == nil && !old && strings.HasPrefix(is, "d") && strings.HasPrefix(written, name+"/"):
		default:
			t.Errorf("%q: %s changed from %q to %q, %v", p, name, was, is, err)
		}
	}
	for name := range before {
		if _, there := after[name]; !there {
			t.Errorf("%q: %s is gone", p, name)
		}
	}
}
