package agent

import (
	"context"
	"maps"

	"oneshot/pkg/runfile"
)

// userAnswers collects the user's values for the needs of tools.
type userAnswers struct {
	given    map[string]string // see [Config.UserAnswers]
	replayed []runfile.UserInput
	prompt   func(ctx context.Context, n Needs) (map[string]string, bool)
	journal  *journal
	used     map[string]map[string]string // values that the model got, by tool
	count    int                          // of inputs
}

func newUserAnswers(cfg Config, j *journal) *userAnswers {
	return &userAnswers{given: cfg.UserAnswers, replayed: cfg.RecordedUserInput, prompt: cfg.PromptUser, journal: j, used: map[string]map[string]string{}}
}

// collect returns the values for all needs. The error is a *[NeedsError] if values are missing or
// are the same as before.
func (u *userAnswers) collect(ctx context.Context, needs []*Needs) ([]runfile.UserInput, error) {
	var ready []runfile.UserInput
	var missing NeedsError
	for _, n := range needs {
		if values := u.valuesFor(ctx, n, len(ready)); values != nil {
			ready = append(ready, runfile.UserInput{Tool: n.Tool, Values: values})
		} else {
			missing.All = append(missing.All, *n)
		}
	}
	if len(missing.All) > 0 {
		return nil, &missing
	}
	return ready, nil
}

// record records a user input before the model gets it.
func (u *userAnswers) record(input runfile.UserInput) error {
	if err := u.journal.append(input); err != nil {
		return err
	}
	u.used[input.Tool] = input.Values
	u.count++
	return nil
}

// valuesFor returns the user's values for the needs of a tool, or nil if one is missing. index is
// the number of user inputs collected in this step before it. Values come from the record of a
// resumed run, from the replayed run, from the configuration (the same values only once), or from
// the user.
func (u *userAnswers) valuesFor(ctx context.Context, n *Needs, index int) map[string]string {
	if unreplayed := u.journal.unreplayed; index < len(unreplayed) {
		recorded, _ := unreplayed[index].Body.(runfile.UserInput)
		return recorded.Values
	}
	if i := u.count + index; i < len(u.replayed) && u.replayed[i].Tool == n.Tool {
		return u.replayed[i].Values
	}
	values := map[string]string{}
	for _, field := range n.Fields {
		value, ok := u.given[field]
		if !ok {
			return u.ask(ctx, n)
		}
		values[field] = value
	}
	if maps.Equal(values, u.used[n.Tool]) {
		return u.ask(ctx, n)
	}
	return values
}

// ask asks the user and returns the values, or nil.
func (u *userAnswers) ask(ctx context.Context, n *Needs) map[string]string {
	if u.prompt == nil {
		return nil
	}
	values, ok := u.prompt(ctx, *n)
	if !ok {
		return nil
	}
	return values
}
