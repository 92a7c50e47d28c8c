package tool

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A Program says how a call becomes the words of a program, which runs without a shell. It
// belongs to a definition and is read with it.
type Program struct {
	Name   string   // an absolute path, or a bare name
	Env    []string // variables of the caller that it gets, where they are set
	Dir    string   // the folder it runs in, as a path below the root; "." is the root
	Output Output   // how its result is read
	OK     []int    // the exit codes that are a success
	Raw    json.RawMessage

	argv             []argvGroup // behind the name
	stdin            Template    // of no piece: nothing
	stdinIsArguments bool        // stdin is the arguments object
}

// An Output says what a program prints on stdout.
type Output string

// The outputs.
const (
	TextOutput     Output = "text"     // text: the result has what it prints and its exit code
	JSONOutput     Output = "json"     // one JSON value, which is the data of the result
	EnvelopeOutput Output = "envelope" // the result itself, as {"ok":…}
)

// Outputs lists the outputs.
var Outputs = []Output{TextOutput, JSONOutput, EnvelopeOutput}

// A appendGroup is an element of argv, or several that stand as a whole or not at all.
type argvGroup []Template

// A FilledProgram program is what a call makes of one.
type FilledProgram struct {
	Argv  []string // Argv[0] is the name
	Stdin []byte   // nil for nothing
}

// maxFilledBytes bounds what a call makes of a program, in bytes: holes can stand more than once.
const maxFilledBytes = 4 << 20

// A FillError says why arguments that fit a definition make no words for its program.
type FillError struct {
	Argument string // the parameter
	Why      string
	TooLarge    bool // it is only too much
}

func (e *FillError) Error() string { return e.Argument + ": " + e.Why }

// FillProgram returns what the program of a definition gets in a call, whose arguments fit the
// decodeParameters. Each hole is a part of one word, whatever its value; a value that a program could
// addKey for an option, and one that no word can be, is a *[FillError].
//
// An element with a hole for which there is no value is left out, and with it the group that
// it stands in. One that is only a hole for a list is a word for each item.
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

// FilePaths returns the values of a call that are paths of files, as its definition says.
func (d *Definition) FilePaths(args json.RawMessage) ([]string, error) {
	v, err := d.valuesOf(args)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, p := range d.Signature.Params {
		if !v.has(p.Name) || !d.isPath(p.Name) {
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

// isPath reports whether a parameter, or each item of its list, is the path of a file.
func (d *Definition) isPath(param string) bool {
	if own := d.BuiltinFormat(param); own != "" {
		return own == "path"
	}
	property := readKeywords(readKeywords(readKeywords(d.Schema)["properties"])[param])
	const path = `"path"`
	return string(property["format"]) == path || string(readKeywords(property["items"])["format"]) == path
}

// A programFiller makes the words of one call.
type programFiller struct {
	argumentValues
	out         FilledProgram
	size        int
	afterDashes bool // "--" stands before
}

// appendGroup adds a group, unless there is no value for one of its holes.
func (f *programFiller) appendGroup(g argvGroup) error {
	for _, t := range g {
		for _, hole := range t.placeholders() {
			if !f.has(hole.placeholder) {
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

// elementWords returns what becomes of an element all of whose holes have a value.
func (f *programFiller) elementWords(t Template) ([]string, *FillError) {
	holes := t.placeholders()
	if len(holes) == 0 {
		word := t.fill(nil)
		f.afterDashes = f.afterDashes || word == "--"
		return []string{word}, nil
	}
	words, err := f.fillElement(t, holes)
	if err != nil {
		return nil, err
	}
	for _, word := range words {
		if why := f.wordError(t, word); why != "" {
			return nil, &FillError{Argument: holes[0].placeholder, Why: why}
		}
	}
	return words, nil
}

// fillElement returns an element with its values.
func (f *programFiller) fillElement(t Template, holes []piece) ([]string, *FillError) {
	if name := t.onlyPlaceholder(); name != "" {
		words, err := f.list(name)
		if err == nil {
			err = f.countBytes(name, words)
		}
		return words, err
	}
	texts := map[string]string{}
	for _, hole := range holes {
		text, err := f.scalar(hole.placeholder)
		if err == nil {
			err = f.countBytes(hole.placeholder, []string{text})
		}
		if err != nil {
			return nil, err
		}
		texts[hole.placeholder] = text
	}
	return []string{t.fill(func(name string) string { return texts[name] })}, nil
}

// countBytes counts what values add.
func (f *programFiller) countBytes(name string, texts []string) *FillError {
	for _, text := range texts {
		f.size += len(text)
	}
	if f.size > maxFilledBytes {
		return &FillError{name, fmt.Sprintf("the program would get more than %d bytes", maxFilledBytes), true}
	}
	return nil
}

// backendInvalid says why a word would not say what its values say, or "".
func (f *programFiller) wordError(t Template, word string) string {
	switch {
	case word == "":
		return "a program argument must not be empty"
	case strings.IndexByte(word, 0) >= 0:
		return "a program argument must not contain NUL"
	case !f.afterDashes && couldBeOption(t) && strings.HasPrefix(word[len(t.literalPrefix()):], "-"):
		return fmt.Sprintf("%s starts with -, so the program would read it as an option", quote(shorten(word)))
	}
	return ""
}

// couldBeOption reports whether it is a value that says whether an element is an option, and which.
func couldBeOption(t Template) bool { return strings.Trim(t.literalPrefix(), "-") == "" }

// decodeStdin fills in what the program reads. A hole without a value is nothing there.
func (f *programFiller) fillStdin(t Template) *FillError {
	texts := map[string]string{}
	for _, hole := range t.placeholders() {
		if !f.has(hole.placeholder) {
			continue
		}
		text, err := f.scalar(hole.placeholder)
		if err == nil {
			err = f.countBytes(hole.placeholder, []string{text})
		}
		switch {
		case err != nil:
			return err
		case !isOnlyPlaceholder(t) && strings.ContainsAny(text, "\n\r\x00"):
			return &FillError{Argument: hole.placeholder, Why: "a value embedded in stdin text must be a single line"}
		}
		texts[hole.placeholder] = text
	}
	f.out.Stdin = []byte(t.fill(func(name string) string { return texts[name] }))
	return nil
}

// isOnlyPlaceholder reports whether a template is one hole, with blanks at most: its value is all that is read.
func isOnlyPlaceholder(t Template) bool {
	around := ""
	for _, p := range t.pieces {
		around += p.text
	}
	return len(t.placeholders()) == 1 && strings.TrimSpace(around) == ""
}
