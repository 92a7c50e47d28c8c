package agent

import (
	"fmt"
	"maps"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// Needs is what only a person can tell, as a tool reported it.
type Needs struct {
	Tool     string
	Fields   []string
	Question string
}

// A NeedsError says that information is missing at the end of a run.
type NeedsError struct{ Needs }

func (e *NeedsError) Error() string {
	return fmt.Sprintf("tool %s needs %s", e.Tool, strings.Join(e.Fields, ", "))
}

// Missing returns what tools still need at the end of a record, by tool.
func Missing(records []runfile.Record) map[string]*Needs {
	missing, tools := map[string]*Needs{}, map[string]string{}
	for _, record := range records {
		switch b := record.Body.(type) {
		case runfile.Call:
			tools[b.ID] = b.Name
		case runfile.Result:
			note(missing, tools[b.Call], b.Result)
		}
	}
	return missing
}

// note keeps what a tool needs until a call of it succeeds.
func note(missing map[string]*Needs, tool string, result chat.Result) {
	switch {
	case len(result.Needs) > 0:
		missing[tool] = &Needs{Tool: tool, Fields: result.Needs, Question: result.Question}
	case result.OK():
		delete(missing, tool)
	}
}

// supply tells the model what tools need and the user has said. It reports false when nothing
// is needed; what nobody has said, or has said before, is a *[NeedsError].
func (r *run) supply() (told bool, err error) {
	for _, def := range r.defs {
		n := r.needs[def.Name]
		if n == nil {
			continue
		}
		values := r.answersTo(n)
		if values == nil {
			return false, &NeedsError{*n}
		}
		if err := r.record.append(runfile.Told{Tool: n.Tool, Values: values}); err != nil {
			return false, err
		}
		r.said[n.Tool], told = values, true
		r.say(r.texts.Told(n.Tool, values))
	}
	if told {
		r.out.Answer, r.out.Rung = nil, ""
	}
	return told, nil
}

// answersTo returns what the user says to what a tool needs: what is on record where the run had
// come that far, and else what the configuration has, once. It is nil if something is missing.
func (r *run) answersTo(n *Needs) map[string]string {
	if len(r.record.past) > 0 {
		then, _ := r.record.past[0].Body.(runfile.Told)
		return then.Values
	}
	values := map[string]string{}
	for _, field := range n.Fields {
		value, ok := r.cfg.Answers[field]
		if !ok {
			return nil
		}
		values[field] = value
	}
	if maps.Equal(values, r.said[n.Tool]) {
		return nil
	}
	return values
}
