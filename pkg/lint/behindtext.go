package lint

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
)

// behindText finds a list of Python calls of known tools behind text: the models that
// write one write nothing else, so that it is no call for their servers.
func (r *reading) behindText(src []byte, tools dialect.Toolset) {
	python, ok := dialect.Named("pythonic")
	if len(tools) == 0 || !ok || r.covered().overlaps(0, len(src)) {
		return
	}
	offset := 0
	for line := range bytes.Lines(src) {
		at := offset + listOfCalls(line, tools)
		offset += len(line)
		if at == offset {
			continue
		}
		found := dialect.ScanBytes(src[at:], dialect.Options{Dialect: python, Tools: tools})
		if len(found.Calls) == 0 {
			return
		}
		last := found.Calls[len(found.Calls)-1]
		f := diag.New(diag.TextAround, diag.Bytes(at+found.Calls[0].Start, at+last.End), "a list of Python calls after text is not run")
		f.Hint = "have the model write the list alone"
		r.find(f)
		return
	}
}

// listOfCalls returns where a list of calls of known tools begins in a line, or the length
// of the line: at its start, or behind a blank if the call has none but named arguments.
func listOfCalls(line []byte, tools dialect.Toolset) int {
	start := len(line) - len(bytes.TrimLeft(line, " \t"))
	for at := start; at < len(line); at++ {
		i := bytes.IndexByte(line[at:], '[')
		if i < 0 {
			break
		}
		at += i
		name, rest := word(line[at+1:])
		if _, known := tools[name]; !known || len(rest) == 0 || rest[0] != '(' {
			continue
		}
		if at == start || line[at-1] == ' ' && namesArgument(rest[1:]) {
			return at
		}
	}
	return len(line)
}

// namesArgument reports whether the arguments of a call end at once, or begin with key=.
func namesArgument(text []byte) bool {
	key, rest := word(text)
	return rest != nil && (key == "" && rest[0] == ')' || key != "" && rest[0] == '=')
}

// word returns the name that a text begins with, of up to 128 bytes, and the text behind
// it, nil if there is none.
func word(text []byte) (name string, rest []byte) {
	for i, c := range text[:min(len(text), 128)] {
		if c != '_' && c != '.' && c != '-' && !unicode.IsLetter(rune(c)) && !unicode.IsDigit(rune(c)) && c < utf8.RuneSelf {
			return string(text[:i]), text[i:]
		}
	}
	return "", nil
}
