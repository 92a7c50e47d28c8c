package lint

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"oneshot/pkg/agentfile"
	"oneshot/pkg/diag"
	"oneshot/pkg/policy"
	"oneshot/pkg/pricing"
	"oneshot/pkg/runfile"
	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
)

// A FileResult holds the findings of one file.
type FileResult struct {
	File     string
	Kind     Kind
	Count    int // number of [Kind.Noun]
	Findings []diag.Finding
	Policy   *policy.Layer   // the policy, if it is valid
	Agent    *agentfile.File // the agent file, if it is valid
}

// A Checker checks files that belong together: a tool may be defined only once in all of them.
type Checker struct {
	answers *schema.Schema
	loader  tool.Loader
	missing V1Defaults
	names   *tool.Registry
	known   *tool.Registry // tools for which policies can have rules
	compile func(json.RawMessage, *tool.Registry) (*policy.Layer, []diag.Finding)
	schemas map[string]*schema.Schema // published schemas, by name and part
}

// NewChecker returns a checker. Answers is the schema for answers, nil if no answers are checked; the loader reads definitions;
// missing supplies the values that v1 records lack. Known are the tools for which policies can have rules; if it is nil,
// policies' tool names and tests are not checked.
func NewChecker(answers *schema.Schema, loader tool.Loader, missing V1Defaults, known *tool.Registry) *Checker {
	names, _ := tool.NewRegistry() // cannot fail without definitions
	return &Checker{answers: answers, loader: loader, missing: missing, names: names, known: known, compile: policy.Compile, schemas: map[string]*schema.Schema{}}
}

// AllowUnknownTools accepts policy rules for unknown tools.
func (c *Checker) AllowUnknownTools() { c.compile = policy.CompileForAny }

// CheckFile checks a file of one kind. It executes nothing and reads no other file.
func (c *Checker) CheckFile(name string, src []byte, kind Kind) FileResult {
	v := FileResult{File: name, Kind: kind}
	switch kind {
	case Definition:
		c.checkDefinitions(&v, src)
	case RunFile:
		v.checkRunFile(src)
	case Schema:
		_, v.Findings = schema.Compile(name, src)
		v.Findings = append(v.Findings, schema.MisspeltKeywords(src)...)
	case Answer:
		c.checkAnswerFile(&v, src)
	case Events:
		c.checkEvents(&v, src)
	case Unknown:
		v.Findings = unknownKindFindings(name, src)
	default:
		c.checkDocuments(&v, src)
	}
	diag.NewLines(src).LocateAll(v.Findings)
	for i := range v.Findings {
		v.Findings[i].File = name
	}
	diag.Sort(v.Findings)
	return v
}

func (c *Checker) checkDefinitions(v *FileResult, src []byte) {
	defs, findings := c.loader.Parse(v.File, src)
	v.Count, v.Findings = len(defs), findings
	for _, d := range defs {
		v.Findings = append(v.Findings, c.names.Register(d)...)
	}
}

// checkAnswerFile checks an answer, or several in JSON Lines.
func (c *Checker) checkAnswerFile(v *FileResult, src []byte) {
	if !hasObjectLines(src) {
		v.Findings = c.answers.Check(src)
		return
	}
	var found boundedFindings
	readLines(src, func(d document) {
		v.Count++
		for _, f := range c.answers.Check(d.json) {
			f.Span = diag.Bytes(d.offset+f.Span.Start, d.offset+f.Span.End)
			found.add(f)
		}
	})
	v.Findings = found.all()
}

// checkDocuments checks a file whose documents have a published schema.
func (c *Checker) checkDocuments(v *FileResult, src []byte) {
	var found boundedFindings
	form := v.Kind.info()
	found.add(form.layout.readDocuments(v.File, src, func(d document) {
		findings, _ := c.checkDocument(d, form)
		switch {
		case len(findings) > 0:
		case v.Kind == Policy:
			findings = c.checkPolicy(v, d)
		case v.Kind == Agent:
			v.Agent, findings = agentfile.Compile(d.json)
			findings = d.locate(findings)
		case v.Kind == configuration:
			findings = d.locate(priceFindings(d.json))
		}
		found.add(findings...)
		v.Count++
	})...)
	v.Findings = found.all()
}

// checkPolicy checks a policy that fits its schema.
func (c *Checker) checkPolicy(v *FileResult, d document) []diag.Finding {
	var faults []diag.Finding
	v.Policy, faults = c.compile(d.json, c.known)
	return d.locate(faults)
}

// priceFindings returns findings about the prices of a configuration that fits its schema: numbers that are no amounts.
func priceFindings(text json.RawMessage) (findings []diag.Finding) {
	gjson.GetBytes(text, "prices").ForEach(func(model, price gjson.Result) bool {
		if _, err := pricing.ParsePrice([]byte(price.Raw)); err != nil {
			f := diag.New(diag.SchemaMismatch, diag.Span{}, "the price of %s: %v", model.Str, err)
			f.Path = string(jsontext.Pointer("/prices").AppendToken(model.Str))
			findings = append(findings, f)
		}
		return true
	})
	return findings
}

// locate sets the spans of findings from their paths: at the value, or at the key if a policy names it wrongly.
func (d document) locate(findings []diag.Finding) []diag.Finding {
	var paths []string
	for _, f := range findings {
		paths = append(paths, f.Path)
	}
	spots := schema.Locate(d.json, paths)
	for i := range findings {
		f := &findings[i]
		at := schema.Violation{Path: f.Path, Span: spots[f.Path].Value}
		if f.Code == diag.PolicyTool || f.Code == diag.PolicyArgument {
			slash := strings.LastIndexByte(f.Path, '/')
			at = schema.Violation{Path: f.Path[:slash], Key: f.Path[slash+1:], AtKey: true, Span: spots[f.Path].Name}
		}
		f.Span = d.violationSpan(at)
	}
	return findings
}

// checkEvents checks the events of a run and their order.
func (c *Checker) checkEvents(v *FileResult, src []byte) {
	var found boundedFindings
	var order eventOrder
	complete, torn := cutTornLine(src)
	form := v.Kind.info()
	readLines(complete, func(d document) {
		findings, strict := c.checkDocument(d, form)
		if strict {
			findings = append(findings, order.check(d)...)
		}
		found.add(findings...)
		v.Count++
	})
	if len(torn) == 0 {
		torn = order.findingsAtEnd()
	}
	found.add(torn...)
	v.Findings = found.all()
}

// maxFindingsPerCode bounds the findings of one code that are kept per file.
const maxFindingsPerCode = 50_000

// boundedFindings collects the findings of a file up to [maxFindingsPerCode].
type boundedFindings struct {
	findings []diag.Finding
	count    map[diag.Code]int
	cut      map[diag.Code]diag.Finding // the first dropped finding
}

func (c *boundedFindings) add(findings ...diag.Finding) {
	if c.count == nil {
		c.count, c.cut = map[diag.Code]int{}, map[diag.Code]diag.Finding{}
	}
	for _, f := range findings {
		switch c.count[f.Code]++; {
		case c.count[f.Code] <= maxFindingsPerCode:
			c.findings = append(c.findings, f)
		case c.count[f.Code] == maxFindingsPerCode+1:
			c.cut[f.Code] = f
		}
	}
}

// all returns the findings, and one finding for each code that counts the dropped ones.
func (c *boundedFindings) all() []diag.Finding {
	for code, first := range c.cut {
		c.findings = append(c.findings, diag.New(code, first.Span, "%d more findings of this code are not listed", c.count[code]-maxFindingsPerCode))
	}
	return c.findings
}

// checkDocument checks a document against its schema, except for v1 records, which have findings of
// their own. Strict reports whether the document is JSON at all.
func (c *Checker) checkDocument(d document, f kindInfo) (findings []diag.Finding, strict bool) {
	violations, faults := c.publishedSchema(f.schema, f.schemaPart(d)).Violations(d.json)
	if len(faults) > 0 {
		return d.locateFaults(faults), false
	}
	if later, ok := laterVersion(d.json, violations); ok {
		return d.violationFindings([]schema.Violation{later}), true
	}
	old := map[string]bool{}
	if f.hasCalls {
		for _, r := range d.v1Records() {
			old[r.at.path] = true
			findings = append(findings, r.findings(c.missing)...)
		}
	}
	violations = slices.DeleteFunc(violations, func(v schema.Violation) bool { return isWithin(v.Path, old) })
	for i, v := range violations {
		if f.kind == Message && v.AtKey && (v.Key == "tool_calls" || v.Key == "tool_call_id") {
			violations[i].Hint = "this is the OpenAI message format; here toolCalls holds calls with their results"
		}
	}
	return append(findings, d.violationFindings(violations)...), true
}

// laterVersion returns the violation of a document whose format is later than version 1, which all formats have that state one.
// Its other violations are keys and values of that version.
func laterVersion(text []byte, violations []schema.Violation) (schema.Violation, bool) {
	version := gjson.GetBytes(text, "version")
	i := slices.IndexFunc(violations, func(v schema.Violation) bool { return v.Path == "/version" || v.Path == "" && v.Key == "version" })
	if i < 0 || version.Type != gjson.Number || version.Num <= 1 {
		return schema.Violation{}, false
	}
	v := violations[i]
	v.Message, v.Hint = "the format has version "+version.Raw+", and this oneshot reads version 1", "update oneshot"
	return v, true
}

// isWithin reports whether a JSON pointer equals one of some pointers or leads below it.
func isWithin(path string, values map[string]bool) bool {
	for ; path != ""; path = path[:strings.LastIndexByte(path, '/')] {
		if values[path] {
			return true
		}
	}
	return values[""]
}

// publishedSchema returns a part of a published schema.
func (c *Checker) publishedSchema(name, part string) *schema.Schema {
	if c.schemas[name+part] == nil {
		text, _ := schema.PublishedText(name)
		c.schemas[name+part], _ = schema.CompileSubschema(name, text, part) // a test proves that they compile
	}
	return c.schemas[name+part]
}

// CheckRunFile checks a run file of any size in bounded memory. The error is a read error.
func (c *Checker) CheckRunFile(name string, src io.ReadSeeker) (FileResult, error) {
	v := FileResult{File: name, Kind: RunFile}
	var found boundedFindings
	var err error
	v.Count, err = runfile.Check(name, src, func(f diag.Finding) { found.add(f) })
	v.Findings = found.all()
	diag.Sort(v.Findings)
	return v, err
}

func (v *FileResult) checkRunFile(src []byte) {
	log, err := runfile.Read(bytes.NewReader(src))
	v.Count = len(log.Records)
	v.Findings = runfile.Findings(v.File, log, err) // in memory, err can only be damage
}
