package lint

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/policy"
	"oneshot/pkg/runfile"
	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
)

// A Verdict is what was found in one file.
type Verdict struct {
	File     string
	Kind     Kind
	Count    int // of what the kind has a [Kind.Noun] for
	Findings []diag.Finding
	Policy   *policy.Layer // what a policy without a fault says
}

// A Checker checks files that belong together: a tool may be defined once in all
// of them.
type Checker struct {
	answers *schema.Schema
	loader  tool.Loader
	missing Missing
	names   *tool.Registry
	known   *tool.Registry // that policies can have rules for
	compile func(json.RawMessage, *tool.Registry) (*policy.Layer, []diag.Finding)
	schemas map[string]*schema.Schema // published ones, by name and part
}

// NewChecker returns a checker that holds answers against a schema, which may
// be nil where no answers are checked, and reads definitions with a loader. Missing
// is what records in the form v1 do not say. Known are the tools that policies can have
// rules for; if it is nil, their names are not checked and their tests not made.
func NewChecker(answers *schema.Schema, loader tool.Loader, missing Missing, known *tool.Registry) *Checker {
	names, _ := tool.NewRegistry() // there is nothing to find in no definitions
	return &Checker{answers: answers, loader: loader, missing: missing, names: names, known: known, compile: policy.Compile, schemas: map[string]*schema.Schema{}}
}

// AnyTools lets policies have rules for tools that are not known. They are not checked.
func (c *Checker) AnyTools() { c.compile = policy.CompileForAny }

// File checks a file of one kind. Nothing in it is run, and no other file is
// read.
func (c *Checker) File(name string, src []byte, kind Kind) Verdict {
	v := Verdict{File: name, Kind: kind}
	switch kind {
	case Definition:
		c.definitions(&v, src)
	case RunFile:
		v.records(src)
	case Schema:
		_, v.Findings = schema.Compile(name, src)
		v.Findings = append(v.Findings, schema.Misspelt(src)...)
	case Answer:
		c.answersIn(&v, src)
	case Events:
		c.events(&v, src)
	case Unknown:
		v.Findings = untold(name, src)
	default:
		c.documents(&v, src)
	}
	diag.NewLines(src).LocateAll(v.Findings)
	for i := range v.Findings {
		v.Findings[i].File = name
	}
	diag.Sort(v.Findings)
	return v
}

func (c *Checker) definitions(v *Verdict, src []byte) {
	defs, findings := c.loader.Parse(v.File, src)
	v.Count, v.Findings = len(defs), findings
	for _, d := range defs {
		v.Findings = append(v.Findings, c.names.Register(d)...)
	}
}

// answersIn checks an answer, or several in JSON Lines.
func (c *Checker) answersIn(v *Verdict, src []byte) {
	if !hasLines(src) {
		v.Findings = c.answers.Check(src)
		return
	}
	var found collection
	readLines(src, func(d document) {
		v.Count++
		for _, f := range c.answers.Check(d.json) {
			f.Span = diag.Bytes(d.offset+f.Span.Start, d.offset+f.Span.End)
			found.add(f)
		}
	})
	v.Findings = found.all()
}

// documents checks a file whose documents a published schema describes.
func (c *Checker) documents(v *Verdict, src []byte) {
	var found collection
	form := v.Kind.form()
	found.add(form.layout.read(v.File, src, func(d document) {
		findings, _ := c.document(d, form)
		if v.Kind == Policy && len(findings) == 0 {
			findings = c.policy(v, d)
		}
		found.add(findings...)
		v.Count++
	})...)
	v.Findings = found.all()
}

// policy checks what a policy says, which has the form of one. A name that is wrong has its
// finding at the key.
func (c *Checker) policy(v *Verdict, d document) []diag.Finding {
	var faults []diag.Finding
	v.Policy, faults = c.compile(d.json, c.known)
	var paths []string
	for _, f := range faults {
		paths = append(paths, f.Path)
	}
	spots := schema.Locate(d.json, paths)
	for i := range faults {
		f := &faults[i]
		at := schema.Violation{Path: f.Path, Span: spots[f.Path].Value}
		if f.Code == diag.PolicyTool || f.Code == diag.PolicyArgument || f.Code == diag.PolicyUnheld {
			slash := strings.LastIndexByte(f.Path, '/')
			at = schema.Violation{Path: f.Path[:slash], Key: f.Path[slash+1:], AtKey: true, Span: spots[f.Path].Name}
		}
		f.Span = d.place(at)
	}
	return faults
}

// events checks the events of a run, and their order.
func (c *Checker) events(v *Verdict, src []byte) {
	var found collection
	var order sequence
	whole, torn := untorn(src)
	form := v.Kind.form()
	readLines(whole, func(d document) {
		findings, strict := c.document(d, form)
		if strict {
			findings = append(findings, order.event(d)...)
		}
		found.add(findings...)
		v.Count++
	})
	if len(torn) == 0 {
		torn = order.end()
	}
	found.add(torn...)
	v.Findings = found.all()
}

// maxListed bounds how many findings of one code are kept of a file.
const maxListed = 50_000

// A collection is what is found in a file, within bounds.
type collection struct {
	findings []diag.Finding
	count    map[diag.Code]int
	cut      map[diag.Code]diag.Finding // the first that is not kept
}

func (c *collection) add(findings ...diag.Finding) {
	if c.count == nil {
		c.count, c.cut = map[diag.Code]int{}, map[diag.Code]diag.Finding{}
	}
	for _, f := range findings {
		switch c.count[f.Code]++; {
		case c.count[f.Code] <= maxListed:
			c.findings = append(c.findings, f)
		case c.count[f.Code] == maxListed+1:
			c.cut[f.Code] = f
		}
	}
}

// all returns the findings, and one more of each code of which not all are kept.
func (c *collection) all() []diag.Finding {
	for code, first := range c.cut {
		c.findings = append(c.findings, diag.New(code, first.Span, "%d more of these are not listed", c.count[code]-maxListed))
	}
	return c.findings
}

// document holds a document against its schema, all but the records in the form v1
// in it. Strict reports whether it is JSON at all.
func (c *Checker) document(d document, f form) (findings []diag.Finding, strict bool) {
	violations, faults := c.published(f.schema, f.part(d)).Violations(d.json)
	if len(faults) > 0 {
		return d.faults(faults), false
	}
	old := map[string]bool{}
	if f.calls {
		for _, r := range d.v1Records() {
			old[r.at.path] = true
			findings = append(findings, r.findings(c.missing)...)
		}
	}
	violations = slices.DeleteFunc(violations, func(v schema.Violation) bool { return isWithin(v.Path, old) })
	for i, v := range violations {
		if f.kind == Message && v.AtKey && (v.Key == "tool_calls" || v.Key == "tool_call_id") {
			violations[i].Hint = "this is how OpenAI writes messages; here a call stands with its result in toolCalls"
		}
	}
	return append(findings, d.misfits(violations)...), true
}

// isWithin reports whether a JSON pointer leads to one of some values or into it.
func isWithin(path string, values map[string]bool) bool {
	for ; path != ""; path = path[:strings.LastIndexByte(path, '/')] {
		if values[path] {
			return true
		}
	}
	return values[""]
}

// published returns a part of a published schema.
func (c *Checker) published(name, part string) *schema.Schema {
	if c.schemas[name+part] == nil {
		text, _ := schema.Text(name)
		c.schemas[name+part], _ = schema.CompilePart(name, text, part) // they compile, as a test holds
	}
	return c.schemas[name+part]
}

// Record checks a run file of any size, of which it keeps little. Its error is one of reading.
func (c *Checker) Record(name string, src io.ReadSeeker) (Verdict, error) {
	v := Verdict{File: name, Kind: RunFile}
	var found collection
	var err error
	v.Count, err = runfile.Check(name, src, func(f diag.Finding) { found.add(f) })
	v.Findings = found.all()
	diag.Sort(v.Findings)
	return v, err
}

func (v *Verdict) records(src []byte) {
	log, err := runfile.Read(bytes.NewReader(src))
	v.Count = len(log.Records)
	v.Findings = runfile.Findings(v.File, log, err) // reading from memory, err is damage or nil
}
