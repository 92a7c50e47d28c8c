package cmd

import (
	"maps"
	"slices"
	"strings"

	"oneshot/pkg/agent"
	"oneshot/pkg/quote"
	"oneshot/pkg/redact"
	"oneshot/pkg/schema"
)

// answerOptions are the answers to the questions of tools.
type answerOptions struct{ pairs []string }

// readAnswers returns the answers by name. Answers to a run that waits for some must cover all of them, and nothing else. Given
// are the pairs of this command; the others come from the resumed run.
func (o *answerOptions) readAnswers(secrets *redact.Set, given []string, r *resumed) (map[string]string, error) {
	said := map[string]string{}
	for _, pair := range o.pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, usagef("for example --answer 'content=the budget'", "--answer: %q is not K=V", pair)
		}
		if _, twice := said[name]; twice {
			return nil, usagef("give it once", "--answer: %s is given twice", name)
		}
		said[name] = secrets.Hide(value)
	}
	if r == nil || len(given) == 0 {
		return said, nil
	}
	var names []string
	for _, pair := range given {
		names = append(names, keyOf(pair))
	}
	return said, checkAnswersSuffice(said, names, agent.UnmetNeeds(r.past))
}

// checkAnswersSuffice refuses answers without a question, and missing ones. Given are the names of this command.
func checkAnswersSuffice(said map[string]string, given []string, missing map[string]*agent.Needs) error {
	needed := map[string]bool{}
	for _, n := range missing {
		for _, field := range n.Fields {
			needed[field] = true
		}
	}
	if len(needed) == 0 {
		return nil // the run may still ask
	}
	names := slices.Sorted(maps.Keys(needed))
	for _, name := range slices.Sorted(slices.Values(given)) {
		if !needed[name] {
			hint := schema.DidYouMean(name, names)
			if hint == "" {
				hint = "the run needs " + strings.Join(names, ", ")
			}
			return usagef(hint, "--answer: no tool needs %s", name)
		}
	}
	for _, name := range names {
		if _, ok := said[name]; !ok {
			return usagef("--answer "+quote.Shell(name)+"=VALUE", "--answer: the run also needs %s", name)
		}
	}
	return nil
}
