package cmd

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"oneshot/pkg/runfile"
)

// inputOptions select the input of the prompt.
type inputOptions struct {
	names      []string // files, or - for stdin
	noStdin    bool
	allowEmpty bool
	wait       time.Duration // for the first byte of a stdin without a flag

	stdinNamed bool   // a part of the prompt is read from stdin
	replayed   string // why a replay or resumed run does not read stdin, or ""
	state      stdinState
	sources    []runfile.InputSource // of the input
}

// inputName returns the name of the block for a file.
func inputName(path string) string {
	if isStdin(path) {
		return "stdin"
	}
	return visible(path)
}

// check refuses duplicate block names.
func (o *inputOptions) check(files []variable) error {
	if o.wait < 0 {
		return usagef("for example --stdin-wait 10s", "--stdin-wait: %v is negative", o.wait)
	}
	taken := map[string]bool{}
	for _, f := range files {
		if taken[f.key] {
			return usagef("", "--var-file: ${%s} is given twice", f.key)
		}
		taken[f.key] = true
	}
	for _, path := range o.names {
		if name := inputName(path); taken[name] {
			return usagef("give each input block a unique name", "--input: %q is given twice", name)
		}
		taken[inputName(path)] = true
	}
	return nil
}

// read returns the input blocks of the flags, those of --var-file before those of --input.
func (o *inputOptions) read(ctx context.Context, env Env, files []variable) (string, error) {
	var blocks []string
	add := func(flag, name, path string, mayBeEmpty bool) error {
		var text string
		if err := readText(ctx, env, flag, path, &text); err != nil {
			return err
		}
		if strings.TrimSpace(text) == "" && !mayBeEmpty {
			return &hintedError{&inputError{fmt.Errorf("%s: %s is empty", flag, displayName(path))}, "use --allow-empty-input to accept it"}
		}
		o.sources = append(o.sources, runfile.InputSource{Name: name, Origin: originAt(env, path), Bytes: len(text)})
		blocks = append(blocks, "["+name+"]\n"+text)
		return nil
	}
	for _, f := range files {
		if err := add("--var-file", f.key, f.value, true); err != nil {
			return "", err
		}
	}
	for _, path := range o.names {
		if err := add("--input", inputName(path), path, o.allowEmpty); err != nil {
			return "", err
		}
	}
	return strings.Join(blocks, "\n\n"), nil
}

// addUnnamed adds stdin to the input if it is data and no flag names it.
func (o *inputOptions) addUnnamed(ctx context.Context, env Env, t *console, input *string) error {
	text, err := o.readUnnamed(ctx, env, t)
	switch {
	case err != nil || text == "":
		return err
	case slices.ContainsFunc(o.sources[:len(o.sources)-1], func(s runfile.InputSource) bool { return s.Name == "stdin" }):
		return usagef("rename the block, or use --no-stdin", "two input blocks are named \"stdin\"")
	case *input != "":
		*input += "\n\n"
	}
	*input += "[stdin]\n" + text
	return nil
}

// originAt returns the origin of a file.
func originAt(env Env, path string) string {
	info, err := os.Stat(path)
	if f, ok := env.Stdin.(*os.File); ok && isStdin(path) {
		info, err = f.Stat()
	}
	if err != nil {
		return originOther
	}
	return originOf(info.Mode())
}

// Hints about stdin.
const (
	hintStdin = "use --input - to wait for it, or --no-stdin or </dev/null to ignore it"
	hintNoEnd = "close stdin, or use --no-stdin or </dev/null if it is not input"
)

// readUnnamed reads stdin if it is a pipe, socket or file and no flag names it.
func (o *inputOptions) readUnnamed(ctx context.Context, env Env, t *console) (text string, err error) {
	if o.noStdin || o.stdinNamed || o.replayed != "" {
		return "", nil
	}
	var origin string
	if o.state, origin, err = pollStdin(ctx, env, o.wait); err == nil && o.state == stdinReady {
		err = readText(ctx, env, "", "-", &text)
	}
	switch {
	case ctx.Err() != nil:
		return "", &hintedError{cmp.Or(err, context.Cause(ctx)), hintNoEnd}
	case err != nil:
		return "", &hintedError{err, "use --no-stdin or </dev/null to ignore it"}
	case o.state == stdinSilent:
		t.warn(hintStdin, "stdin is a %s without data after %v and was ignored", origin, o.wait)
	case o.state == stdinShared:
		t.warn(hintStdin, "stdin is a partly read file, as in a loop, and was ignored")
	case text != "":
		t.note("read %d bytes of input from stdin (%s)", len(text), origin)
		o.sources = append(o.sources, runfile.InputSource{Name: "stdin", Origin: origin, Bytes: len(text)})
	}
	return text, nil
}

// noteUnread reports ignored data on stdin, once.
func (o *inputOptions) noteUnread(env Env, t *console) {
	switch {
	case o.noStdin || o.stdinNamed:
	case o.replayed != "" && hasUnread(env):
		t.note("stdin was ignored: %s", o.replayed)
		o.replayed = ""
	case o.state == stdinSilent && hasUnread(env):
		o.state = stdinAbsent
		t.warn(hintStdin, "data arrived on stdin after %v and was ignored", o.wait)
	}
}
