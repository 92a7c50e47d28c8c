package lint

import (
	"bytes"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
)

// behindText finds a list of Python calls of known tools that begins a line behind text:
// the models that write one write nothing else, so that it is no call for their servers.
func (r *reading) behindText(src []byte, tools dialect.Toolset) {
	python, ok := dialect.Named("pythonic")
	if len(tools) == 0 || !ok || r.covered().overlaps(0, len(src)) {
		return
	}
	offset := 0
	for line := range bytes.Lines(src) {
		at := offset + len(line) - len(bytes.TrimLeft(line, " \t"))
		offset += len(line)
		if !beginsCalls(src[at:offset], tools) {
			continue
		}
		found := dialect.ScanBytes(src[at:], dialect.Options{Dialect: python, Tools: tools})
		if len(found.Calls) == 0 {
			return
		}
		last := found.Calls[len(found.Calls)-1]
		f := diag.New(diag.TextAround, diag.Bytes(at+found.Calls[0].Start, at+last.End), "a list of Python calls stands behind text, and is not run")
		f.Hint = "have the model write the list alone"
		r.find(f)
		return
	}
}

// beginsCalls reports whether a line begins with a bracket and a call of a known tool.
func beginsCalls(line []byte, tools dialect.Toolset) bool {
	rest, ok := bytes.CutPrefix(line, []byte("["))
	name, _, called := bytes.Cut(rest, []byte("("))
	if !ok || !called {
		return false
	}
	_, known := tools[string(bytes.TrimSpace(name))]
	return known
}
