//go:build !crash

package failpoint

import (
	"bytes"
	"errors"
	"testing"
)

// TestNoFaults checks that a build without the tag crash ignores the environment variable, injects no fault and
// allocates nothing.
func TestNoFaults(t *testing.T) {
	t.Setenv(EnvVar, "eio 1 "+t.TempDir()+"/hit")
	var out bytes.Buffer
	boom := errors.New("boom")
	if err := At("x"); err != nil {
		t.Error(err)
	}
	if err := Around("x", func() error { return boom }); err != boom {
		t.Error(err)
	}
	if n, err := Write("x", &out, []byte("all")); n != 3 || err != nil || out.String() != "all" {
		t.Errorf("%d, %v, %q", n, err, &out)
	}
	p, do := []byte("all"), func() error { return nil }
	if n := testing.AllocsPerRun(100, func() {
		out.Reset()
		_ = errors.Join(At("x"), Around("x", do))
		_, _ = Write("x", &out, p)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
