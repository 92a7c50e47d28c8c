package cmd

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Decision 21: no variable and no flag changes the path of the managed policy.
func TestManagedPath(t *testing.T) {
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		t.Setenv(name, "/elsewhere")
	}
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "ONESHOT_POLICY", "ONESHOT_MANAGED_POLICY", "ONESHOT_CONFIG", "HOME", "ROOT"} {
		t.Setenv(name, "/elsewhere")
	}
	if env := OS(); env.ManagedPolicy != "/etc/oneshot/policy.yaml" || env.Administrator != 0 {
		t.Errorf("%+v", env)
	}
	env, _, _ := testEnv()
	env.ManagedPolicy = "/managed"
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if strings.Contains(f.Usage, "managed") || f.DefValue == env.ManagedPolicy {
				t.Errorf("%s --%s is about the managed policy", c.CommandPath(), f.Name)
			}
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(env, newConsole(env)))
}

// Low: a policy file that other users can change is a finding, also for root.
func TestPolicyOwner(t *testing.T) {
	file := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(file, []byte("version: 1\ntools: {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	wants := func(want string) {
		t.Helper()
		findings, err := checkPolicyMode(file)
		if err != nil || (len(findings) == 0) != (want == "") || want != "" && !strings.Contains(findings[0].Message, want) {
			t.Errorf("%v, %v; want %q", findings, err, want)
		}
	}
	wants("")
	for mode, want := range map[os.FileMode]string{0o600: "", 0o444: "", 0o646: "mode 0646", 0o662: "mode 0662"} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		wants(want)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	if err := errors.Join(os.Chown(file, 0, 12345), os.Chmod(file, 0o664)); err != nil {
		t.Fatal(err)
	}
	wants("mode 0664")
	if err := errors.Join(os.Chown(file, 12345, 0), os.Chmod(file, 0o644)); err != nil {
		t.Fatal(err)
	}
	wants("belongs to user 12345")
}
