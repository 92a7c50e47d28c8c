package tool

import (
	"encoding/json"
	"fmt"
	"strings"

	"oneshot/pkg/quote"
)

// A Program turns a call into the command line of a program, which runs without a shell. It is part of a
// definition.
type Program struct {
	Name   string   // an absolute path, or a bare name
	Env    []string // names of variables it inherits
	RunEnv []string // the variables among [CallIDVariable] and [RunIDVariable] that it gets
	Dir    string   // working directory, a path below the root; "." is the root
	Output Output   // format of its stdout
	OK     []int    // the exit codes that are a success
	Raw    json.RawMessage

	argv             []argvGroup // after the name
	stdin            Template    // without pieces: nothing
	stdinIsArguments bool        // pass the arguments object
	stdinIsContext   bool        // pass the call and the conversation, in the form of the schema tool_context.v1
}

// Variables with ids for programs.
const (
	CallIDVariable = "ONESHOT_CALL_ID"
	RunIDVariable  = "ONESHOT_RUN_ID" // of a call in a run
)

// ReadsConversation reports whether the tool gets the conversation so far with each call.
func (d *Definition) ReadsConversation() bool { return d.Exec != nil && d.Exec.stdinIsContext }

// An Output is the format of a program's stdout.
type Output string

// The outputs.
const (
	TextOutput     Output = "text"     // the result contains stdout and the exit code
	JSONOutput     Output = "json"     // one JSON value, which is the data of the result
	EnvelopeOutput Output = "envelope" // the result itself, as {"ok":…}
)

var Outputs = []Output{TextOutput, JSONOutput, EnvelopeOutput}

// An argvGroup is one element of argv, or several that are omitted together.
type argvGroup []Template

// A FilledProgram is the command line and stdin of one call.
type FilledProgram struct {
	Argv  []string // Argv[0] is the name
	Stdin []byte   // nil for nothing
}

// maxFilledBytes bounds a filled program or request: placeholders can occur more than once.
const maxFilledBytes = 4 << 20

// A FillError reports why valid arguments cannot be filled into a program or request.
type FillError struct {
	Argument string // the parameter
	Why      string
	TooLarge bool // a size limit is exceeded
}

func (e *FillError) Error() string { return e.Argument + ": " + e.Why }

// FillProgram returns the command line and stdin of a call whose arguments fit the parameters. Each placeholder is
// part of one word, whatever its value. A value that a program could read as an option, or that no word can contain,
// is a *[FillError].
//
// An element with a placeholder without a value is omitted, together with its group. A placeholder that is a whole
// element and has a list as its value becomes one word per item.
func (d *Definition) FillProgram(args json.RawMessage) (FilledProgram, error) {
	v, err := d.valuesOf(args)
	if err != nil {
		return FilledProgram{}, err
	}
	f := programFiller{argumentValues: v, out: FilledProgram{Argv: []string{d.Exec.Name}}}
	for _, g := range d.Exec.argv {
		if err := f.appendGroup(g); err != nil {
			return FilledProgram{}, err
		}
	}
	switch {
	case d.Exec.stdinIsArguments:
		f.out.Stdin = d.WithDefaults(args)
	case len(d.Exec.stdin.pieces) > 0:
		if err := f.fillStdin(d.Exec.stdin); err != nil {
			return FilledProgram{}, err
		}
	}
	return f.out, nil
}

// FilePaths returns the values of a call that its definition declares as file paths.
func (d *Definition) FilePaths(args json.RawMessage) ([]string, error) {
	v, err := d.valuesOf(args)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, p := range d.Signature.Params {
		if !v.has(p.Name) || !d.HasFormat(p.Name, "path") {
			continue
		}
		paths, wrong := v.list(p.Name)
		if wrong != nil {
			return nil, wrong
		}
		out = append(out, paths...)
	}
	return out, nil
}

// A programFiller builds the command line of one call.
type programFiller struct {
	argumentValues
	out         FilledProgram
	size        int
	afterDashes bool // after "--"
}

// appendGroup appends a group unless a placeholder in it has no value.
func (f *programFiller) appendGroup(g argvGroup) error {
	for _, t := range g {
		for _, placeholder := range t.placeholders() {
			if !f.has(placeholder.param) {
				return nil
			}
		}
	}
	for _, t := range g {
		words, wrong := f.elementWords(t)
		if wrong != nil {
			return wrong
		}
		f.out.Argv = append(f.out.Argv, words...)
	}
	return nil
}

// elementWords returns the words of an element whose placeholders all have values.
func (f *programFiller) elementWords(t Template) ([]string, *FillError) {
	placeholders := t.placeholders()
	if len(placeholders) == 0 {
		word := t.fill(nil)
		f.afterDashes = f.afterDashes || word == "--"
		return []string{word}, nil
	}
	words, err := f.fillElement(t, placeholders)
	if err != nil {
		return nil, err
	}
	for _, word := range words {
		if why := f.wordError(t, word); why != "" {
			return nil, &FillError{Argument: placeholders[0].param, Why: why}
		}
	}
	return words, nil
}

func (f *programFiller) fillElement(t Template, placeholders []piece) ([]string, *FillError) {
	if name := t.onlyPlaceholder(); name != "" {
		words, err := f.list(name)
		if err == nil {
			err = f.addSize(name, words)
		}
		return words, err
	}
	texts := map[string]string{}
	for _, placeholder := range placeholders {
		text, err := f.scalar(placeholder.param)
		if err == nil {
			err = f.addSize(placeholder.param, []string{text})
		}
		if err != nil {
			return nil, err
		}
		texts[placeholder.param] = text
	}
	return []string{t.fill(func(name string) string { return texts[name] })}, nil
}

func (f *programFiller) addSize(name string, texts []string) *FillError {
	for _, text := range texts {
		f.size += len(text)
	}
	if f.size > maxFilledBytes {
		return &FillError{name, fmt.Sprintf("the program would get more than %d bytes", maxFilledBytes), true}
	}
	return nil
}

// wordError returns why a word would not have the meaning of its values, or "".
func (f *programFiller) wordError(t Template, word string) string {
	switch {
	case word == "":
		return "a program argument must not be empty"
	case strings.IndexByte(word, 0) >= 0:
		return "a program argument must not contain NUL"
	case !f.afterDashes && canBeOption(t) && strings.HasPrefix(word[len(t.literalPrefix()):], "-"):
		return fmt.Sprintf("%s starts with -, so the program would read it as an option", quote.JSON(shorten(word)))
	}
	return ""
}

// canBeOption reports whether values decide if an element is an option, and which one.
func canBeOption(t Template) bool { return strings.Trim(t.literalPrefix(), "-") == "" }

// fillStdin fills the template of stdin. A placeholder without a value is replaced by nothing.
func (f *programFiller) fillStdin(t Template) *FillError {
	texts := map[string]string{}
	for _, placeholder := range t.placeholders() {
		if !f.has(placeholder.param) {
			continue
		}
		text, err := f.scalar(placeholder.param)
		if err == nil {
			err = f.addSize(placeholder.param, []string{text})
		}
		switch {
		case err != nil:
			return err
		case !isOnlyPlaceholder(t) && strings.ContainsAny(text, "\n\r\x00"):
			return &FillError{Argument: placeholder.param, Why: "a value embedded in stdin text must be a single line"}
		}
		texts[placeholder.param] = text
	}
	f.out.Stdin = []byte(t.fill(func(name string) string { return texts[name] }))
	return nil
}

// isOnlyPlaceholder reports whether a template is one placeholder, apart from whitespace: its value is all of stdin.
func isOnlyPlaceholder(t Template) bool {
	around := ""
	for _, p := range t.pieces {
		around += p.text
	}
	return len(t.placeholders()) == 1 && strings.TrimSpace(around) == ""
}
