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
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
)

// FieldPaths are gjson paths to the parts of a JSON Lines record.
type FieldPaths struct {
	Response string // a text, an encoded body or a body; "": detect
	Tools    string // a list of functions, see [tool.ParseFunctions]; "" for none
	Dialect  string // the name of a dialect or format, or "auto"; "" for none
	ID       string // the record's own ID; "" for none
}

// RecordReader reads the records of JSON Lines files. It is safe for concurrent use.
type RecordReader struct {
	response, tools, dialect, id path
	options                      Options
	toolsets                     *toolsetCache
}

// NewRecordReader returns a reader of records. The options apply where a record does not override them.
func NewRecordReader(f FieldPaths, o Options) *RecordReader {
	o.shapes = o.toolShapes()
	return &RecordReader{newPath(f.Response), newPath(f.Tools), newPath(f.Dialect), newPath(f.ID), o, newToolsetCache()}
}

// Read returns the records of some lines of a file. Blank lines are skipped.
func (r *RecordReader) Read(file string, lines Chunk) iter.Seq[ParseResult] {
	return func(yield func(ParseResult) bool) {
		for line := range lines.EachLine() {
			if len(bytes.TrimSpace(line.Bytes)) > 0 && !yield(r.readRecord(file, line, lines.Truncated)) {
				return
			}
		}
	}
}

// Fix applies the safe fixes in the records of some lines, like the function [Fix]. It returns all
// lines; blank ones have no record.
func (r *RecordReader) Fix(file string, lines Chunk) iter.Seq[Fixed[ParseResult]] {
	return func(yield func(Fixed[ParseResult]) bool) {
		for line := range lines.EachLine() {
			fixed := Fixed[ParseResult]{Original: line.Bytes, Text: line.Bytes}
			if len(bytes.TrimSpace(line.Bytes)) > 0 {
				fixed = fixRecord(r.readRecord(file, line, lines.Truncated), func(text diag.Text) ParseResult { return r.readRecord(file, text, lines.Truncated) })
			}
			if !yield(fixed) {
				return
			}
		}
	}
}

// readRecord reads one line.
func (r *RecordReader) readRecord(file string, line diag.Text, cut bool) ParseResult {
	text := line
	text.Bytes = bytes.TrimRight(line.Bytes, "\r\n")
	if line.Offset == 0 && bytes.HasPrefix(text.Bytes, []byte(byteOrderMark)) {
		text.Bytes, text.Offset = text.Bytes[len(byteOrderMark):], len(byteOrderMark)
	}
	l := recordLine{Text: text, o: r.options}
	id := ""
	if l.validate(cut) {
		if m := r.id.lookup(text.Bytes); m.isPresent() {
			id = string(m.unquoted())
		}
		l.useDialect(r.dialect.lookup(text.Bytes))
		l.useTools(r.tools.lookup(text.Bytes), r.toolsets)
		if r.response.text == "" {
			l.detectResponse()
		} else {
			l.useResponse(r.response.lookup(text.Bytes), r.response.text)
		}
	}
	out := l.scanResult.checkAndConvert(file, line, l.o)
	out.Record, out.ID = line.LinesBefore+1, id
	return out
}

// A recordLine is a line of JSON that is being read.
type recordLine struct {
	diag.Text
	o Options
	scanResult
}

// validate reports a line that is not JSON or too long, and returns whether it can be read. Invalid
// UTF-8 is accepted here; later checks report it where it matters.
func (l *recordLine) validate(cut bool) bool {
	switch {
	case cut || len(l.Bytes) > MaxRecordBytes:
		l.why = "the line is too long"
		l.report(diag.New(diag.LargeRecord, diag.Bytes(l.Offset, l.Offset), "the line is longer than %d MiB", MaxRecordBytes>>20))
		return false
	case isJSONLine(l.Bytes):
		return true
	}
	var v jsontext.Value
	err := json.Unmarshal(l.Bytes, &v, jsontext.AllowInvalidUTF8(true))
	at, syntax := l.Offset, new(jsontext.SyntacticError)
	if errors.As(err, &syntax) {
		at, err = at+int(syntax.ByteOffset), syntax.Err
	}
	l.why = "the line is not JSON"
	l.report(diag.New(diag.BadRecord, diag.Bytes(at, at), "the line is not JSON: %v", err))
	return false
}

// isJSONLine reports whether a line is valid JSON.
func isJSONLine(line []byte) bool {
	return isCertainlyObject(line) || jsontext.Value(line).IsValid(jsontext.AllowInvalidUTF8(true))
}

// reportMember reports a finding at a member.
func (l *recordLine) reportMember(code diag.Code, m locatedValue, format string, args ...any) {
	at := pieceBounds(m.valueSegments())
	l.report(diag.New(code, diag.Bytes(l.Offset+at.Start, l.Offset+at.End), format, args...))
}

// useDialect sets the dialect or format that the record names.
func (l *recordLine) useDialect(m locatedValue) {
	if !m.isPresent() {
		return
	}
	name := string(m.unquoted())
	protocol := provider.ProtocolNamed(name)
	d, isDialect := dialect.Lookup(name)
	if protocol == nil && !isDialect && name != "auto" {
		l.reportMember(diag.BadDialect, m, "unknown dialect %s", wire.Excerpt(string(m.raw)))
		l.findings[len(l.findings)-1].Hint = dialect.DidYouMean(name, provider.ProtocolNames()...)
		return
	}
	l.o.Protocol, l.o.Dialect = protocol, d
}

// useTools sets the tools that the record defines.
func (l *recordLine) useTools(m locatedValue, known *toolsetCache) {
	if !m.isPresent() {
		return
	}
	set, err := known.getOrParse(string(m.unquoted()))
	if err != nil {
		l.reportMember(diag.BadTools, m, "invalid tools: %v", err)
		return
	}
	l.o.Tools, l.o.shapes = set.registry, set.shapes
}

// useResponse reads the response at the record's response path.
func (l *recordLine) useResponse(m locatedValue, path string) {
	switch {
	case len(m.raw) == 0:
		l.why = whyNoResponse
		l.reportMember(diag.NoResponse, m, "no value at %s", path)
	case strings.IndexByte(`"{[`, m.raw[0]) < 0:
		l.why = whyNoResponse
		l.reportMember(diag.NoResponse, m, "the value at %s is not a response: %s", path, wire.Excerpt(string(m.raw)))
	default:
		l.setFromEmbedded(l.o.readResponse(m.unquoted()), l.Text, m.valueSegments())
	}
}

// whyNoResponse is the dialect reason of a record without a response.
const whyNoResponse = "the record has no response"
