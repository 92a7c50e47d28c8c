// Package lint is what the commands parse and validate do: it reads captured
// responses and other files, checks them, and collects findings.
//
// It opens no files, prints nothing and does not decide what a finding means
// for an exit code. It runs nothing that it reads.
package lint

import (
	"fmt"
	"unicode/utf8"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/tool"
	"oneshot/pkg/wire"
)

// Options say how a response is read.
type Options struct {
	Dialect   dialect.Dialect   // of a text; the zero value: told from it
	Format    wire.Format       // of the response of a server; the zero value: told from it
	Reasoning dialect.Reasoning // where the text may hold what its model thinks
	Tools     *tool.Registry    // nil: calls are not held against definitions
	Strict    bool              // a fault that would be tolerated is an error
}

// A Record is what was read in one captured response. Its JSON form is
// published as the schema parse_result.v1.
type Record struct {
	File      string         `json:"file"`
	Dialect   string         `json:"dialect"`
	Why       string         `json:"why"`       // how the dialect was told
	Content   string         `json:"content"`   // the text outside calls
	Reasoning string         `json:"reasoning"` // what the model thinks, outside calls
	Calls     []Call         `json:"calls"`
	Findings  []diag.Finding `json:"findings"` // by place
	// FindingsCut counts findings that a report leaves out of the list.
	FindingsCut int `json:"findings_cut,omitempty"`
}

// Text reads a captured response of that name and checks its calls. A text that
// is not UTF-8 is reported and read all the same.
func Text(file string, src []byte, o Options) Record {
	reading := dialect.Scan(string(src), dialect.Options{Dialect: o.Dialect, Reasoning: o.Reasoning, Tools: shapes(o.Tools)})
	r := Record{
		File: file, Dialect: reading.Dialect.Name, Why: reading.Why, Content: reading.Content, Reasoning: reading.Reasoning,
		Calls: []Call{}, Findings: []diag.Finding{},
	}
	r.finish(src, reading.Calls, reading.Findings, o)
	return r
}

// finish takes in the calls that were read, and what is wrong with them, and checks them.
func (r *Record) finish(src []byte, calls []chat.Call, findings []diag.Finding, o Options) {
	places := diag.NewLines(src)
	r.read(calls, places)
	if o.Tools != nil {
		r.bind(calls, o.Tools)
	}
	r.adopt(findings)
	places.LocateAll(r.Findings)
	r.repeats()
	r.encoding(src)
	if o.Strict {
		diag.Tighten(r.Findings)
	}
	r.settle()
}

// shapes returns what the definitions of tools say about the types of arguments,
// for dialects that write all values as text.
func shapes(tools *tool.Registry) dialect.Toolset {
	if tools == nil {
		return nil
	}
	set := dialect.Toolset{}
	for _, d := range tools.All() {
		set[d.Name] = dialect.ShapeOf(d.Schema)
	}
	return set
}

// encoding reports bytes outside calls that are not UTF-8: the first one, and
// how many there are. Those in calls have been reported by the scanner.
func (r *Record) encoding(src []byte) {
	first, count, next := 0, 0, 0
	for at := 0; at < len(src); {
		if next < len(r.Calls) && at >= r.Calls[next].Span.Start {
			at, next = max(at, r.Calls[next].Span.End), next+1
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
	f := diag.New(diag.InvalidUTF8, diag.NewLines(src).Locate(diag.Bytes(first, first+1)), "byte %#02x is not UTF-8", src[first])
	if count > 1 {
		f.Message += fmt.Sprintf(", nor are %d more outside calls", count-1)
	}
	r.Findings = append(r.Findings, f)
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
}
