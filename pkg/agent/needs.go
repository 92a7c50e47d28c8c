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

// Needs are the fields that a tool needs from the user.
type Needs struct {
	Tool     string
	Fields   []string
	Question string
}

// A NeedsError says that values from the user are missing at the end of a run.
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

// Fields returns the names of all missing fields, without duplicates.
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

// ApprovalRequest returns the questions of the tools, one per line, with the name of the tool if there are
// several.
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

// isAskUser reports whether the tool is [tool.AskUser], each call of which is a separate question.
func isAskUser(name string) bool { return name == tool.AskUser.Name }

// UnmetNeeds returns the unmet needs at the end of a record, by tool.
func UnmetNeeds(records []runfile.Record) map[string]*Needs {
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

// trackNeeds stores the needs of a tool until a call of it succeeds.
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

// applyUserAnswers gives the model the user's values for the needs of the named tools, or of all
// tools without names. It returns false if there are no needs, and a *[NeedsError] if values are
// missing or are the same as before.
func (r *run) applyUserAnswers(ctx context.Context, names ...string) (applied bool, err error) {
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
		if err := r.journal.append(t); err != nil {
			return false, err
		}
		r.userValues[t.Tool] = t.Values
		r.userInputCount++
		if isAskUser(t.Tool) {
			delete(r.needs, t.Tool)
			r.appendUser(r.texts.Answered(t.Values))
		} else {
			r.appendUser(r.texts.UserInput(t.Tool, t.Values))
		}
		r.out.Answer, r.out.FormatMode = nil, ""
	}
	return len(ready) > 0, nil
}

// userAnswersFor returns the user's values for the needs of a tool, or nil if one is missing. index
// is the number of user inputs collected in this step before it. Values come from the record of a
// resumed run, from the replayed run, from the configuration (the same values only once), or from
// the user.
func (r *run) userAnswersFor(ctx context.Context, n *Needs, index int) map[string]string {
	if unreplayed := r.journal.unreplayed; index < len(unreplayed) {
		recorded, _ := unreplayed[index].Body.(runfile.UserInput)
		return recorded.Values
	}
	if i := r.userInputCount + index; i < len(r.cfg.RecordedUserInput) && r.cfg.RecordedUserInput[i].Tool == n.Tool {
		return r.cfg.RecordedUserInput[i].Values
	}
	values := map[string]string{}
	for _, field := range n.Fields {
		value, ok := r.cfg.UserAnswers[field]
		if !ok {
			return r.promptUser(ctx, n)
		}
		values[field] = value
	}
	if maps.Equal(values, r.userValues[n.Tool]) {
		return r.promptUser(ctx, n)
	}
	return values
}

// promptUser asks the user and returns the values, or nil.
func (r *run) promptUser(ctx context.Context, n *Needs) map[string]string {
	if r.cfg.PromptUser == nil {
		return nil
	}
	values, ok := r.cfg.PromptUser(ctx, *n)
	if !ok {
		return nil
	}
	return values
}
