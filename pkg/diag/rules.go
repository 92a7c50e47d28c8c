package diag

import (
	"slices"
	"strings"
)

// A Code identifies one kind of finding. Codes are stable and never reused. The
// prefix determines the [Family].
type Code string

// A Rule documents a code.
type Rule struct {
	Code     Code       `json:"code"`
	Slug     string     `json:"slug"`
	Severity Severity   `json:"severity"`       // the usual one
	Also     []Severity `json:"also,omitempty"` // other possible ones
	Title    string     `json:"title"`
	Text     string     `json:"text"`          // why it matters and how oneshot handles it
	Bad      string     `json:"bad,omitempty"` // an example with this finding
	Good     string     `json:"good,omitempty"`
	Fix      FixKind    `json:"fix,omitempty"`
}

// Severities lists the possible severities, the usual one first: "error|warning".
func (r Rule) Severities() string {
	names := string(r.Severity)
	for _, s := range r.Also {
		names += "|" + string(s)
	}
	return names
}

// Rule returns the documentation of a code. The rule of an unknown code has only
// the code and severity [Error].
func (c Code) Rule() Rule {
	for i := range Rules {
		if Rules[i].Code == c {
			return Rules[i]
		}
	}
	return Rule{Code: c, Severity: Error}
}

// Rules documents every code, by family.
var Rules = slices.Concat(inputRules, envelopeRules, literalRules, callRules, definitionRules, documentRules, messageRules, eventRules, baselineRules, policyRules)

// CodesByName returns the codes for a name: a code or a prefix of codes ("TC3"), both in
// any case, a slug, or a family.
func CodesByName(name string) []Code {
	var codes []Code
	for _, r := range Rules {
		if name != "" && strings.HasPrefix(string(r.Code), strings.ToUpper(name)) || name == r.Slug || name == r.Code.Family().Name {
			codes = append(codes, r.Code)
		}
	}
	return codes
}
