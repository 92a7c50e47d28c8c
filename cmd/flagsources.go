package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"oneshot/pkg/agent"
	"oneshot/pkg/runfile"
)

// A flagSource has values of flags.
type flagSource struct {
	name   string // for errors and records
	kind   sourceKind
	values map[string][]string
}

// A sourceKind is a kind of flag source.
type sourceKind uint8

const (
	fromLine sourceKind = iota
	fromRecord
	fromAgent
	fromDefaults // the environment, config.yaml
)

// commandLine returns the flags that a command line gives.
func commandLine(set *pflag.FlagSet) flagSource {
	line := flagSource{values: map[string][]string{}}
	set.Visit(func(f *pflag.Flag) { line.values[f.Name] = flagValues(f) })
	return line
}

// add adds a value of a flag.
func (s *flagSource) add(name, value string) { s.values[name] = append(s.values[name], value) }

// resolvedFlags are the flags of a run or a batch. They do not change.
type resolvedFlags struct {
	options
	on      commands
	rows    map[string]flagRow
	set     *pflag.FlagSet
	line    flagSource
	sources map[string]flagSource // by flag: the source of its value, or the last of several
}

// resolveFlags sets each flag of a command from the first source that has it: the command line, then the record of a run, then
// an agent file. The default of the table applies if none has it.
func resolveFlags(on commands, line flagSource, others ...flagSource) (*resolvedFlags, error) {
	r := &resolvedFlags{
		options: options{limits: agent.DefaultLimits()}, on: on, rows: map[string]flagRow{}, set: pflag.NewFlagSet("run", pflag.ContinueOnError),
		line: line, sources: map[string]flagSource{},
	}
	for row := range flagRows(&r.options, r.on) {
		row.define(r.set)
		r.rows[row.name] = row
		for _, source := range append([]flagSource{line}, others...) {
			used, err := row.fill(r.set, source)
			if err != nil {
				return nil, err
			}
			if used {
				r.sources[row.name] = source
			}
		}
	}
	return r, checkFlags(r.set)
}

// fill adds the values of a source to those of the sources before it, and reports whether it has any to add.
func (r flagRow) fill(set *pflag.FlagSet, source flagSource) (used bool, err error) {
	for _, value := range r.valuesAddedBy(source, set) {
		if err := set.Set(r.name, value); err != nil {
			err = fmt.Errorf("%s: --%s %s: %w", source.name, r.name, value, err)
			if source.kind == fromRecord {
				return false, &inputError{err}
			}
			return false, usagef("", "%w", err)
		}
		used = true
	}
	return used, nil
}

// valuesAddedBy returns the values that a source adds to those of the sources before it: all if they have none, or if those
// of an agent add up. A flag that merges pairs takes those with other keys.
func (r flagRow) valuesAddedBy(source flagSource, set *pflag.FlagSet) []string {
	values := source.values[r.name]
	if !set.Changed(r.name) || source.kind == fromAgent && r.agent&adds != 0 {
		return values
	}
	if !r.merges {
		return nil
	}
	var keys []string
	for _, pair := range flagValues(set.Lookup(r.name)) {
		keys = append(keys, keyOf(pair))
	}
	return slices.DeleteFunc(slices.Clone(values), func(pair string) bool { return slices.Contains(keys, keyOf(pair)) })
}

// keyOf returns the K of K=V.
func keyOf(pair string) string {
	key, _, _ := strings.Cut(pair, "=")
	return key
}

// isGiven reports whether the command line has a flag.
func (r *resolvedFlags) isGiven(name string) bool { return r.line.values[name] != nil }

// source returns the source of the value of a flag in the form of records.
func (r *resolvedFlags) source(name string) string {
	if s := r.sources[name]; s.kind != fromLine {
		return s.name
	}
	return "flag --" + name
}

// setOptionOrigins notes in the options the values from an agent file, of this command or of the resumed run, and from
// defaults.
func (r *resolvedFlags) setOptionOrigins(agent *loadedAgent, earlier map[string]runfile.Setting) {
	servers := &r.model.servers
	switch source, before := r.sources["base-url"], earlier["base-url"].Source; {
	case source.kind == fromAgent:
		servers.urlsOf = source.name
	case source.kind == fromRecord && strings.HasPrefix(before, agentPrefix):
		servers.urlsOf = before
	case source.kind == fromDefaults:
		servers.hasDefaultURLs = true
	}
	if source := r.sources["tools"]; source.kind == fromAgent {
		r.tools.agent = source.name
	}
	if agent != nil {
		r.prompt.template = agent.prompt
	}
}

// noteSources adds the flags that are not from a command line to the settings of a record, and the file of the prompt. Values
// that may be secrets are left out.
func (r *resolvedFlags) noteSources(to *resolution) {
	r.set.Visit(func(f *pflag.Flag) {
		source, row := r.sources[f.Name], r.rows[f.Name]
		if source.kind < fromAgent || row.mayHoldKey || f.Name == runfile.ModelSetting { // noted with its server
			return
		}
		for _, value := range row.shownValues(source.values[f.Name]) {
			to.note(f.Name, value, source.name)
		}
	})
	switch template := r.prompt.template; {
	case r.prompt.file != "":
		to.note(settingPromptFile, r.prompt.file, r.source("prompt-file"))
	case template != nil && template.file != "":
		to.note(settingPromptFile, template.file, agentPrefix+template.agent)
	}
}

// shownValues returns values of the flag for people and records.
func (r flagRow) shownValues(values []string) []string {
	if !r.isAddress {
		return values
	}
	shown := slices.Clone(values)
	for i, value := range shown {
		shown[i] = maskAddress(value)
	}
	return shown
}

// isSet reports whether any source has a flag.
func (r *resolvedFlags) isSet(name string) bool { return r.set.Changed(name) }

// programs yields the flags that name a program, with their values.
func (r *resolvedFlags) programs(yield func(name, program string) bool) {
	for row := range flagRows(&r.options, r.on) {
		value := r.set.Lookup(row.name).Value.String()
		if row.isProgram && value != "" && !slices.Contains(row.completes.values, value) && !yield(row.name, value) {
			return
		}
	}
}

// toRecord returns the flags for a record, as NAME=VALUE, and the names of flags that are left out because their values may
// be secrets. Fixed flags are recorded with secrets masked, as requests have them. A resumed run records the flags of its
// own command line that later ones inherit.
func (r *resolvedFlags) toRecord(t *console, isResumed bool) (kept, secret []string) {
	r.set.Visit(func(f *pflag.Flag) {
		row := r.rows[f.Name]
		rule := row.resume
		if !rule.isRecorded() || isResumed && (!r.isGiven(f.Name) || rule == once) {
			return
		}
		for _, v := range flagValues(f) {
			hidden := t.secrets.Hide(v)
			if row.isAddress {
				hidden = maskAddress(hidden) // its password may be too short for Hide
			}
			isKey := row.mayHoldKey && !strings.Contains(v, refOpen)
			switch {
			case rule.isFixed():
				kept = append(kept, f.Name+"="+hidden)
			case !isKey && hidden == v:
				kept = append(kept, f.Name+"="+v)
			case !slices.Contains(secret, f.Name):
				secret = append(secret, f.Name)
			}
		}
	})
	return kept, secret
}
