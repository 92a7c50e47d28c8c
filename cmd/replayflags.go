package cmd

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"oneshot/pkg/runfile"
)

// isReplay reports whether calls get recorded results. The demo model runs its tools.
func (o *runOptions) isReplay() bool { return o.model.isReplay() && !o.record.liveTools }

// isReplay reports whether --model replays a recorded run.
func (o *modelOptions) isReplay() bool {
	return slices.ContainsFunc(o.names, func(name string) bool { return strings.HasPrefix(name, "replay:") })
}

// recordingFile returns the run file of "replay:NAME".
func recordingFile(env Env, name string) (string, error) {
	if name == "" {
		return "", usagef("use replay:last, replay:ID or replay:FILE", "--model replay: missing run")
	}
	path, err := (&runsOptions{env: env}).find(name)
	if err != nil || isRunPath(name) {
		return path, err
	}
	if _, err := os.Stat(path); err != nil {
		hint := showsIDs
		if _, err := os.Stat(name); err == nil {
			hint = "use --model replay:./" + name + " for the file"
		}
		return "", &hintedError{&inputError{fmt.Errorf("--model: run %q not found", name)}, hint}
	}
	return path, nil
}

// loadReplayed finds the run to replay. A run named by ID or "last" also provides its prompt and flags, unless given.
func (o *runOptions) loadReplayed(args []string) error {
	if o.record.liveTools && !o.model.isReplay() {
		return usagef("omit it", "--live-tools needs --model replay:RUN")
	}
	for i, model := range o.model.names {
		name, ok := strings.CutPrefix(model, "replay:")
		if !ok {
			continue
		}
		path, err := recordingFile(o.env, name)
		if err != nil {
			return err
		}
		o.model.names[i] = "replay:" + path
		if isRunPath(name) || o.resumed != nil {
			continue
		}
		if err := o.replayByID(path, args); err != nil {
			return err
		}
	}
	return nil
}

// replayByID inherits the prompt and flags of a recorded run.
func (o *runOptions) replayByID(path string, args []string) error {
	if err := requireOwnFile("--model", path, path); err != nil {
		return err
	}
	_, log, err := openRecording(o.env, "replay:"+path)
	if err != nil {
		return err
	}
	run, _ := log.Run() // it has one, or it is no recording
	if err := requireSameDir("--model", path, run); err != nil {
		return err
	}
	if len(args) == 0 && o.prompt.file == "" {
		for _, flag := range []string{"input", "var", "var-file"} {
			if o.set.Changed(flag) {
				return usagef("give a prompt as well", "--%s: the recorded prompt has its own input and variables", flag)
			}
		}
		o.replayed = &run
	}
	return o.inheritReplayedFlags(path, log)
}

// inheritReplayedFlags sets the flags of a recorded run that are not given.
func (o *runOptions) inheritReplayedFlags(path string, log *runfile.Log) error {
	options, _ := recordedFlags(log)
	rows, given := runFlags(), map[string]bool{}
	if !o.set.Changed("tool") && !o.set.Changed("tools") {
		run, _ := log.Run() // it has one, or it is no recording
		o.toolsOf = &run
	}
	for _, option := range options {
		name, value, _ := strings.Cut(option, "=")
		if _, seen := given[name]; !seen {
			given[name] = o.set.Changed(name)
		}
		widens := rows[name].replay == widening
		switch {
		case o.replayed == nil && (name == "var" || name == "var-file"): // of another prompt
		case given[name], rows[name].replay == ignored:
		case name == "policy" && o.record.liveTools:
			return usagef("add --policy "+shellQuote(value)+" or another policy", "--live-tools: the recorded run had a policy, which must be given again")
		case widens && o.record.liveTools:
		default:
			if err := o.set.Set(name, value); err != nil {
				return &inputError{fmt.Errorf("%s: recorded option %s: %w", path, name, err)}
			}
		}
	}
	return nil
}
