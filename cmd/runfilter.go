package cmd

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"oneshot/pkg/policy"
	"oneshot/pkg/schema"
	"oneshot/pkg/telemetry"
)

// A runFilter selects recorded runs by their first and last records. The zero value selects all.
type runFilter struct {
	agent  string
	exits  []string // names, after check
	since  startTime
	model  string // a glob
	prompt string // a part of it
}

// define defines the flags of a command.
func (f *runFilter) define(c *cobra.Command, env Env) {
	f.since.now = env.Now
	for _, r := range []flagRow{
		{name: "agent", field: text(&f.agent, ""), completes: installedAgents(),
			help: "only runs of the agent `NAME` or of its file, e.g. --agent digest"},
		{name: "exit", field: list(&f.exits), completes: example(recordedExits()...),
			help: "only runs that ended with `EXIT`: a code, its name, or unfinished (repeatable), e.g. --exit limit"},
		{name: "since", field: func(set *pflag.FlagSet, r flagRow) { set.Var(&f.since, r.name, r.help) }, completes: nothing("an age or a time"),
			help: "only runs started since `TIME`: an age, a date or an RFC 3339 time, e.g. --since 7d or --since 2026-11-28"},
		{name: "model", field: text(&f.model, ""), completes: modelPrefixes(),
			help: "only runs whose first model matches `GLOB`, where * also matches /, e.g. --model 'openai/*'"},
		{name: "grep", field: text(&f.prompt, ""), completes: nothing("free text"),
			help: "only runs whose prompt contains `TEXT`, in upper or lower case"},
	} {
		r.defineFor(c, env, nil)
	}
}

// check refuses values that match no run, and replaces exit codes with their names.
func (f *runFilter) check() error {
	if policy.FirstInvalidGlob([]string{f.model}) != "" {
		return usagef("for example --model 'openai/*'", "--model: %q is not a valid glob", f.model)
	}
	for i, value := range f.exits {
		name, err := recordedExit(value)
		if err != nil {
			return err
		}
		f.exits[i] = name
	}
	return nil
}

// isEmpty reports whether the filter selects all runs.
func (f *runFilter) isEmpty() bool {
	return f.agent == "" && len(f.exits) == 0 && f.since.at.IsZero() && f.model == "" && f.prompt == ""
}

// matches reports whether the filter selects a run. An agent matches by the name in its file, the name of its file, and the path
// that the run was given.
func (f *runFilter) matches(r telemetry.Run) bool {
	return (f.agent == "" || slices.Contains([]string{r.Agent, r.AgentFile, agentName(r.AgentFile)}, f.agent)) &&
		(len(f.exits) == 0 || slices.Contains(f.exits, r.Exit)) &&
		!r.Start.Before(f.since.at) &&
		(f.model == "" || matchesModel(f.model, r.Model)) &&
		(f.prompt == "" || strings.Contains(strings.ToLower(r.Prompt), strings.ToLower(f.prompt)))
}

// matchesModel reports whether a glob matches the name of a model. Names of models have any number of slashes, so a slash is
// an ordinary character.
func matchesModel(glob, model string) bool {
	const ordinary = "\x00"
	ok, err := path.Match(strings.ReplaceAll(glob, "/", ordinary), strings.ReplaceAll(model, "/", ordinary))
	return err == nil && ok
}

// recordedExits returns the names of the exits of recorded runs.
func recordedExits() []string {
	names := []string{telemetry.Unfinished}
	for _, e := range exits {
		names = append(names, e.Name)
	}
	return names
}

// recordedExit returns the name of the exit with a code or a name.
func recordedExit(value string) (string, error) {
	for _, e := range exits {
		if value == strconv.Itoa(e.Code) {
			return e.Name, nil
		}
	}
	names := recordedExits()
	if slices.Contains(names, value) {
		return value, nil
	}
	return "", usagef(cmp.Or(schema.DidYouMean(value, names), "see oneshot explain exit-codes"), "--exit: unknown exit %q", value)
}

// A startTime is the earliest start of a run. It is zero until it is set.
type startTime struct {
	at  time.Time
	now func() time.Time // also has the zone of dates
}

func (s *startTime) String() string {
	if s.at.IsZero() {
		return ""
	}
	return s.at.Format(time.RFC3339)
}

// Set parses an RFC 3339 time, a date, or an age as [age.Set] does.
func (s *startTime) Set(text string) error {
	now := s.now()
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			s.at = at
			return nil
		}
	}
	var old age
	if err := old.Set(text); err != nil {
		return err
	}
	s.at = now.Add(-time.Duration(old))
	return nil
}

// Type names it in errors.
func (*startTime) Type() string { return "start time" }
