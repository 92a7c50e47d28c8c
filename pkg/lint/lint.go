// Package lint is what the commands parse and validate do: it reads captured
// responses and other files, checks them, and collects findings.
//
// It opens no files, prints nothing and does not decide what a finding means
// for an exit code. It runs nothing that it reads.
package lint

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
	"oneshot/pkg/wire"
)

// Options say how a response is read.
type Options struct {
	Dialect   dialect.Dialect   // of a text; the zero value: told from it
	Format    wire.Format       // of the response of a server; the zero value: told from it
	Reasoning dialect.Reasoning // where the text may hold what its model thinks
	Tools     *tool.Registry    // nil: calls are not held against definitions
	Coerce    bool              // arguments become what the definitions say, where nothing is lost by it
	Context   *dialect.Heard    // what the model was told by others than its user; nil: not known
	NeedsCall bool              // a response without a call is a fault
	Strict    bool              // a fault that would be tolerated is an error

	shapes dialect.Toolset // of Tools, made once where many records are read
}

// A Record is what was read in one captured response. Its JSON form is
// published as the schema parse_result.v1.
type Record struct {
	File      string         `json:"file"`
	Record    int            `json:"record,omitempty"` // where a file holds several: its line
	ID        string         `json:"id,omitempty"`     // what the record calls itself
	Dialect   string         `json:"dialect"`          // "" if no response could be read
	Why       string         `json:"why"`              // how the dialect was told
	Content   string         `json:"content"`          // the text outside calls
	Reasoning string         `json:"reasoning"`        // what the model thinks, outside calls
	Calls     []Call         `json:"calls"`
	Findings  []diag.Finding `json:"findings"` // by place
	// FindingsCut counts findings that a report leaves out of the list.
	FindingsCut int `json:"findings_cut,omitempty"`
	// Text is what the places of calls and findings are in.
	Text diag.Text `json:"-"`
}

// text reads a text. A byte order mark in front is no part of it.
func (o Options) text(src []byte) reading {
	plain, marked := bytes.CutPrefix(src, []byte(orderMark))
	if !marked {
		return o.plain(src)
	}
	var r reading
	r.take(o.plain(plain), diag.Text{Bytes: src}, []wire.Piece{{Start: len(orderMark), End: len(src)}})
	return r
}

// plain reads a text that begins with its first byte.
func (o Options) plain(src []byte) reading {
	tools := o.toolset()
	found := dialect.ScanBytes(src, dialect.Options{Dialect: o.Dialect, Reasoning: o.Reasoning, Tools: tools})
	r := reading{
		dialect: found.Dialect.Name, why: found.Why, content: found.Content, reasoning: found.Reasoning,
		calls: found.Calls, findings: found.Findings,
	}
	r.origins = make([]origin, len(found.Calls))
	for i, c := range found.Calls {
		r.origins[i] = origin{text: c.Text, args: c.Arguments, tools: tools, base: c.Start, name: found.Names[i]}
	}
	if o.Dialect.Name != "" {
		r.others(src, o)
	}
	if len(r.calls) == 0 {
		if f, ok := o.escaped(src); ok {
			r.find(f)
		}
		r.behindText(src, tools)
	}
	r.encoding(src)
	return r
}

// record checks the calls that were read. Places of them, and of what is wrong with
// them, are bytes of the file.
func (r reading) record(file string, text diag.Text, o Options) Record {
	out := Record{
		File: file, Dialect: r.dialect, Why: r.why, Content: r.content, Reasoning: r.reasoning,
		Calls: make([]Call, 0, len(r.calls)), Findings: []diag.Finding{}, Text: text,
	}
	places := text.Lines()
	out.read(r.calls, places)
	if o.Tools != nil {
		out.bind(r, o)
	}
	if o.NeedsCall && len(r.calls) == 0 && r.dialect != "" {
		out.adopt([]diag.Finding{diag.New(diag.NoCall, diag.Bytes(text.Offset, text.Offset), "the response calls no tool")})
	}
	out.adopt(r.findings)
	out.repairs()
	out.values(r.origins)
	out.marked(text)
	places.LocateAll(out.Findings)
	out.repeats(r.origins)
	if o.Context != nil {
		out.echoes(r.origins, o.Context)
	}
	if o.Strict {
		diag.Tighten(out.Findings)
	}
	out.settle()
	return out
}

// toolset returns what the definitions of tools say about the types of arguments,
// for dialects that write all values as text.
func (o Options) toolset() dialect.Toolset {
	if o.shapes != nil || o.Tools == nil {
		return o.shapes
	}
	set := dialect.Toolset{}
	for _, d := range o.Tools.All() {
		set[d.Name] = dialect.ShapeOf(d.Schema)
	}
	return set
}

// encoding reports bytes of the text outside calls that are not UTF-8: the first one,
// and how many there are. Those in calls have been reported by the scanner.
func (r *reading) encoding(src []byte) {
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
	r.find(f)
}

// settle gives each finding its file and each call what its findings mean for
// it.
func (r *Record) settle() {
	for i, f := range r.Findings {
		r.Findings[i].File = r.File
		if f.Call != nil && f.Severity == diag.Error {
			r.Calls[*f.Call].Executable = false
		}
	}
	diag.Sort(r.Findings)
	r.bound()
}

// bound keeps the first [dialect.MaxKept] findings of the record, and what says that a
// reader has kept no more. What the others mean for their calls has been said.
func (r *Record) bound() {
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
		f := diag.New(diag.TooMany, first.Span, "%d more findings are not shown, this is the place of the first", len(beyond))
		f.File = first.File
		kept = append(kept, f)
	}
	r.Findings = kept
}
