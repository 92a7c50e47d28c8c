package policy

import (
	"regexp"
	"slices"

	"golang.org/x/text/unicode/norm"

	"oneshot/pkg/fileroot"
)

// A regex is a regular expression that must match a whole text.
type regex struct {
	exact, anyCase *regexp.Regexp
	instructions   int // about as many
}

// maxMatchSteps bounds the matching time per call, in instructions times bytes: 256 instructions for 1 MiB, the
// largest arguments. A step takes up to 10 ns for each spelling of a text.
const maxMatchSteps = 1 << 28

// compileRegex compiles a regular expression. A dot also matches a line break: otherwise a line break in the text
// would evade a deny or ask rule.
func (c *compiler) compileRegex(text string) (*regex, error) {
	n, err := c.patterns.Add(text) // by itself: "a)|(b" would also be an expression in a group
	if err != nil {
		return nil, err
	}
	exact, err := regexp.Compile(`\A(?s:` + text + `)\z`)
	if err != nil {
		return nil, err
	}
	anyCase, err := regexp.Compile(`\A(?is:` + text + `)\z`)
	return &regex{exact, anyCase, n}, err
}

// matches reports whether text matches. If any is set, case is ignored and the composed and folded forms
// ([fileroot.Fold]) of the text are tried, too.
func (e *regex) matches(text string, any bool) bool {
	if e.exact.MatchString(text) {
		return true
	}
	spellings := slices.Compact([]string{text, norm.NFC.String(text), fileroot.Fold(text)})
	return any && slices.ContainsFunc(spellings, e.anyCase.MatchString)
}

// exceedsMatchBudget reports whether the texts of a call are too long for the expressions of the rules about its tool.
// It counts all rules, so that their order does not matter.
func (p *Policy) exceedsMatchBudget(f *Facts) bool {
	steps := 0
	for _, l := range p.Layers {
		for _, r := range l.rulesAbout(f.Def.Name) {
			for _, a := range r.args {
				if a.match != nil {
					steps += a.match.instructions * totalNameBytes(f.args[a.name])
				}
			}
		}
	}
	return steps > maxMatchSteps
}

// rulesAbout returns all rules about a tool, also those about labels and their exceptions.
func (l *Layer) rulesAbout(tool string) []rule {
	rules := slices.Clone(l.sinks[tool])
	for _, one := range l.labels[tool] {
		rules = append(rules, one.rule)
	}
	if t := l.tools[tool]; t != nil {
		rules = slices.Concat(rules, t.deny, t.ask, t.allow)
	}
	return rules
}

func totalNameBytes(values []value) int {
	n := 0
	for _, v := range values {
		for _, name := range slices.Concat(v.names, v.spellings) {
			n += len(name)
		}
	}
	return n
}
