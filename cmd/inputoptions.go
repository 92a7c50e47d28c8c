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
}

// inputName returns the name of the block for a file.
func inputName(path string) string {
	if isStdin(path) {
		return "stdin"
	}
	return escapeInvisible(path)
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
func (o *inputOptions) read(ctx context.Context, env Env, files []variable) (input string, sources []runfile.InputSource, err error) {
	var blocks []string
	add := func(flag, name, path string, mayBeEmpty bool) error {
		var text string
		if err := readText(ctx, env, flag, path, &text); err != nil {
			return err
		}
		if strings.TrimSpace(text) == "" && !mayBeEmpty {
			return &hintedError{&inputError{fmt.Errorf("%s: %s is empty", flag, displayName(path))}, "use --allow-empty-input to accept it"}
		}
		sources = append(sources, runfile.InputSource{Name: name, Origin: originAt(env, path), Bytes: len(text)})
		blocks = append(blocks, "["+name+"]\n"+text)
		return nil
	}
	for _, f := range files {
		if err := add("--var-file", f.key, f.value, true); err != nil {
			return "", nil, err
		}
	}
	for _, path := range o.names {
		if err := add("--input", inputName(path), path, o.allowEmpty); err != nil {
			return "", nil, err
		}
	}
	return strings.Join(blocks, "\n\n"), sources, nil
}

// A unnamedStdin is a stdin that no flag names.
type unnamedStdin struct {
	wait      time.Duration
	isIgnored bool   // a flag names it, or excludes it
	unused    string // why a replay or resumed run does not read it, or ""
	state     stdinState
}

// addTo adds stdin to the input if it is data.
func (o *unnamedStdin) addTo(ctx context.Context, env Env, t *console, texts *promptTexts) error {
	text, origin, err := o.read(ctx, env, t)
	switch {
	case err != nil || text == "":
		return err
	case slices.ContainsFunc(texts.sources, func(s runfile.InputSource) bool { return s.Name == "stdin" }):
		return usagef("rename the block, or use --no-stdin", "two input blocks are named \"stdin\"")
	case texts.input != "":
		texts.input += "\n\n"
	}
	texts.input += "[stdin]\n" + text
	texts.sources = append(texts.sources, runfile.InputSource{Name: "stdin", Origin: origin, Bytes: len(text)})
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

// read reads stdin if it is a pipe, socket or file and no flag names it.
func (o *unnamedStdin) read(ctx context.Context, env Env, t *console) (text, origin string, err error) {
	if o.isIgnored || o.unused != "" {
		return "", "", nil
	}
	if o.state, origin, err = pollStdin(ctx, env, o.wait); err == nil && o.state == stdinReady {
		err = readText(ctx, env, "", "-", &text)
	}
	switch {
	case ctx.Err() != nil:
		return "", "", &hintedError{cmp.Or(err, context.Cause(ctx)), hintNoEnd}
	case err != nil:
		return "", "", &hintedError{err, "use --no-stdin or </dev/null to ignore it"}
	case o.state == stdinSilent:
		t.warn(hintStdin, "stdin is a %s without data after %v and was ignored", origin, o.wait)
	case o.state == stdinShared:
		t.warn(hintStdin, "stdin is a partly read file, as in a loop, and was ignored")
	case text != "":
		t.note("read %d bytes of input from stdin (%s)", len(text), origin)
	}
	return text, origin, nil
}

// noteUnread reports ignored data on stdin, once.
func (o *unnamedStdin) noteUnread(env Env, t *console) {
	switch {
	case o.isIgnored:
	case o.unused != "" && hasUnread(env):
		t.note("stdin was ignored: %s", o.unused)
		o.isIgnored = true
	case o.state == stdinSilent && hasUnread(env):
		o.state = stdinAbsent
		t.warn(hintStdin, "data arrived on stdin after %v and was ignored", o.wait)
	}
}
