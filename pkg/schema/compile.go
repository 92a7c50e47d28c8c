package schema

import (
	"errors"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"oneshot/pkg/diag"
)

// MaxBytes bounds the text of a schema: compiling takes time that grows with
// the square of the number of subschemas, some seconds at this size.
const MaxBytes = 1 << 18

// base is the URL of every schema. Nothing is ever loaded from it.
const base = "oneshot:///schema"

// Compile reads a schema: JSON Schema 2020-12, or the draft that its "$schema"
// names. Known formats are checked, not only noted. A schema that is wrong
// gives nil and findings in the file of that name: [diag.NotJSON] where it is
// not strict JSON, [diag.BadSchema] otherwise.
func Compile(name string, raw []byte) (*Schema, []diag.Finding) { return CompilePart(name, raw, "") }

// CompilePart is [Compile] for the subschema at a JSON pointer.
func CompilePart(name string, raw []byte, at string) (*Schema, []diag.Finding) {
	s, findings := compile(raw, at)
	for i := range findings {
		findings[i].File = name
	}
	return s, findings
}

func compile(raw []byte, at string) (*Schema, []diag.Finding) {
	if len(raw) > MaxBytes {
		return nil, report(diag.BadSchema, nil, []Violation{{Message: "a schema may have at most " + count(MaxBytes, "byte")}})
	}
	if fault := Strict(raw); fault != nil {
		return nil, []diag.Finding{*fault}
	}
	doc, err := decode(raw)
	if err != nil {
		return nil, []diag.Finding{diag.New(diag.NotJSON, diag.Bytes(0, len(raw)), "%v", err)}
	}
	patterns := &patterns{bad: map[string]string{}}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(deny{})
	c.UseRegexpEngine(patterns.compile)
	if err := c.AddResource(base, doc); err != nil {
		return nil, []diag.Finding{diag.New(diag.BadSchema, diag.Bytes(0, len(raw)), "%v", err)}
	}
	compiled, err := c.Compile(base + "#" + (&url.URL{Fragment: at}).EscapedFragment())
	patterns.done = true
	if err == nil && len(patterns.bad) == 0 {
		return &Schema{raw: raw, doc: doc, compiled: compiled}, nil
	}
	violations := explainSchema(doc, err, patterns)
	place(raw, violations)
	return nil, report(diag.BadSchema, raw, violations)
}

// errDenied is the error of every load.
var errDenied = errors.New("other documents are never loaded")

// deny is a loader that loads nothing: a schema must not reach files or hosts.
type deny struct{}

func (deny) Load(string) (any, error) { return nil, errDenied }

// explainSchema words why a schema does not compile.
func explainSchema(doc any, err error, bad *patterns) []Violation {
	out := members(doc, bad.explain)
	if err == nil {
		return out
	}
	var invalid *jsonschema.SchemaValidationError
	var wrong *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &wrong) {
		_, at, _ := strings.Cut(invalid.URL, "#")
		r := reader{value: lookup(doc, tokens(at))}
		for _, v := range r.read(wrong) {
			v.Path = at + v.Path
			out = append(out, v)
		}
		return out
	}
	refs := members(doc, references{doc: doc, err: err}.explain)
	if len(refs) == 0 {
		refs = []Violation{{Keyword: "schema", Message: strings.ReplaceAll(err.Error(), base, "")}}
	}
	return append(out, refs...)
}
