package lint

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
)

// reportPythonAfterText reports the first list of Python calls of known tools that follows other text and was not
// read. Models that emit such lists emit nothing else, so servers do not parse it as calls. A list in the reasoning is a draft.
func (r *scanResult) reportPythonAfterText(src []byte, tools dialect.Toolset, reasoned []diag.Span) {
	python, ok := dialect.Lookup("pythonic")
	if len(tools) == 0 || !ok {
		return
	}
	covered, offset := append(r.coveredSpans(), reasoned...).sortedAndMerged(), 0
	for line := range bytes.Lines(src) {
		at := offset + callListOffset(line, tools)
		offset += len(line)
		if at == offset || covered.overlaps(at, offset) {
			continue
		}
		found := dialect.ScanBytes(src[at:covered.nextStart(at, len(src))], dialect.Options{Dialect: python, Tools: tools})
		if len(found.Calls) == 0 {
			return
		}
		last := found.Calls[len(found.Calls)-1]
		f := diag.New(diag.SurroundingText, diag.Bytes(at+found.Calls[0].Start, at+last.End), "a list of Python calls after text is not executed")
		f.Hint = "make the model write only the list"
		r.report(f)
		return
	}
}

// callListOffset returns the offset in a line at which a list of calls of known tools begins, or
// the length of the line: at its start, or after a space if the call has only keyword arguments or
// none.
func callListOffset(line []byte, tools dialect.Toolset) int {
	start := len(line) - len(bytes.TrimLeft(line, " \t"))
	for at := start; at < len(line); at++ {
		i := bytes.IndexByte(line[at:], '[')
		if i < 0 {
			break
		}
		at += i
		name, rest := leadingName(line[at+1:])
		if _, known := tools[name]; !known || len(rest) == 0 || rest[0] != '(' {
			continue
		}
		if at == start || line[at-1] == ' ' && isKeywordArgumentList(rest[1:]) {
			return at
		}
	}
	return len(line)
}

// isKeywordArgumentList reports whether an argument list is empty or begins with key=.
func isKeywordArgumentList(text []byte) bool {
	key, rest := leadingName(text)
	return rest != nil && (key == "" && rest[0] == ')' || key != "" && rest[0] == '=')
}

// leadingName splits a text after its leading name of up to 128 bytes. The rest is nil if no name
// ends there.
func leadingName(text []byte) (name string, rest []byte) {
	for i, c := range text[:min(len(text), 128)] {
		if c != '_' && c != '.' && c != '-' && !unicode.IsLetter(rune(c)) && !unicode.IsDigit(rune(c)) && c < utf8.RuneSelf {
			return string(text[:i]), text[i:]
		}
	}
	return "", nil
}
