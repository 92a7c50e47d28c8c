package report

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/diag"
)

// The parts of SARIF 2.1.0 that are used, with the names of that standard.

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
	Prints    sarifPrints     `json:"partialFingerprints,omitzero"`
	Fixes     []sarifFix      `json:"fixes,omitempty"`
}

// A sarifPrints holds a finding's fingerprint. Its JSON name is the version of the fingerprint:
// another algorithm needs a new name.
type sarifPrints struct {
	V1 string `json:"oneshot/v1,omitempty"`
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
	ByteOffset  *int `json:"byteOffset,omitempty"` // nil for a span without byte offsets
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
	Binary string  `json:"binary,omitempty"` // base64, for invalid UTF-8
}

// A SARIF is a log in the Static Analysis Results Interchange Format 2.1.0, written incrementally:
// only the codes are kept in memory. Display fixes are omitted; "kind" is the kind of the others: safe
// or unsafe.
type SARIF struct {
	version string
	started bool
	rules   []sarifRule // in order of first occurrence
	index   map[diag.Code]int
}

// NewSARIF returns an empty log by a program version.
func NewSARIF(version string) *SARIF {
	return &SARIF{version: version, rules: []sarifRule{}, index: map[diag.Code]int{}}
}

// Add writes the findings of a file.
func (s *SARIF) Add(w io.Writer, file File) error {
	artifact := sarifArtifact{fileURI(file.Name)}
	for _, f := range file.Findings {
		err := s.writeResult(w, sarifResult{
			RuleID: string(f.Code), RuleIndex: s.ruleIndex(f.Code), Level: sarifLevel(f.Severity), Message: newMessage(messageWithHint(f)),
			Locations: newLocations(artifact, f), Prints: sarifPrints{f.Fingerprint},
			Fixes: newFixes(artifact, f.Fixes),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ruleIndex returns the index of a code's rule.
func (s *SARIF) ruleIndex(c diag.Code) int {
	i, ok := s.index[c]
	if !ok {
		i = len(s.rules)
		s.index[c], s.rules = i, append(s.rules, newRule(c.Rule()))
	}
	return i
}

// The log around its results. The tool comes last, because its rules are known only then.
const (
	sarifHead = `{
  "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
  "version": "2.1.0",
  "runs": [
    {
      "columnKind": "unicodeCodePoints",
      "results": [`
	sarifMiddle = `],
      "tool": `
	sarifTail = `
    }
  ]
}
`
	sarifRunIndent    = "      "
	sarifResultIndent = "        "
)

// writeResult writes a result after the preceding ones.
func (s *SARIF) writeResult(w io.Writer, r sarifResult) error {
	before := sarifHead
	if s.started {
		before = ","
	}
	s.started = true
	return writeInside(w, before+"\n"+sarifResultIndent, r, sarifResultIndent)
}

// End writes the rest of the log, with the rules that occur in it.
func (s *SARIF) End(w io.Writer) error {
	before := sarifHead + sarifMiddle
	if s.started {
		before = "\n" + sarifRunIndent + sarifMiddle
	}
	tool := sarifTool{sarifDriver{Name: "oneshot", Version: s.version, Rules: s.rules}}
	if err := writeInside(w, before, tool, sarifRunIndent); err != nil {
		return err
	}
	_, err := io.WriteString(w, sarifTail)
	return err
}

// writeInside writes a text and an indented part of a document.
func writeInside(w io.Writer, before string, part any, indent string) error {
	var b bytes.Buffer
	b.WriteString(before)
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(indent, "  ")
	if err := enc.Encode(part); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1)
	_, err := w.Write(diag.EscapeInvisibleJSON(b.Bytes()))
	return err
}

func newRule(r diag.Rule) sarifRule {
	rule := sarifRule{ID: string(r.Code), Name: r.Slug, Default: sarifDefault{sarifLevel(r.Severity)}}
	if r.Title != "" {
		short, full := newMessage(r.Title), newMessage(r.Text)
		rule.Short, rule.Full = &short, &full
	}
	return rule
}

var doubleBraces = strings.NewReplacer("{", "{{", "}", "}}")

// newMessage returns a message. Braces are doubled, because single ones are placeholders in SARIF.
func newMessage(text string) sarifMessage {
	return sarifMessage{doubleBraces.Replace(text)}
}

// sarifLevel returns the level for a severity.
func sarifLevel(s diag.Severity) string {
	switch s {
	case diag.Error, diag.Warning:
		return string(s)
	}
	return "note"
}

// fileURI returns a file name as a URI, which is relative for a relative name.
func fileURI(name string) string {
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
	}
	return u.String()
}

// newLocations returns the location of a finding, or those of its pieces.
func newLocations(artifact sarifArtifact, f diag.Finding) []sarifLocation {
	spans := f.Pieces
	if len(spans) == 0 {
		spans = []diag.Span{f.Span}
	}
	all := make([]sarifLocation, len(spans))
	for i, s := range spans {
		all[i].Physical = sarifPhysical{artifact, newRegion(s)}
	}
	return all
}

// newRegion returns the region of a span, or nil for a finding without one.
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

// newFixes returns the applicable fixes.
func newFixes(artifact sarifArtifact, fixes []diag.Fix) []sarifFix {
	var out []sarifFix
	for _, fix := range fixes {
		if fix.Kind == diag.Display || len(fix.Edits) == 0 {
			continue
		}
		change := sarifChange{Artifact: artifact}
		for _, e := range fix.Edits {
			change.Replacements = append(change.Replacements, sarifReplacement{*byteRegion(e.Start, e.End), newArtifactContent(e.New)})
		}
		out = append(out, sarifFix{newMessage(fix.Title), []sarifChange{change}, sarifKind{fix.Kind}})
	}
	return out
}

// newArtifactContent returns a replacement as text, or in base64 if it is not UTF-8.
func newArtifactContent(s string) sarifContent {
	if utf8.ValidString(s) {
		return sarifContent{Text: &s}
	}
	return sarifContent{Binary: base64.StdEncoding.EncodeToString([]byte(s))}
}
