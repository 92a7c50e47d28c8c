package cmd

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"oneshot/pkg/provider/ollama"
	"oneshot/pkg/redact"
	"oneshot/pkg/runfile"
)

// Names of resolved settings, and sources other than flags and environment variables.
const (
	settingServer = "server "    // followed by a provider name
	settingState  = "state_home" // the parent of the state directory, as XDG_STATE_HOME names it
	settingConfig = "config_home"
	// A resumed run does not read this file, but its tools must not change it either.
	settingPromptFile = "prompt-file"

	sourceDefault   = "default"
	sourceOnlyModel = "the only model of Ollama"
)

// A resolution holds the settings of a run that do not depend on the command line alone. A resumed run takes them
// from its record, and not from the environment.
type resolution struct {
	recorded map[string]runfile.Setting // of the run that is resumed

	mu    sync.Mutex        // doctor looks at several servers at once
	found []runfile.Setting // of this command
}

// note adds a setting, once.
func (r *resolution) note(name, value, source string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.found {
		if s.Name == name && s.Value == value {
			return
		}
	}
	r.found = append(r.found, runfile.Setting{Name: name, Value: value, Source: source})
}

// clone returns a copy with the settings noted so far.
func (r *resolution) clone() *resolution {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &resolution{recorded: r.recorded, found: slices.Clone(r.found)}
}

// recordedSettings returns the settings on record by name. Later ones replace earlier ones.
func recordedSettings(log *runfile.Log) map[string]runfile.Setting {
	settings := map[string]runfile.Setting{}
	add := func(all []runfile.Setting) {
		for _, s := range all {
			settings[s.Name] = s
		}
	}
	for _, record := range log.Records {
		switch b := record.Body.(type) {
		case runfile.Run:
			add(b.Resolved)
		case runfile.Resumed:
			add(b.Resolved)
		}
	}
	return settings
}

// directorySource returns the source of a directory: the variable, or HOME if it is not set.
func (r *resolution) directorySource(env Env, setting, name string) string {
	if s, ok := r.recorded[setting]; ok {
		return s.Source
	}
	if filepath.IsAbs(env.Getenv(name)) {
		return "environment " + name
	}
	return "environment HOME"
}

// recordedURL returns a URL with credentials masked, for records.
func recordedURL(t *console, u *url.URL) string {
	return t.secrets.Hide(maskUserInfo(u.String()))
}

// ollamaHost returns the address of Ollama, nil for the default, and its source in the form of records. A resumed run has the
// address on record, and any other run that of OLLAMA_HOST. Credentials are never on record: they come from OLLAMA_HOST, if it
// still names that address.
func (o *resolution) ollamaHost(env Env, t *console) (*url.URL, string, error) {
	const source = "environment OLLAMA_HOST"
	var now *url.URL
	recorded, resumed := o.recorded[settingServer+"ollama"]
	hasSecret := strings.Contains(recorded.Value, redact.Mask)
	if host := env.Getenv("OLLAMA_HOST"); host != "" && (!resumed || hasSecret) {
		u, err := serverURL("OLLAMA_HOST", host)
		if err != nil {
			return nil, "", err
		}
		t.hideURL("OLLAMA_HOST", u)
		now = ollama.CompleteURL(u)
	}
	switch {
	case resumed && hasSecret:
		if now == nil || recordedURL(t, now) != recorded.Value {
			return nil, "", usagef("set OLLAMA_HOST to that address with its credentials", "--resume: the credentials of %s are not on record", recorded.Value)
		}
		return now, recorded.Source, nil
	case resumed && recorded.Source == source:
		u, err := serverURL("--resume", recorded.Value)
		return u, recorded.Source, err
	case now != nil:
		return now, source, nil
	}
	return nil, sourceDefault, nil
}

// describeAgentFile returns a line for the agent of a run, none without one.
func describeAgentFile(a *runfile.Agent) []string {
	if a == nil {
		return nil
	}
	return []string{"agent " + a.Name + " (" + a.File + ", " + a.Digest + ")"}
}

// describeSettings returns a line for each setting.
func describeSettings(settings []runfile.Setting) (lines []string) {
	for _, s := range settings {
		lines = append(lines, s.Name+" = "+s.Value+" ("+s.Source+")")
	}
	return lines
}
