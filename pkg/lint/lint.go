// Package lint reads and checks captured responses and other files, and collects findings, for the
// commands parse and validate.
//
// It opens no files, prints nothing, executes nothing that it reads, and does not map findings to
// exit codes.
package lint

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/dialect/echo"
	"oneshot/pkg/provider/wire"
	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
)

// Options control how a response is read.
type Options struct {
	Dialect     dialect.Dialect   // of a text; zero: detect
	Protocol    *wire.Protocol    // of a server's response; nil: detect
	Reasoning   dialect.Reasoning // where the text may hold reasoning
	Tools       *tool.Registry    // nil: calls are not checked against definitions
	Coerce      bool              // convert arguments to their declared types if that is lossless
	Context     *echo.SeenText    // untrusted text in the model's context; nil: unknown
	RequireCall bool              // a response without a call is an error
	Strict      bool              // warnings become errors

	shapes dialect.Toolset // of Tools, cached for many records
}

// A ParseResult is the result of reading one captured response. Its JSON form is published as the schema
// parse_result.v1.
type ParseResult struct {
	File      string         `json:"file"`
	Record    int            `json:"record,omitempty"` // its line, if the file holds several
	ID        string         `json:"id,omitempty"`     // the record's own ID
	Dialect   string         `json:"dialect"`          // "" if no response could be read
	Why       string         `json:"why"`              // why this dialect was chosen
	Content   string         `json:"content"`          // text outside calls
	Reasoning string         `json:"reasoning"`        // reasoning outside calls
	Calls     []Call         `json:"calls"`
	Findings  []diag.Finding `json:"findings"` // by position
	// FindingsCut counts findings that a report omits from the list.
	FindingsCut int `json:"findings_cut,omitempty"`
	// Text is the text that the spans of calls and findings point into.
	Text diag.Text `json:"-"`
}

// readText reads a text without its byte order mark.
func (o Options) readText(src []byte) scanResult {
	plain, marked := bytes.CutPrefix(src, []byte(byteOrderMark))
	if !marked {
		return o.readPlainText(src)
	}
	var r scanResult
	r.setFromEmbedded(o.readPlainText(plain), diag.Text{Bytes: src}, []wire.Segment{{Start: len(byteOrderMark), End: len(src)}})
	return r
}

// readPlainText reads a text that has no byte order mark.
func (o Options) readPlainText(src []byte) scanResult {
	tools := o.toolShapes()
	found := dialect.ScanBytes(src, dialect.Options{Dialect: o.Dialect, Reasoning: o.Reasoning, Tools: tools})
	r := scanResult{
		dialect: found.Dialect.Name, why: found.Why, content: found.Content, reasoning: found.Reasoning,
		calls: found.Calls, findings: found.Findings,
	}
	r.origins = make([]origin, len(found.Calls))
	for i, c := range found.Calls {
		r.origins[i] = origin{text: c.Text, args: c.Arguments, tools: tools, offset: c.Start, nameSpan: found.NameSpans[i]}
	}
	if o.Dialect.Name != "" {
		r.reportOtherDialects(src, o)
	}
	switch {
	case len(r.calls) == 0:
		if f, ok := o.findEscapedResponse(src); ok {
			r.report(f)
		}
		r.reportPythonAfterText(src, tools, found.ReasoningSpans)
		r.reportCallInBrokenJSON(src, o)
	case r.dialect == "pythonic" || r.dialect == "llama4_pythonic": // only the first list is read
		r.reportPythonAfterText(src, tools, found.ReasoningSpans)
	}
	r.checkUTF8(src)
	return r
}

// checkAndConvert checks the calls and returns the record. Its spans are relative to the file.
func (r scanResult) checkAndConvert(file string, text diag.Text, o Options) ParseResult {
	out := ParseResult{
		File: file, Dialect: r.dialect, Why: r.why, Content: r.content, Reasoning: r.reasoning,
		Calls: make([]Call, 0, len(r.calls)), Findings: []diag.Finding{}, Text: text,
	}
	places := text.Lines()
	out.addCalls(r.calls, places)
	if o.Tools != nil {
		out.bindAndCheckCalls(r, o)
	}
	if o.RequireCall && len(r.calls) == 0 && r.dialect != "" {
		out.addFindings([]diag.Finding{diag.New(diag.NoCall, diag.Bytes(text.Offset, text.Offset), "the response has no call")})
	}
	out.addFindings(r.findings)
	out.setRepairCodes()
	out.checkDamagedCharacters(r.origins)
	out.reportByteOrderMark(text)
	places.LocateAll(out.Findings)
	out.reportDuplicates(r.origins)
	if o.Context != nil {
		out.suppressEchoes(r.origins, o)
	}
	if o.Strict {
		diag.WarningsToErrors(out.Findings)
	}
	out.finalize()
	return out
}

// toolShapes returns the argument types of the tools, for dialects that write all values as text.
func (o Options) toolShapes() dialect.Toolset {
	if o.shapes != nil || o.Tools == nil {
		return o.shapes
	}
	set := dialect.Toolset{}
	for _, d := range o.Tools.All() {
		set[d.Name] = d.Shape
	}
	return set
}

// checkUTF8 reports invalid UTF-8 outside calls: the first byte and the count. The scanner has
// already reported it inside calls.
func (r *scanResult) checkUTF8(src []byte) {
	if utf8.Valid(src) {
		return
	}
	first, count, next := 0, 0, 0
	for at := 0; at < len(src); {
		if next < len(r.calls) && at >= r.calls[next].Start {
			at, next = max(at, r.calls[next].End), next+1
			continue
		}
		c, size := utf8.DecodeRune(src[at:])
		if c == utf8.RuneError && size == 1 {
			if count++; count == 1 {
				first = at
			}
		}
		at += size
	}
	if count == 0 {
		return
	}
	f := diag.New(diag.InvalidUTF8, diag.Bytes(first, first+1), "byte %#02x is not UTF-8", src[first])
	f.Hint = schema.EncodingHint(src)
	if count > 1 {
		f.Message += fmt.Sprintf(", nor are %d more outside calls", count-1)
	}
	r.report(f)
}

// finalize sets each finding's file, and makes calls with errors non-executable.
func (r *ParseResult) finalize() {
	for i, f := range r.Findings {
		r.Findings[i].File = r.File
		if f.Call != nil && f.Severity == diag.Error {
			r.Calls[*f.Call].Executable = false
		}
	}
	diag.Sort(r.Findings)
	r.truncateFindings()
}

// truncateFindings keeps the first [dialect.MaxKept] findings and those with code [diag.TooMany].
// The calls of dropped findings have already been updated.
func (r *ParseResult) truncateFindings() {
	if len(r.Findings) <= dialect.MaxKept {
		return
	}
	kept, rest := r.Findings[:dialect.MaxKept:dialect.MaxKept], r.Findings[dialect.MaxKept:]
	var beyond []diag.Finding
	for _, f := range rest {
		if f.Code == diag.TooMany {
			kept = append(kept, f)
		} else {
			beyond = append(beyond, f)
		}
	}
	if len(beyond) > 0 {
		first := beyond[0]
		f := diag.New(diag.TooMany, first.Span, "%d more findings are not shown; this is the position of the first", len(beyond))
		f.File = first.File
		kept = append(kept, f)
	}
	r.Findings = kept
}
