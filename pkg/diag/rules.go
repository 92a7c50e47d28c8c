package diag

import (
	"slices"
	"strings"
)

// A Code names one kind of finding. Codes are stable: a code is never reused
// for something else. TC codes are about calls in a model's output, TD codes
// about tool definitions, TA codes about JSON documents and answers, TS codes
// about schemas, TR codes about run files, TB codes about baselines.
type Code string

// A Rule documents a code.
type Rule struct {
	Code     Code     `json:"code"`
	Slug     string   `json:"slug"`
	Severity Severity `json:"severity"`
	Title    string   `json:"title"`
	Text     string   `json:"text"`          // why it matters and what the tool does about it
	Bad      string   `json:"bad,omitempty"` // an example that raises it
	Good     string   `json:"good,omitempty"`
	Fix      FixKind  `json:"fix,omitempty"`
}

// Rule returns the documentation of a code. An unknown code has a rule with
// only the code and severity [Error].
func (c Code) Rule() Rule {
	for _, r := range Rules {
		if r.Code == c {
			return r
		}
	}
	return Rule{Code: c, Severity: Error}
}

// Rules lists every code there is, by family.
var Rules = slices.Concat(callRules, definitionRules, documentRules, baselineRules)

// Named returns the codes that a name stands for: a code, the beginning of
// codes ("TC3"), both in any case, or a slug.
func Named(name string) []Code {
	var codes []Code
	for _, r := range Rules {
		if name != "" && strings.HasPrefix(string(r.Code), strings.ToUpper(name)) || name == r.Slug {
			codes = append(codes, r.Code)
		}
	}
	return codes
}
