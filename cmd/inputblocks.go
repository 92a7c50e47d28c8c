package cmd

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"oneshot/pkg/diag/report"
	"oneshot/pkg/runfile"
)

// inputOptions select the input of the prompt.
type inputOptions struct {
	names      []string // files, folders, globs, or - for stdin
	noStdin    bool
	allowEmpty bool
	wait       time.Duration // for the first byte of a stdin without a flag
}

// inputName returns the name of the block for a file.
func inputName(path string) string {
	if isStdin(path) {
		return "stdin"
	}
	return report.EscapeLine(path)
}

// check refuses duplicate block names.
func (o *inputOptions) check(files []variable) error {
	if o.wait < 0 {
		return usagef("for example --stdin-wait 10s", "--stdin-wait must be at least 0, got %v", o.wait)
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
func (o *inputOptions) read(ctx context.Context, env Env, t *console, files []variable) (input string, sources []runfile.InputSource, err error) {
	blocks := inputBlocks{names: map[string]bool{}, files: map[string]bool{}}
	for _, f := range files {
		var text string
		if err := readText(ctx, env, "--var-file", f.value, &text); err != nil {
			return "", nil, err
		}
		if err := blocks.add(f.key, inputOrigin(env, f.value), text); err != nil {
			return "", nil, err
		}
	}
	for _, value := range o.names {
		if err := o.addValue(ctx, env, t, value, &blocks); err != nil {
			return "", nil, err
		}
	}
	return strings.Join(blocks.texts, "\n\n"), blocks.sources, nil
}

// addValue adds the blocks of one --input.
func (o *inputOptions) addValue(ctx context.Context, env Env, t *console, value string, to *inputBlocks) error {
	found, isSearch, err := findInput(ctx, t, value)
	switch {
	case err != nil:
		return err
	case !isSearch:
		return o.addFile(ctx, env, value, to)
	case len(found) == 0 && isInputGlob(value):
		return &inputError{fmt.Errorf("--input: no file to read matches %s", value)}
	}
	before, finder := len(to.texts), inputFinder{console: t}
	for _, name := range found {
		if err := to.checkDuplicateFile(name); err != nil {
			return err
		}
		text, ok, err := finder.readFoundFile(ctx, name, o.allowEmpty)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := to.add(escapeInvisible(name), originFile, text); err != nil {
			return err
		}
	}
	if len(to.texts) == before {
		return &inputError{fmt.Errorf("--input: no file to read in %s", value)}
	}
	return nil
}

// addFile adds the block of a named file, or of stdin.
func (o *inputOptions) addFile(ctx context.Context, env Env, path string, to *inputBlocks) error {
	if err := to.checkDuplicateFile(path); err != nil {
		return err
	}
	var text string
	if err := readText(ctx, env, "--input", path, &text); err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" && !o.allowEmpty {
		return &hintedError{&inputError{fmt.Errorf("--input: %s is empty", displayName(path))}, "use --allow-empty-input to accept it"}
	}
	return to.add(inputName(path), inputOrigin(env, path), text)
}

// inputBlocks are the blocks of the input.
type inputBlocks struct {
	texts   []string
	sources []runfile.InputSource
	bytes   int
	names   map[string]bool // of the blocks
	files   map[string]bool // regular files of --input, by path without links
}

// checkDuplicateFile refuses a file that is read already.
func (b *inputBlocks) checkDuplicateFile(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil // stdin, a descriptor, or a file whose error is reported when it is read
	}
	if real, err = filepath.Abs(real); err == nil && b.files[real] {
		return usagef("give each file once", "--input: %q is given twice", escapeInvisible(path))
	}
	b.files[real] = true
	return nil
}

// add adds a block.
func (b *inputBlocks) add(name, origin, text string) error {
	if b.names[name] {
		return usagef("give each input block a unique name", "--input: %q is given twice", name)
	}
	b.names[name] = true
	if b.bytes += len(text); b.bytes > maxInput {
		return inputTooLarge()
	}
	b.sources = append(b.sources, runfile.InputSource{Name: name, Origin: origin, Bytes: len(text)})
	b.texts = append(b.texts, "["+name+"]\n"+text)
	return nil
}

func inputTooLarge() error {
	return &hintedError{&inputError{fmt.Errorf("the input is larger than %d MiB", maxInput>>20)}, "give less, or let a tool read the files"}
}

// An unnamedStdin is a stdin that no flag names.
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
	case len(texts.input)+len(text) > maxInput:
		return inputTooLarge()
	case texts.input != "":
		texts.input += "\n\n"
	}
	texts.input += "[stdin]\n" + text
	texts.sources = append(texts.sources, runfile.InputSource{Name: "stdin", Origin: origin, Bytes: len(text)})
	return nil
}

// inputOrigin returns the origin of a file.
func inputOrigin(env Env, path string) string {
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
