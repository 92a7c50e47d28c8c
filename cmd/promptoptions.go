package cmd

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/agent"
	"oneshot/pkg/runfile"
)

// promptOptions are the parts of the prompt.
type promptOptions struct {
	system, file string
	variables    variableOptions
	input        inputOptions
	trustInput   bool
}

// load reads the parts of the prompt into a configuration.
func (o *promptOptions) load(ctx context.Context, env Env, args []string, cfg *agent.Config) error {
	vars, err := o.check(args)
	if err != nil {
		return err
	}
	prompt := o.file
	if len(args) == 1 && args[0] == "-" {
		prompt = "-"
	}
	if err := readText(ctx, env, "--system", o.system, &cfg.System); err != nil {
		return err
	}
	if err := readText(ctx, env, "--prompt-file", prompt, &cfg.Prompt); err != nil {
		return err
	}
	if prompt == "" {
		cfg.Prompt = args[0]
	}
	if strings.TrimSpace(cfg.Prompt) == "" {
		return usagef("for example: oneshot run 'What is new?'", "the prompt is empty")
	}
	if err := vars.expandPrompts(cfg); err != nil {
		return err
	}
	cfg.TrustInput = o.trustInput
	cfg.Input, err = o.input.read(ctx, env, vars.files)
	return err
}

// restore restores the recorded prompt and input.
func (o *promptOptions) restore(ctx context.Context, env Env, cfg *agent.Config, run runfile.Run) error {
	cfg.Prompt, cfg.Input, cfg.TrustInput = run.Prompt, run.Input, o.trustInput
	if err := readText(ctx, env, "--system", o.system, &cfg.System); err != nil {
		return err
	}
	vars, err := o.variables.read()
	if err == nil {
		cfg.System, err = vars.expand("the system prompt", cfg.System)
	}
	return err
}

// check returns the variables. It refuses a missing or duplicate prompt, two uses of stdin, and duplicate input blocks.
func (o *promptOptions) check(args []string) (*variables, error) {
	vars, err := o.variables.read()
	if err != nil {
		return nil, err
	}
	files := o.files(args, vars)
	first := slices.IndexFunc(files, isStdin)
	o.input.stdinNamed = first >= 0
	switch {
	case first >= 0 && slices.ContainsFunc(files[first+1:], isStdin):
		return nil, usagef("", "stdin can be named only once")
	case len(args) == 0 && o.file == "":
		return nil, usagef("oneshot run 'What is new?', or - for stdin, or --prompt-file FILE", "missing prompt")
	case len(args) == 1 && o.file != "":
		return nil, usagef("", "the prompt is given both as an argument and with --prompt-file")
	}
	return vars, o.input.check(vars.files)
}

// files returns the files of the prompt. The argument is one only if it is "-".
func (o *promptOptions) files(args []string, vars *variables) []string {
	names := slices.Concat([]string{o.system, o.file}, o.input.names)
	for _, f := range vars.files {
		names = append(names, f.value)
	}
	if len(args) == 1 && args[0] == "-" {
		names = append(names, "-")
	}
	return names
}

// readText reads the text file of a flag, or stdin for "-", into *to. An empty path reads nothing.
func readText(ctx context.Context, env Env, flag, path string, to *string) (err error) {
	var data []byte
	switch path {
	case "":
		return nil
	case "-":
		data, err = readStdin(ctx, env)
	default:
		data, err = readFlag(flag, path)
	}
	if err != nil {
		return err
	}
	if !utf8.Valid(data) {
		return &inputError{notUTF8(path)}
	}
	*to = string(data)
	return nil
}

type notUTF8 string

func (name notUTF8) Error() string {
	if name == "-" {
		name = "stdin"
	}
	return string(name) + " is not UTF-8 text"
}
