package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"oneshot/pkg/agent"
)

// A flagSource has values of flags: the command line, or a record.
type flagSource struct {
	name   string // for errors
	values map[string][]string
}

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
	on   commands
	rows map[string]flagRow
	set  *pflag.FlagSet
	line flagSource
}

// resolveFlags sets each flag of a command from the first source that has it: the command line, then the record of a run. The default
// of the table applies if none has it.
func resolveFlags(on commands, line flagSource, others ...flagSource) (*resolvedFlags, error) {
	r := &resolvedFlags{options: options{limits: agent.DefaultLimits()}, on: on, rows: map[string]flagRow{}, set: pflag.NewFlagSet("run", pflag.ContinueOnError), line: line}
	for row := range flagRows(&r.options, r.on) {
		row.define(r.set)
		r.rows[row.name] = row
		for _, source := range append([]flagSource{line}, others...) {
			values := row.missingValues(source.values[row.name], r.set)
			for _, value := range values {
				if err := r.set.Set(row.name, value); err != nil {
					return nil, &inputError{fmt.Errorf("%s: --%s %s: %w", source.name, row.name, value, err)}
				}
			}
		}
	}
	return r, checkFlags(r.set)
}

// missingValues returns the values that a source adds to those of the sources before it: all if they have none. A flag that
// merges pairs takes those with other keys.
func (r flagRow) missingValues(values []string, set *pflag.FlagSet) []string {
	if !set.Changed(r.name) {
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
