package lint

import (
	"bytes"
	"errors"
	"iter"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/wire"
)

// Fields say where in a record of JSON Lines things stand: paths as gjson reads them.
type Fields struct {
	Response string // a string with a text or a body in it, or a body as it is; "": told from the record
	Tools    string // "" or a list of functions; see [tool.FromFunctions]
	Dialect  string // "" or the name of a dialect or format, or "auto"
	ID       string // "" or what the record calls itself
}

// Records reads the records of files of JSON Lines. It can be used by several goroutines.
type Records struct {
	response, tools, dialect, id path
	options                      Options
	toolsets                     *toolsets
}

// NewRecords returns a reader of records. What they do not say themselves the options say.
func NewRecords(f Fields, o Options) *Records {
	o.shapes = o.toolset()
	return &Records{newPath(f.Response), newPath(f.Tools), newPath(f.Dialect), newPath(f.ID), o, newToolsets()}
}

// Read returns the records of some lines of a file. Blank lines are none.
func (r *Records) Read(file string, lines Chunk) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for line := range lines.Each() {
			if len(bytes.TrimSpace(line.Bytes)) > 0 && !yield(r.record(file, line, lines.Cut)) {
				return
			}
		}
	}
}

// Fix makes the safe fixes in the records of some lines of a file, as the function [Fix]
// does, and returns all lines, of which those that hold no record have none.
func (r *Records) Fix(file string, lines Chunk) iter.Seq[Fixed[Record]] {
	return func(yield func(Fixed[Record]) bool) {
		for line := range lines.Each() {
			fixed := Fixed[Record]{Text: line.Bytes}
			if len(bytes.TrimSpace(line.Bytes)) > 0 {
				fixed = fixRecord(r.record(file, line, lines.Cut), func(text diag.Text) Record { return r.record(file, text, lines.Cut) })
			}
			if !yield(fixed) {
				return
			}
		}
	}
}

// record reads one line.
func (r *Records) record(file string, line diag.Text, cut bool) Record {
	text := line
	text.Bytes = bytes.TrimRight(line.Bytes, "\r\n")
	if line.Offset == 0 && bytes.HasPrefix(text.Bytes, []byte(orderMark)) {
		text.Bytes, text.Offset = text.Bytes[len(orderMark):], len(orderMark)
	}
	l := recordLine{Text: text, o: r.options}
	id := ""
	if l.readable(cut) {
		if m := r.id.in(text.Bytes); m.exists() {
			id = string(m.text())
		}
		l.dialectOf(r.dialect.in(text.Bytes))
		l.toolsOf(r.tools.in(text.Bytes), r.toolsets)
		if r.response.text == "" {
			l.anywhere()
		} else {
			l.response(r.response.in(text.Bytes), r.response.text)
		}
	}
	out := l.reading.record(file, line, l.o)
	out.Record, out.ID = line.Before+1, id
	return out
}

// A recordLine is a line that is being read: JSON.
type recordLine struct {
	diag.Text
	o Options
	reading
}

// readable reports whether the line is JSON, and finds why it is not. Bytes that are not
// UTF-8 are allowed: where they matter they are found.
func (l *recordLine) readable(cut bool) bool {
	switch {
	case cut || len(l.Bytes) > MaxRecord:
		l.why = "the line is too long"
		l.find(diag.New(diag.LargeRecord, diag.Bytes(l.Offset, l.Offset), "the line is longer than %d MiB", MaxRecord>>20))
		return false
	case isRecord(l.Bytes):
		return true
	}
	var v jsontext.Value
	err := json.Unmarshal(l.Bytes, &v, jsontext.AllowInvalidUTF8(true))
	at, syntax := l.Offset, new(jsontext.SyntacticError)
	if errors.As(err, &syntax) {
		at, err = at+int(syntax.ByteOffset), syntax.Err
	}
	l.why = "the line is no JSON"
	l.find(diag.New(diag.BadRecord, diag.Bytes(at, at), "the line is no JSON: %v", err))
	return false
}

// isRecord reports whether a line is JSON.
func isRecord(line []byte) bool {
	return surelyObject(line) || jsontext.Value(line).IsValid(jsontext.AllowInvalidUTF8(true))
}

// wrong finds something wrong with a member.
func (l *recordLine) wrong(code diag.Code, m member, format string, args ...any) {
	at := around(m.pieces())
	l.find(diag.New(code, diag.Bytes(l.Offset+at.Start, l.Offset+at.End), format, args...))
}

// dialectOf takes the dialect that the record says it is in.
func (l *recordLine) dialectOf(m member) {
	if !m.exists() {
		return
	}
	name := string(m.text())
	format, isFormat := wire.FormatNamed(name)
	d, isDialect := dialect.Named(name)
	if !isFormat && !isDialect && name != "auto" {
		l.wrong(diag.BadDialect, m, "there is no dialect %s", wire.Excerpt(string(m.raw)))
		l.findings[len(l.findings)-1].Hint = dialect.Meant(name, wire.FormatNames()...)
		return
	}
	l.o.Format, l.o.Dialect = format, d
}

// toolsOf takes the definitions that the record brings.
func (l *recordLine) toolsOf(m member, known *toolsets) {
	if !m.exists() {
		return
	}
	set, err := known.get(string(m.text()))
	if err != nil {
		l.wrong(diag.BadTools, m, "the tools cannot be read: %v", err)
		return
	}
	l.o.Tools, l.o.shapes = set.registry, set.shapes
}

// response reads the response that stands in the record, at a path.
func (l *recordLine) response(m member, path string) {
	switch {
	case len(m.raw) == 0:
		l.why = noResponse
		l.wrong(diag.NoResponse, m, "there is nothing at %s", path)
	case strings.IndexByte(`"{[`, m.raw[0]) < 0:
		l.why = noResponse
		l.wrong(diag.NoResponse, m, "at %s stands %s, which is no response", path, wire.Excerpt(string(m.raw)))
	default:
		l.take(l.o.response(m.text()), l.Text, m.pieces())
	}
}

// noResponse is in the place of how a dialect was told.
const noResponse = "the record has no response"
