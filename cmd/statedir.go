package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"oneshot/pkg/runfile"
)

// stateDir returns the state directory of a kind, such as "runs" or "locks".
func stateDir(env Env, kind string) (string, error) {
	if dir := env.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "oneshot", kind), nil
	}
	home := env.Getenv("HOME")
	if home == "" {
		return "", usagef("set HOME or XDG_STATE_HOME, or use --run-file or --no-run-file", "no state directory: HOME and XDG_STATE_HOME are not set")
	}
	return filepath.Join(home, ".local", "state", "oneshot", kind), nil
}

// makeStateDir creates and returns the state directory of a kind.
func makeStateDir(env Env, kind string) (string, error) {
	dir, err := stateDir(env, kind)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		hint := "set XDG_STATE_HOME to a writable directory; for a run, use --run-file FILE or --no-run-file"
		return "", &hintedError{&outputError{fmt.Errorf("state directory: %w", err)}, hint}
	}
	for _, own := range []string{filepath.Dir(dir), dir} {
		if err := restrictToOwner(own); err != nil {
			return "", &outputError{fmt.Errorf("state directory: %w", err)}
		}
	}
	return dir, nil
}

// restrictToOwner removes access for others to a directory, which must belong to the user.
func restrictToOwner(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return &hintedError{fmt.Errorf("%s belongs to another user", dir), "set XDG_STATE_HOME to a directory of your own"}
	}
	if info.Mode()&0o077 == 0 {
		return nil
	}
	return os.Chmod(dir, 0o700)
}

// configDir returns the configuration directory of the user, or "".
func configDir(env Env) string {
	if dir := env.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "oneshot")
	}
	if home := env.Getenv("HOME"); home != "" {
		return filepath.Join(home, ".config", "oneshot")
	}
	return ""
}

// stateFolder returns the state directory, if there is one.
func stateFolder(env Env) []string {
	dir, err := stateDir(env, "")
	if err != nil { // there may be no home
		return nil
	}
	return []string{dir}
}

// ownFiles returns the state directory, agents, settings and the managed policy.
func ownFiles(env Env) []string {
	names := stateFolder(env)
	if dir := configDir(env); dir != "" {
		names = append(names, filepath.Join(dir, "agents"), filepath.Join(dir, "config.yaml"))
	}
	if env.ManagedPolicy != "" {
		names = append(names, env.ManagedPolicy)
	}
	return names
}

// warnNetworkFS warns about a run file on a network file system.
func warnNetworkFS(t *console, path string) {
	if kind := runfile.RemoteFileSystem(filepath.Dir(path)); kind != "" {
		t.note("the run file is on a network file system (%s) with weaker locks and syncs: after a crash a change could run twice", kind)
	}
}
