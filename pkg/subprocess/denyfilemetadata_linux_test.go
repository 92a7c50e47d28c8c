package subprocess

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// In a sandbox all system calls that change owners and attributes of files are denied, and without
// write access also those that change modes and times. The calls have invalid arguments, so without
// a sandbox each fails with another error.
func TestMetadata(t *testing.T) {
	requireSandbox(t, minLandlock)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	writes, reads := Sandbox{Read: readable, Write: []string{t.TempDir()}}, Sandbox{Read: readable}
	for name, c := range map[string]struct {
		boxes                     []Sandbox
		owners, attributes, modes unix.Errno
	}{
		"none":            {nil, 0, 0, 0},
		"one that writes": {[]Sandbox{writes}, unix.EPERM, unix.EOPNOTSUPP, 0},
		"one that reads":  {[]Sandbox{reads}, unix.EPERM, unix.EOPNOTSUPP, unix.EPERM},
		"both":            {[]Sandbox{writes, reads}, unix.EPERM, unix.EOPNOTSUPP, unix.EPERM},
	} {
		var words []string
		wants := map[string]unix.Errno{}
		add := func(want unix.Errno, number, second uint32) {
			word := fmt.Sprintf("%d,-1,%d", number, second)
			words, wants[word] = append(words, word), want
		}
		for _, number := range chownCalls {
			add(c.owners, number, 0)
		}
		for _, number := range xattrCalls {
			add(c.attributes, number, 0)
		}
		for _, number := range chmodAndTimeCalls {
			add(c.modes, number, 0)
		}
		for _, request := range fileFlagRequests {
			add(c.attributes, unix.SYS_IOCTL, request)
		}
		add(0, unix.SYS_IOCTL, unix.TCGETS)
		add(0, unix.SYS_FSTAT, 0)
		confined := confinement()
		confined.Sandboxes = c.boxes
		got, err := confined.Run(t.Context(), Command{Argv: append([]string{exe, "probe", "calls"}, words...), Dir: folder(t)})
		said := strings.Fields(strings.TrimSuffix(string(got.Stdout.Bytes), "ok"))
		if err != nil || len(said) != len(words) {
			t.Fatalf("%s: %v %s %s", name, err, got.Stdout.Bytes, got.Stderr.Bytes)
		}
		for _, s := range said {
			word, errno, _ := strings.Cut(s, "=")
			denied := slices.Contains([]string{"EPERM", "ENOTSUP"}, errno)
			if want := wants[word]; want == 0 && denied || want != 0 && errno != unix.ErrnoName(want) {
				t.Errorf("%s: %s, want %v", name, s, want)
			}
		}
	}
}

// In a sandbox without write access, ordinary programs can work in their temporary folder, but not change metadata.
func TestMetadataWithout(t *testing.T) {
	requireSandbox(t, minLandlock)
	s := newSurroundings(t)
	c := confinement()
	c.Sandboxes = []Sandbox{{Read: append(slices.Clone(readable), s.root)}}
	got := output(t, c, `cd "$TMPDIR" && mkdir a && echo x >a/f && cp a/f a/g && mv a/g a/h && ln -s f a/l && cat a/l a/h && rm -r a`)
	if got != "x\nx\n" {
		t.Errorf("%q", got)
	}
	for _, script := range []string{"chmod 600 " + s.secret, "touch -hd 2001-01-01 " + s.secret, "chmod 700 .", "chown $(id -u) " + s.secret} {
		out, err := c.Run(t.Context(), Command{Argv: []string{"sh", "-c", script}, Dir: folder(t)})
		if err != nil || out.Exit == 0 || !strings.Contains(string(out.Stderr.Bytes), "not permitted") {
			t.Errorf("%s: %v %d %s", script, err, out.Exit, out.Stderr.Bytes)
		}
	}
}
