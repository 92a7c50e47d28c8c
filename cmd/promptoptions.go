package cmd

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"oneshot/pkg/agent"
	"oneshot/pkg/runfile"
)

// promptOptions are the parts of the prompt.
type promptOptions struct {
	system, file, input string
	vars                []string
}

func (o *promptOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.system, "system", "", "`FILE` with the base of the system prompt, e.g. --system editor.md")
	f.StringVar(&o.file, "prompt-file", "", "`FILE` with the prompt, instead of the argument")
	f.StringVar(&o.input, "input", "", "`FILE` with data that goes with the prompt, or - for stdin, e.g. --input log.txt")
	f.StringArrayVar(&o.vars, "var", nil, "`K=V` replaces ${K} in the prompt and system files")
}

// load reads the parts of the prompt into a configuration.
func (o *promptOptions) load(ctx context.Context, env Env, args []string, cfg *agent.Config) error {
	if err := o.check(args); err != nil {
		return err
	}
	parts := []struct {
		flag, path string
		to         *string
	}{{"--system", o.system, &cfg.System}, {"--prompt-file", o.file, &cfg.Prompt}, {"--input", o.input, &cfg.Input}}
	for _, p := range parts {
		if err := readText(ctx, env, p.flag, p.path, p.to); err != nil {
			return err
		}
	}
	if len(args) == 1 && args[0] != "-" {
		cfg.Prompt = args[0]
	} else if len(args) == 1 {
		if err := readText(ctx, env, "PROMPT", "-", &cfg.Prompt); err != nil {
			return err
		}
	}
	if strings.TrimSpace(cfg.Prompt) == "" {
		return usagef("for example: oneshot run 'What is new?'", "the prompt is empty")
	}
	return o.fill(&cfg.System, &cfg.Prompt)
}

// again gives a run that goes on the prompt and the data that it had.
func (o *promptOptions) again(ctx context.Context, env Env, cfg *agent.Config, run runfile.Run) error {
	cfg.Prompt, cfg.Input = run.Prompt, run.Input
	if err := readText(ctx, env, "--system", o.system, &cfg.System); err != nil {
		return err
	}
	pairs, err := o.pairs()
	if err == nil {
		cfg.System = strings.NewReplacer(pairs...).Replace(cfg.System)
	}
	return err
}

// check refuses a prompt that is named twice or not at all, and two readers of
// one stdin.
func (o *promptOptions) check(args []string) error {
	stdin := 0
	for _, name := range o.files(args) {
		if name == "-" {
			stdin++
		}
	}
	switch {
	case stdin > 1:
		return usagef("", "stdin can be named once only")
	case len(args) == 0 && o.file == "":
		return usagef("oneshot run 'What is new?', or - for stdin, or --prompt-file FILE", "a prompt is missing")
	case len(args) == 1 && o.file != "":
		return usagef("", "the prompt is given both as an argument and with --prompt-file")
	}
	return nil
}

// files returns everything that the prompt is read from.
func (o *promptOptions) files(args []string) []string {
	return append([]string{o.system, o.file, o.input}, args...)
}

// readText reads the text file that a flag names, or stdin for "-", into *to. An empty
// path reads nothing.
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

// pairs returns each place of a variable, and what stands there instead.
func (o *promptOptions) pairs() (pairs []string, err error) {
	for _, v := range o.vars {
		key, value, ok := strings.Cut(v, "=")
		if !ok || key == "" {
			return nil, usagef("for example --var name=Ada", "--var: %q is not K=V", v)
		}
		pairs = append(pairs, "${"+key+"}", value)
	}
	return pairs, nil
}

// fill replaces ${K} by V for every --var K=V; values are not looked at again. A
// variable that stands nowhere is an error: it is more likely misspelt than
// wanted.
func (o *promptOptions) fill(texts ...*string) error {
	pairs, err := o.pairs()
	if err != nil {
		return err
	}
	for i := 0; i < len(pairs); i += 2 {
		if !slices.ContainsFunc(texts, func(t *string) bool { return strings.Contains(*t, pairs[i]) }) {
			return usagef("", "--var: %s stands in neither the prompt nor the system prompt", pairs[i])
		}
	}
	for _, t := range texts {
		*t = strings.NewReplacer(pairs...).Replace(*t)
	}
	return nil
}
