package subprocess

import (
	"os/exec"
	"testing"
)

// BenchmarkRun measures a confined command, with and without a sandbox, and an unconfined one.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct {
		name      string
		sandboxes []Sandbox
	}{
		{"open", nil},
		{"sandbox", []Sandbox{{Read: []string{"/usr", "/bin", "/lib", "/lib64", "/etc"}}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			confined := confinement()
			confined.Sandboxes = c.sandboxes
			dir := folder(b)
			for b.Loop() {
				if _, err := confined.Run(b.Context(), Command{Argv: []string{"true"}, Dir: dir}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if err := exec.CommandContext(b.Context(), "/bin/true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
