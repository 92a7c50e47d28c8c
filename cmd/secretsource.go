package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"oneshot/pkg/subprocess"
)

const (
	maxSecretBytes = 16 << 10         // bytes of a secret
	secretLimit    = 30 * time.Second // for the program
)

// A secretSource is the source of a secret.
type secretSource struct {
	kind  string        // env, file or command
	at    string        // the variable, the path, or the program with its arguments
	limit time.Duration // for the program
}

// parseSource parses SOURCE of --secret. Its errors do not contain the value, which may be the secret itself.
func parseSource(name, value string) (secretSource, error) {
	kind, at, ok := strings.Cut(value, ":")
	s := secretSource{kind, at, secretLimit}
	switch {
	case ok && kind == "keyring":
		return s, usagef("use --secret "+name+"=file:PATH, env:VAR or command:PROGRAM, such as that of a password manager", "--secret %s: keyrings are not supported: cron and CI have none", name)
	case !ok || at == "" || kind != "env" && kind != "file" && kind != "command", kind == "env" && !isEnvName(at):
		return s, usagef(hintSecret, "--secret %s: the source is not env:VAR, file:PATH or command:PROGRAM ARGS", name)
	case kind == "command" && strings.ContainsAny(at, "\"'`\\$|&;<>(){}*?~#\n"):
		return s, usagef("put the command into a script and use that", "--secret %s: no shell is used: a command is a program and its arguments, separated by spaces", name)
	}
	return s, nil
}

// secretErrorf returns a [secretError] whose name the caller adds.
func secretErrorf(hint, format string, args ...any) error {
	return &secretError{err: fmt.Errorf(format, args...), hint: hint}
}

// withSecretName adds the name of the secret to a [secretError].
func withSecretName(err error, name string) error {
	var e *secretError
	if errors.As(err, &e) {
		e.name = name
	}
	return err
}

// read returns the secret without a trailing line break.
func (s secretSource) read(ctx context.Context, env Env, t *console) (string, error) {
	var value string
	var err error
	switch s.kind {
	case "env":
		if value = strings.TrimSpace(env.Getenv(s.at)); value == "" {
			return "", secretErrorf("set "+s.at+" (in CI, from a secret)", "environment variable %s is unset or empty", s.at)
		}
		return value, nil
	case "file":
		value, err = s.readPrivateFile(env)
	default:
		value, err = s.command(ctx, env, t)
	}
	if err != nil {
		return "", err
	}
	if line, ended := strings.CutSuffix(value, "\n"); ended {
		value = strings.TrimSuffix(line, "\r")
	}
	if strings.TrimSpace(value) == "" {
		return "", secretErrorf("", "%s is empty", s.at)
	}
	return value, nil
}

// readPrivateFile reads a file that only its owner can access.
func (s secretSource) readPrivateFile(env Env) (string, error) {
	path := s.at
	if below, ok := strings.CutPrefix(path, "~/"); ok { // shells do not expand it after "file:"
		path = filepath.Join(env.Getenv("HOME"), below)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0) // a pipe would block
	if err != nil {
		return "", secretErrorf("", "%w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	const others = 0o077
	switch {
	case err != nil:
		return "", secretErrorf("", "%w", err)
	case !info.Mode().IsRegular():
		return "", secretErrorf("for a program use command:PROGRAM ARGS", "%s is not a regular file", s.at)
	case info.Mode()&others != 0:
		return "", secretErrorf("chmod 600 "+s.at, "%s has mode %04o: others can read it", s.at, info.Mode().Perm())
	case info.Size() > maxSecretBytes:
		return "", secretErrorf("", "%s has %d bytes; a secret has at most %d", s.at, info.Size(), maxSecretBytes)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSecretBytes))
	if err != nil {
		return "", secretErrorf("", "%w", err)
	}
	return string(text), nil
}

// command runs a program that prints the secret. It gets only PATH and HOME, because the environment may contain other
// secrets.
func (s secretSource) command(ctx context.Context, env Env, t *console) (string, error) {
	words := strings.Fields(s.at)
	if len(words) == 0 {
		return "", secretErrorf("", "missing program")
	}
	p := subprocess.Program{All: t.programs}
	for _, name := range []string{"PATH", "HOME"} {
		p.Env = append(p.Env, name+"="+env.Getenv(name))
	}
	if p.Path, p.Err = exec.LookPath(words[0]); p.Err != nil {
		return "", secretErrorf("", "%w", p.Err)
	}
	own, cancel := context.WithTimeoutCause(ctx, s.limit, secretErrorf("the program must not wait for a person", "%s took longer than %v", words[0], s.limit))
	defer cancel()
	text, err := p.Output(own, nil, maxSecretBytes, words[1:]...)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case own.Err() != nil:
		return "", context.Cause(own)
	case err != nil:
		return "", secretErrorf("", "%w", err)
	}
	return string(text), nil
}

// hintSecret shows the syntax of --secret.
const hintSecret = "for example --secret TEAM=file:PATH, or --secret TEAM@api.example.com=env:TEAM_KEY"
