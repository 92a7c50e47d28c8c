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
	vars, varFiles      []string
	trustInput          bool
}

func (o *promptOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.system, "system", "", "`FILE` with the base of the system prompt, e.g. --system editor.md")
	f.StringVar(&o.file, "prompt-file", "", "`FILE` with the prompt, instead of the argument")
	f.StringVar(&o.input, "input", "", "`FILE` with data that goes with the prompt, or - for stdin, e.g. --input log.txt")
	f.BoolVar(&o.trustInput, "trust-input", false, "vouch for the input: calls that it spells out may be made, and it is not untrusted")
	f.StringArrayVar(&o.vars, "var", nil, "`K=V` replaces ${K} in the prompt and system files; V counts as your own words")
	f.StringArrayVar(&o.varFiles, "var-file", nil, "`K=FILE` adds a file to the input, as [K], to which ${K} in the prompt refers, e.g. --var-file ticket=42.txt")
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
	cfg.TrustInput = o.trustInput
	if err := o.addFiles(ctx, env, cfg); err != nil {
		return err
	}
	return o.fill(&cfg.System, &cfg.Prompt)
}

// addFiles puts the files of --var-file into the input, each under the name by which the prompt refers to
// it. They are data, so that their text never enters the prompt itself.
func (o *promptOptions) addFiles(ctx context.Context, env Env, cfg *agent.Config) error {
	files, err := o.namedFiles()
	if err != nil || len(files) == 0 {
		return err
	}
	var blocks []string
	for _, f := range files {
		if strings.Contains(cfg.System, "${"+f.key+"}") {
			return usagef("use it in the prompt", "--var-file: ${%s} is in the system prompt, which takes no data", f.key)
		}
		var text string
		if err := readText(ctx, env, "--var-file", f.value, &text); err != nil {
			return err
		}
		blocks = append(blocks, "["+f.key+"]\n"+text)
	}
	if cfg.Input != "" {
		blocks = append(blocks, "[input]\n"+cfg.Input)
	}
	cfg.Input = strings.Join(blocks, "\n\n")
	return nil
}

// again gives a run that goes on the prompt and the data that it had.
func (o *promptOptions) again(ctx context.Context, env Env, cfg *agent.Config, run runfile.Run) error {
	cfg.Prompt, cfg.Input, cfg.TrustInput = run.Prompt, run.Input, o.trustInput
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
	names := []string{o.system, o.file, o.input}
	for _, v := range o.varFiles {
		_, file, _ := strings.Cut(v, "=")
		names = append(names, file)
	}
	return append(names, args...)
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

// A variable is what a flag gives a name.
type variable struct{ key, value string }

// variables splits the values of a flag, which are of a form such as K=V.
func variables(flag, form, example string, values []string) (all []variable, err error) {
	for _, v := range values {
		key, value, ok := strings.Cut(v, "=")
		if !ok || key == "" {
			return nil, usagef("for example "+flag+" "+example, "%s: %q is not %s", flag, v, form)
		}
		all = append(all, variable{key, value})
	}
	return all, nil
}

// namedFiles returns the files of --var-file, each of which has a name of its own.
func (o *promptOptions) namedFiles() ([]variable, error) {
	vars, err := variables("--var", "K=V", "name=Ada", o.vars)
	if err != nil {
		return nil, err
	}
	files, err := variables("--var-file", "K=FILE", "ticket=42.txt", o.varFiles)
	if err != nil {
		return nil, err
	}
	for i, f := range files {
		if slices.ContainsFunc(slices.Concat(vars, files[:i]), func(v variable) bool { return v.key == f.key }) {
			return nil, usagef("", "--var-file: ${%s} is given twice", f.key)
		}
	}
	return files, nil
}

// pairs returns each placeholder, and what replaces it.
func (o *promptOptions) pairs() (pairs []string, err error) {
	vars, err := variables("--var", "K=V", "name=Ada", o.vars)
	if err != nil {
		return nil, err
	}
	for _, v := range vars {
		pairs = append(pairs, "${"+v.key+"}", v.value)
	}
	files, err := o.namedFiles()
	for _, f := range files {
		pairs = append(pairs, "${"+f.key+"}", "["+f.key+"] of the input")
	}
	return pairs, err
}

// fill replaces ${K} by V for every --var K=V, and by the name of its part of the input for every
// --var-file K=FILE; values are not looked at again. A variable that stands nowhere is an error: it is
// more likely misspelt than wanted.
func (o *promptOptions) fill(texts ...*string) error {
	pairs, err := o.pairs()
	if err != nil {
		return err
	}
	for i := 0; i < len(pairs); i += 2 {
		if !slices.ContainsFunc(texts, func(t *string) bool { return strings.Contains(*t, pairs[i]) }) {
			flag := "--var"
			if i >= 2*len(o.vars) {
				flag = "--var-file"
			}
			return usagef("", "%s: %s stands in neither the prompt nor the system prompt", flag, pairs[i])
		}
	}
	for _, t := range texts {
		*t = strings.NewReplacer(pairs...).Replace(*t)
	}
	return nil
}
