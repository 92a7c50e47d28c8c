package report

import (
	"encoding/base64"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// The parts of SARIF 2.1.0 that are used, with the names of that standard.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool     `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string        `json:"id"`
	Name    string        `json:"name,omitempty"`
	Short   *sarifMessage `json:"shortDescription,omitempty"`
	Full    *sarifMessage `json:"fullDescription,omitempty"`
	Default sarifDefault  `json:"defaultConfiguration"`
}

type sarifDefault struct {
	Level string `json:"level"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifMessage    `json:"message"`
	Locations []sarifLocation `json:"locations"`
	Fixes     []sarifFix      `json:"fixes,omitempty"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int  `json:"startLine,omitempty"`
	StartColumn int  `json:"startColumn,omitempty"`
	EndLine     int  `json:"endLine,omitempty"`
	EndColumn   int  `json:"endColumn,omitempty"`
	ByteOffset  *int `json:"byteOffset,omitempty"` // nil for a place known by line and column only
	ByteLength  *int `json:"byteLength,omitempty"`
}

type sarifFix struct {
	Description sarifMessage  `json:"description"`
	Changes     []sarifChange `json:"artifactChanges"`
	Properties  sarifKind     `json:"properties"`
}

type sarifKind struct {
	Kind diag.FixKind `json:"kind"`
}

type sarifChange struct {
	Artifact     sarifArtifact      `json:"artifactLocation"`
	Replacements []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	Deleted  sarifRegion  `json:"deletedRegion"`
	Inserted sarifContent `json:"insertedContent"`
}

type sarifContent struct {
	Text   *string `json:"text,omitempty"`
	Binary string  `json:"binary,omitempty"` // base64, for what is no text
}

// SARIF prints the findings as a log of the Static Analysis Results Interchange
// Format 2.1.0. The version is that of the program. A fix that is only to be
// shown has no place in it; of the others "kind" says whether they are safe.
func SARIF(w io.Writer, files []File, version string) error {
	codes := codesOf(files)
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "oneshot", Version: version, Rules: make([]sarifRule, len(codes))}
	for i, c := range codes {
		run.Tool.Driver.Rules[i] = newRule(c.Rule())
	}
	for _, file := range files {
		artifact := sarifArtifact{fileURI(file.Name)}
		for _, f := range file.Findings {
			index, _ := slices.BinarySearch(codes, f.Code)
			run.Results = append(run.Results, sarifResult{
				RuleID: string(f.Code), RuleIndex: index, Level: sarifLevel(f.Severity), Message: newMessage(advice(f)),
				Locations: []sarifLocation{{sarifPhysical{artifact, newRegion(f.Span)}}},
				Fixes:     newFixes(artifact, f.Fixes),
			})
		}
	}
	return JSON(w, sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0", Runs: []sarifRun{run},
	})
}

// codesOf returns the codes that occur, sorted.
func codesOf(files []File) []diag.Code {
	var codes []diag.Code
	for _, file := range files {
		for _, f := range file.Findings {
			codes = append(codes, f.Code)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

func newRule(r diag.Rule) sarifRule {
	rule := sarifRule{ID: string(r.Code), Name: r.Slug, Default: sarifDefault{sarifLevel(r.Severity)}}
	if r.Title != "" {
		short, full := newMessage(r.Title), newMessage(r.Text)
		rule.Short, rule.Full = &short, &full
	}
	return rule
}

// newMessage returns a message that says the text. Braces are doubled, as single
// ones stand for arguments.
func newMessage(text string) sarifMessage {
	return sarifMessage{strings.NewReplacer("{", "{{", "}", "}}").Replace(text)}
}

// sarifLevel returns the level for a severity.
func sarifLevel(s diag.Severity) string {
	switch s {
	case diag.Error, diag.Warning:
		return string(s)
	}
	return "note"
}

// fileURI returns a file name as a URI: relative, unless the name is absolute.
func fileURI(name string) string {
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
	}
	return u.String()
}

// newRegion returns the region of a span, or nil for one without a place.
func newRegion(s diag.Span) *sarifRegion {
	if s.Line == 0 {
		return nil
	}
	r := &sarifRegion{}
	if s.HasBytes() {
		r = byteRegion(s.Start, s.End)
	}
	r.StartLine, r.StartColumn, r.EndLine, r.EndColumn = s.Line, s.Column, s.EndLine, s.EndColumn
	return r
}

// byteRegion returns the region of the bytes [start, end).
func byteRegion(start, end int) *sarifRegion {
	length := end - start
	return &sarifRegion{ByteOffset: &start, ByteLength: &length}
}

// newFixes returns the fixes that can be applied.
func newFixes(artifact sarifArtifact, fixes []diag.Fix) []sarifFix {
	var out []sarifFix
	for _, fix := range fixes {
		if fix.Kind == diag.Display || len(fix.Edits) == 0 {
			continue
		}
		change := sarifChange{Artifact: artifact}
		for _, e := range fix.Edits {
			change.Replacements = append(change.Replacements, sarifReplacement{*byteRegion(e.Start, e.End), newContent(e.New)})
		}
		out = append(out, sarifFix{newMessage(fix.Title), []sarifChange{change}, sarifKind{fix.Kind}})
	}
	return out
}

// newContent returns bytes as text, if they are text.
func newContent(s string) sarifContent {
	if utf8.ValidString(s) {
		return sarifContent{Text: &s}
	}
	return sarifContent{Binary: base64.StdEncoding.EncodeToString([]byte(s))}
}
