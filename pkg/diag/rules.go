package diag

import (
	"slices"
	"strings"
)

// A Code names one kind of finding. Codes are stable: a code is never reused
// for something else. How it begins tells its [Family].
type Code string

// A Rule documents a code.
type Rule struct {
	Code     Code       `json:"code"`
	Slug     string     `json:"slug"`
	Severity Severity   `json:"severity"`       // the usual one
	Also     []Severity `json:"also,omitempty"` // others that a finding can have
	Title    string     `json:"title"`
	Text     string     `json:"text"`          // why it matters and what the tool does about it
	Bad      string     `json:"bad,omitempty"` // an example that raises it
	Good     string     `json:"good,omitempty"`
	Fix      FixKind    `json:"fix,omitempty"`
}

// Severities lists the severities that a finding of the code can have, the usual one
// first, as "error|warning".
func (r Rule) Severities() string {
	names := string(r.Severity)
	for _, s := range r.Also {
		names += "|" + string(s)
	}
	return names
}

// Rule returns the documentation of a code. An unknown code has a rule with
// only the code and severity [Error].
func (c Code) Rule() Rule {
	for i := range Rules {
		if Rules[i].Code == c {
			return Rules[i]
		}
	}
	return Rule{Code: c, Severity: Error}
}

// Rules lists every code there is, by family.
var Rules = slices.Concat(byteRules, framingRules, literalRules, callRules, definitionRules, documentRules, messageRules, eventRules, baselineRules, policyRules)

// Named returns the codes that a name stands for: a code, the beginning of
// codes ("TC3"), both in any case, a slug, or a family.
func Named(name string) []Code {
	var codes []Code
	for _, r := range Rules {
		if name != "" && strings.HasPrefix(string(r.Code), strings.ToUpper(name)) || name == r.Slug || name == r.Code.Family().Name {
			codes = append(codes, r.Code)
		}
	}
	return codes
}
