package lint

import (
	"bytes"

	"oneshot/pkg/diag"
	"oneshot/pkg/runfile"
	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
)

// A Verdict is what was found in one file.
type Verdict struct {
	File     string
	Kind     Kind
	Count    int // of definitions or records; 0 for the other kinds
	Findings []diag.Finding
}

// A Checker checks files that belong together: a tool may be defined once in all
// of them.
type Checker struct {
	answers *schema.Schema
	loader  tool.Loader
	names   *tool.Registry
}

// NewChecker returns a checker that holds answers against a schema, which may
// be nil where no answers are checked, and reads definitions with a loader.
func NewChecker(answers *schema.Schema, loader tool.Loader) *Checker {
	names, _ := tool.NewRegistry() // there is nothing to find in no definitions
	return &Checker{answers: answers, loader: loader, names: names}
}

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
	case Answer:
		v.Findings = c.answers.Check(src)
	}
	for i := range v.Findings {
		v.Findings[i].File = name
	}
	return v
}

func (c *Checker) definitions(v *Verdict, src []byte) {
	defs, findings := c.loader.Parse(v.File, src)
	v.Count, v.Findings = len(defs), findings
	for _, d := range defs {
		v.Findings = append(v.Findings, c.names.Register(d)...)
	}
}

func (v *Verdict) records(src []byte) {
	log, err := runfile.Read(bytes.NewReader(src))
	v.Count = len(log.Records)
	v.Findings = runfile.Findings(v.File, log, err) // reading from memory, err is damage or nil
}
