package schema

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"oneshot/pkg/diag"
)

// Bounds on a schema: compiling takes time that grows with the square of the
// number of subschemas, about a second at this number.
const (
	MaxBytes       = 1 << 18 // of its text
	maxSubschemas  = 8192    // subschemas
	maxOutsideRefs = 2 << 20 // references to places outside of "$defs" and its like, times subschemas
)

// baseURL is the URL of every schema. Nothing is loaded from it.
const baseURL = "oneshot:///schema"

// Compile compiles a schema: JSON Schema 2020-12, or the draft in its "$schema". Known formats are asserted, not only
// annotated. An invalid schema gives nil and findings in the named file: [diag.NotJSON] for invalid JSON, otherwise
// one about the schema.
func Compile(name string, raw []byte) (*Schema, []diag.Finding) {
	return CompileSubschema(name, raw, "")
}

// CompileSubschema is [Compile] for the subschema at a JSON pointer.
func CompileSubschema(name string, raw []byte, at string) (*Schema, []diag.Finding) {
	s, findings := compile(raw, at)
	for i := range findings {
		findings[i].File = name
	}
	return s, findings
}

func compile(raw []byte, at string) (*Schema, []diag.Finding) {
	if len(raw) > MaxBytes {
		return nil, reportViolations(diag.BadSchema, nil, []Violation{{Message: "a schema may have at most " + countNoun(MaxBytes, "byte")}})
	}
	if fault := CheckStrict(raw); fault != nil {
		return nil, []diag.Finding{*fault}
	}
	doc, err := decodeExact(raw)
	if err != nil {
		return nil, []diag.Finding{diag.New(diag.NotJSON, diag.Bytes(0, len(raw)), "%v", err)}
	}
	if why := schemaTooLargeText(doc); why != "" {
		return nil, reportViolations(diag.BadSchema, nil, []Violation{{Message: why}})
	}
	patterns := newPatternCompiler()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(denyingLoader{})
	c.UseRegexpEngine(patterns.compile)
	if err := c.AddResource(baseURL, doc); err != nil {
		return nil, []diag.Finding{diag.New(diag.BadSchema, diag.Bytes(0, len(raw)), "%v", err)}
	}
	s := &Schema{raw: raw, doc: doc, meter: &stepMeter{}}
	var violations []Violation
	if err = s.compile(c, at); err == nil && len(patterns.invalid) == 0 {
		violations = s.installCostMeter(c, patterns)
	} else {
		violations = explainSchema(doc, err, patterns)
	}
	s.shape = sync.OnceValue(func() *Shape { return newDocumentShape(s.compiled) })
	if patterns.done = true; violations == nil {
		return s, nil
	}
	locateViolations(raw, violations)
	return nil, reportViolations(diag.BadSchema, raw, violations)
}

func (s *Schema) compile(c *jsonschema.Compiler, at string) (err error) {
	if s.compiled, err = c.Compile(schemaURL(at)); err == nil {
		s.negated, err = compileNegated(c, at)
	}
	return err
}

// compileNegated compiles the negation of the subschema at a JSON pointer. With it the validator only decides whether
// a document fits and collects no errors.
func compileNegated(c *jsonschema.Compiler, at string) (*jsonschema.Schema, error) {
	const url = "oneshot:///misfit"
	if err := c.AddResource(url, map[string]any{"not": map[string]any{"$ref": schemaURL(at)}}); err != nil {
		return nil, err
	}
	return c.Compile(url)
}

// schemaTooLargeText returns why a decoded schema would take too long to compile, or "".
func schemaTooLargeText(doc any) string {
	n := countSubschemas(doc)
	if n > maxSubschemas {
		return fmt.Sprintf("a schema may have at most %d subschemas, this one could have %d", maxSubschemas, n)
	}
	if refs := countNonSchemaRefs(doc); refs*n > maxOutsideRefs {
		return fmt.Sprintf("%d references point outside of schema positions, too many for a schema of this size; move their targets below \"$defs\"", refs)
	}
	return ""
}

// countSubschemas counts the objects and booleans of a decoded document, which could be subschemas. The depth of
// documents bounds the recursion.
func countSubschemas(doc any) int {
	n := 0
	switch v := doc.(type) {
	case bool:
		return 1
	case []any:
		for _, item := range v {
			n += countSubschemas(item)
		}
	case map[string]any:
		n = 1
		for _, item := range v {
			n += countSubschemas(item)
		}
	}
	return n
}

// countNonSchemaRefs counts the references to places that become subschemas only by being referenced. For each of them
// the compiler copies its state.
func countNonSchemaRefs(doc any) int {
	known, outside := map[string]bool{}, map[string]bool{}
	eachSchema(doc, func(path []string, object map[string]any) {
		known["#"+joinPointer(path...)] = true
	})
	explainMembers(doc, func(path []string, value any) string {
		ref, _ := value.(string)
		if path[len(path)-1] == "$ref" && strings.HasPrefix(ref, "#/") && !known[ref] {
			outside[ref] = true
		}
		return ""
	})
	return len(outside)
}

// errDenied is the error of every load.
var errDenied = errors.New("other documents are never loaded")

// A denyingLoader loads nothing: a schema must not reach files or hosts.
type denyingLoader struct{}

func (denyingLoader) Load(string) (any, error) { return nil, errDenied }

// explainSchema describes why a schema does not compile.
func explainSchema(doc any, err error, bad *patternCompiler) []Violation {
	out := explainMembers(doc, bad.patternFault)
	if err == nil {
		return out
	}
	var invalid *jsonschema.SchemaValidationError
	var wrong *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &wrong) {
		_, at, _ := strings.Cut(invalid.URL, "#")
		r := errorReader{value: valueAt(doc, splitPointer(at))}
		for _, v := range r.violations(wrong) {
			v.Path = at + v.Path
			out = append(out, v)
		}
		return out
	}
	refs := explainMembers(doc, referenceChecker{doc: doc, err: err}.explain)
	if len(refs) == 0 {
		refs = []Violation{{Keyword: "schema", Message: strings.ReplaceAll(err.Error(), baseURL, "")}}
	}
	return append(out, refs...)
}
