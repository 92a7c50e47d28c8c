package agent

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// Needs is what only a person can tell, as a tool reported it.
type Needs struct {
	Tool     string
	Fields   []string
	Question string
}

// A NeedsError says that information is missing at the end of a run.
type NeedsError struct{ All []Needs } // by tool, not empty

func (e *NeedsError) Error() string {
	var parts []string
	for _, n := range e.All {
		part := fmt.Sprintf("tool %s needs %s", n.Tool, strings.Join(n.Fields, ", "))
		if isAskUser(n.Tool) {
			parts = append(parts, fmt.Sprintf("the run needs %s: %q", strings.Join(n.Fields, ", "), n.Question))
			continue
		}
		if n.Question != "" {
			part += fmt.Sprintf(" (%q)", n.Question)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// Fields returns the names of all that is missing, each once.
func (e *NeedsError) Fields() []string {
	var names []string
	for _, n := range e.All {
		for _, field := range n.Fields {
			if !slices.Contains(names, field) {
				names = append(names, field)
			}
		}
	}
	return names
}

// Question returns what the tools ask, a line each, behind the tool where there are several.
func (e *NeedsError) Question() string {
	var lines []string
	for _, n := range e.All {
		switch {
		case n.Question == "":
		case len(e.All) == 1:
			return n.Question
		case isAskUser(n.Tool):
			lines = append(lines, n.Question)
		default:
			lines = append(lines, n.Tool+": "+n.Question)
		}
	}
	return strings.Join(lines, "\n")
}

// isAskUser reports whether a tool is the one that asks the user: each call of it is a question of its own.
func isAskUser(name string) bool { return name == tool.AskUser.Name }

// Missing returns what tools still need at the end of a record, by tool.
func Missing(records []runfile.Record) map[string]*Needs {
	missing, tools := map[string]*Needs{}, map[string]string{}
	for _, record := range records {
		switch b := record.Body.(type) {
		case runfile.Call:
			tools[b.ID] = b.Name
		case runfile.Result:
			trackNeeds(missing, tools[b.Call], b.Result)
		case runfile.UserInput:
			if isAskUser(b.Tool) {
				delete(missing, b.Tool)
			}
		}
	}
	return missing
}

// trackNeeds keeps what a tool needs until a call of it succeeds.
func trackNeeds(missing map[string]*Needs, name string, result chat.Result) {
	switch first := missing[name]; {
	case len(result.Needs) > 0 && first != nil && isAskUser(name):
		missing[name] = &Needs{name, slices.Compact(append(slices.Clone(first.Fields), result.Needs...)), first.Question + "\n" + result.Question}
	case len(result.Needs) > 0:
		missing[name] = &Needs{Tool: name, Fields: result.Needs, Question: result.Question}
	case result.OK():
		delete(missing, name)
	}
}

// applyUserAnswers tells the model what tools need and the user has said. It reports false when nothing
// is needed; all that nobody has said, or has said before, is a *[NeedsError]. Only the tools of that name are looked at, all
// if there is none.
func (r *run) applyUserAnswers(ctx context.Context, names ...string) (told bool, err error) {
	var ready []runfile.UserInput
	var missing NeedsError
	for _, def := range r.defs {
		n := r.needs[def.Name]
		if n == nil || len(names) > 0 && !slices.Contains(names, n.Tool) {
			continue
		}
		if values := r.userAnswersFor(ctx, n, len(ready)); values != nil {
			ready = append(ready, runfile.UserInput{Tool: n.Tool, Values: values})
		} else {
			missing.All = append(missing.All, *n)
		}
	}
	if len(missing.All) > 0 {
		return false, &missing
	}
	for _, t := range ready {
		if err := r.record.append(t); err != nil {
			return false, err
		}
		r.said[t.Tool] = t.Values
		r.supplied++
		if isAskUser(t.Tool) {
			delete(r.needs, t.Tool)
			r.appendUser(r.texts.Answered(t.Values))
		} else {
			r.appendUser(r.texts.Told(t.Tool, t.Values))
		}
		r.out.Answer, r.out.FormatMode = nil, ""
	}
	return len(ready) > 0, nil
}

// userAnswersFor returns what the user says to what a tool needs, behind that to a number of others: what
// is on record where the run had come that far, or of the run that is played again, and else what the
// configuration has, once. It is nil if something is missing.
func (r *run) userAnswersFor(ctx context.Context, n *Needs, others int) map[string]string {
	if past := r.record.past; others < len(past) {
		then, _ := past[others].Body.(runfile.UserInput)
		return then.Values
	}
	if i := r.supplied + others; i < len(r.cfg.RecordedUserInput) && r.cfg.RecordedUserInput[i].Tool == n.Tool {
		return r.cfg.RecordedUserInput[i].Values
	}
	values := map[string]string{}
	for _, field := range n.Fields {
		value, ok := r.cfg.Answers[field]
		if !ok {
			return r.promptUser(ctx, n)
		}
		values[field] = value
	}
	if maps.Equal(values, r.said[n.Tool]) {
		return r.promptUser(ctx, n)
	}
	return values
}

// promptUser returns what somebody who is there says, or nil.
func (r *run) promptUser(ctx context.Context, n *Needs) map[string]string {
	if r.cfg.Ask == nil {
		return nil
	}
	values, ok := r.cfg.Ask(ctx, *n)
	if !ok {
		return nil
	}
	return values
}
