package cmd

import (
	"encoding/json"
	"time"

	"oneshot/pkg/agent"
	"oneshot/pkg/policy"
	"oneshot/pkg/runfile"
	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
)

// A sharedPlan holds everything that all runs of a command depend on, resolved once: the flags (see [resolveFlags]), and the
// files, tools and models that they name.
type sharedPlan struct {
	env      Env
	console  *console
	flags    *resolvedFlags
	recorded *recordedRun

	secrets  secretStore
	resolved *resolution
	policy   policy.Policy
	managed  *managedPolicy // nil without one
	tools    *tool.Registry // nil for none
	access   toolAccess
	programs *confined
	secret   func(name string) string // for requests of tools
	schema   *schema.Schema
	params   map[string]json.RawMessage // of requests
	models   *chosenModels
}

// A runPlan is everything that a run depends on, resolved before its first request.
type runPlan struct {
	sharedPlan
	texts   promptTexts
	stdin   *unnamedStdin
	config  agent.Config    // except for the record and the environment of tools
	resumes runfile.Resumed // the record of the resumption, for a resumed run
}

// clock returns the time of the run: from a flag, else from the record, else from the clock.
func (f *resolvedFlags) clock(env Env, recorded time.Time) (now time.Time, err error) {
	switch {
	case f.now != "":
		if now, err = time.Parse(time.RFC3339, f.now); err != nil {
			return now, usagef("for example --now 2026-11-21T09:30:00+01:00", "--now: %q is not an RFC 3339 time", f.now)
		}
		now = runfile.InZone(now, now.Format("MST"))
	case !recorded.IsZero():
		now = recorded
	default:
		now = env.Now()
		name, _ := now.Zone()
		now = runfile.InZone(now, name) // the zone of the machine is called "Local", which names no zone
	}
	if f.zone != "" {
		zone, err := time.LoadLocation(f.zone)
		if err != nil {
			return now, usagef("for example --tz Europe/Berlin", "--tz: unknown time zone %q", f.zone)
		}
		now = now.In(zone)
	}
	return now, nil
}
