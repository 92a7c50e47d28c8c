package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// promptOptions are the parts of the prompt.
type promptOptions struct {
	system, file string
	variables    variableOptions
	input        inputOptions
	attach       []string // files, or - for stdin
	trustInput   bool
	template     *promptTemplate // of an agent, nil for none

	answerDescription string
}

// promptTexts are the parts of a prompt, read and with variables replaced.
type promptTexts struct {
	system, prompt, input string
	answerDescription     string
	sources               []runfile.InputSource // of the input
	attachments           []chat.Attachment
	namesStdin            bool // a flag or argument does
}

// load reads the parts of the prompt.
func (o *promptOptions) load(ctx context.Context, env Env, t *console, args []string) (texts promptTexts, err error) {
	vars, err := o.variables.read()
	if err != nil {
		return texts, err
	}
	if err := vars.checkAgainstDeclarations(o.template); err != nil {
		return texts, err
	}
	prompt := o.file
	if len(args) == 1 && args[0] == "-" {
		prompt = "-"
	}
	if texts.namesStdin, err = o.check(args, vars); err != nil {
		return texts, err
	}
	texts.answerDescription = o.answerDescription
	if err := readText(ctx, env, "--system", o.system, &texts.system); err != nil {
		return texts, err
	}
	if err := readText(ctx, env, "--prompt-file", prompt, &texts.prompt); err != nil {
		return texts, err
	}
	if err := o.template.read(ctx, env); err != nil {
		return texts, err
	}
	switch {
	case prompt != "":
	case len(args) == 1:
		texts.prompt = args[0]
	case o.template.usesPrompt():
		return texts, usagef("add it as the last argument, for example 'What is new?'", "missing prompt: the agent %s takes one", o.template.agent)
	default:
		texts.prompt = o.template.text
	}
	if strings.TrimSpace(texts.prompt) == "" {
		return texts, o.emptyPrompt(prompt, len(args) == 1, "for example: oneshot run 'What is new?'")
	}
	if err := vars.expandPrompts(&texts, o.template); err != nil {
		return texts, err
	}
	if texts.input, texts.sources, err = o.input.read(ctx, env, t, vars.files); err != nil {
		return texts, err
	}
	return texts, o.readAttachments(ctx, env, &texts)
}

// emptyPrompt returns the error for an empty prompt: that of a file, the one on the command line, or else that of the agent.
func (o *promptOptions) emptyPrompt(file string, isOnLine bool, hint string) error {
	switch {
	case isStdin(file):
		return &inputError{errors.New("the prompt from stdin is empty")}
	case file != "":
		return &inputError{fmt.Errorf("--prompt-file: %s is empty", file)}
	case isOnLine || o.template == nil || o.template.file == "":
		return usagef(hint, "the prompt is empty")
	}
	return &inputError{fmt.Errorf("%s: %s is empty", o.template.fileFlag(), displayName(o.template.file))}
}

// loadRecorded returns the recorded prompt and input, and reads the other texts.
func (o *promptOptions) loadRecorded(ctx context.Context, env Env, run runfile.Run) (promptTexts, error) {
	texts, err := o.loadInstructions(ctx, env)
	texts.prompt, texts.input, texts.sources = run.Prompt, run.Input, run.InputSources
	return texts, err
}

// loadInstructions reads the texts that are not the prompt: the system prompt and the description of the answer.
func (o *promptOptions) loadInstructions(ctx context.Context, env Env) (texts promptTexts, err error) {
	texts.answerDescription = o.answerDescription
	if err := readText(ctx, env, "--system", o.system, &texts.system); err != nil {
		return texts, err
	}
	vars, err := o.variables.read()
	if err != nil {
		return texts, err
	}
	if err := vars.checkAgainstDeclarations(o.template); err != nil {
		return texts, err
	}
	return texts, vars.expandInstructions(&texts)
}

// check refuses a missing or duplicate prompt, two uses of stdin, and duplicate input blocks. It reports whether stdin is
// named.
func (o *promptOptions) check(args []string, vars *variables) (namesStdin bool, err error) {
	files := o.files(args, vars)
	first := slices.IndexFunc(files, isStdin)
	switch {
	case first >= 0 && slices.ContainsFunc(files[first+1:], isStdin):
		return false, usagef("", "stdin can be named only once")
	case len(args) == 0 && o.file == "" && !o.template.has():
		return false, usagef("oneshot run 'What is new?', or - for stdin, or --prompt-file FILE", "missing prompt")
	case len(args) == 1 && o.file != "":
		return false, usagef("omit one of them", "--prompt-file cannot be combined with a prompt argument")
	}
	return first >= 0, errors.Join(o.input.check(vars.files), checkDuplicateAttachments(o.attach))
}

// files returns the files of the prompt. The argument is one only if it is "-".
func (o *promptOptions) files(args []string, vars *variables) []string {
	names := slices.Concat([]string{o.system, o.file}, o.input.names, o.attach)
	for _, f := range vars.files {
		names = append(names, f.value)
	}
	if o.template != nil {
		names = append(names, o.template.file)
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
