package agent

import (
	"fmt"
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

// A NeedsError reports that values from the user are missing at the end of a run.
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

// Question returns the questions of the tools, one per line, with the name of the tool if there are
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
			updateNeeds(missing, tools[b.Call], b.Result)
		case runfile.UserInput:
			if isAskUser(b.Tool) {
				delete(missing, b.Tool)
			}
		}
	}
	return missing
}

// updateNeeds stores the needs of a tool until a call of it succeeds.
func updateNeeds(missing map[string]*Needs, name string, result chat.Result) {
	switch first := missing[name]; {
	case len(result.Needs) > 0 && first != nil && isAskUser(name):
		missing[name] = &Needs{name, slices.Compact(append(slices.Clone(first.Fields), result.Needs...)), first.Question + "\n" + result.Question}
	case len(result.Needs) > 0:
		missing[name] = &Needs{Tool: name, Fields: result.Needs, Question: result.Question}
	case result.OK():
		delete(missing, name)
	}
}
