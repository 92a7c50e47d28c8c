package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"oneshot/pkg/quote"
	"oneshot/pkg/runfile"
)

// recordedRun holds the earlier runs that a run uses: none, a recording to replay, a run to resume, or both.
type recordedRun struct {
	env     Env          // in a resumed run with the directories on record
	current Env          // with those of this command
	flags   flagSource   // of the record
	agent   *loadedAgent // nil for none
	resumed *resumed     // nil for a new run
	replay  *recording   // the model, or nil
	prompt  *runfile.Run // provides prompt and input, or nil
	tools   *runfile.Run // provides the tools, or nil

	settings    map[string]runfile.Setting // of a resumed run
	secretFlags []string                   // not on record, because their values may be secrets
}

// openRecorded opens the records that the command line names, and resolves the flags. The caller has to close it.
func openRecorded(env Env, t *console, line flagSource, args []string) (*recordedRun, *resolvedFlags, error) {
	r := &recordedRun{env: env, current: env, flags: flagSource{kind: fromRecord, values: map[string][]string{}}}
	flags, err := resolveFlags(forRun, line)
	if err != nil {
		return nil, nil, err
	}
	if flags.record.resume != "" {
		if err := r.openResumed(t, flags, args); err != nil {
			return nil, nil, err
		}
	}
	if flags.agent != "" {
		if r.agent, err = loadAgent(env, t, "--agent", flags.agent); err != nil {
			return nil, nil, errors.Join(err, r.close())
		}
	}
	if flags, err = r.openReplay(t, line, args); err != nil {
		return nil, nil, errors.Join(err, r.close())
	}
	r.agent.noteIgnored(t)
	return r, flags, nil
}

// close closes the run file of a resumed run. It can be closed twice.
func (r *recordedRun) close() error {
	if r.resumed == nil {
		return nil
	}
	return r.resumed.w.Close()
}

// openResumed opens the run to resume, whose flags apply unless they are given again.
func (r *recordedRun) openResumed(t *console, flags *resolvedFlags, args []string) error {
	if len(args) > 0 {
		return usagef("omit the prompt", "--resume: the run continues with its recorded prompt")
	}
	for name, row := range flags.rows {
		if row.resume.isFixed() && flags.isGiven(name) {
			return usagef("omit the flag, or start a new run", "--%s cannot change in a resumed run", name)
		}
	}
	if err := flags.approve.check(); err != nil {
		return err
	}
	path, err := (&runsOptions{env: r.env}).find(flags.record.resume)
	if err != nil {
		return fmt.Errorf("--resume: %w", err)
	}
	if err := requireOwnFile("--resume", flags.record.resume, path); err != nil {
		return err
	}
	warnNetworkFS(t, path)
	w, log, err := runfile.Open(path)
	switch {
	case as[*runfile.DamageError](err):
		return damagedRecordError(path, err)
	case as[*runfile.LockedError](err), as[*runfile.WriteError](err):
		return err
	case err != nil:
		return &inputError{err}
	}
	if r.resumed, err = newResumed(w, path, log); err == nil {
		err = r.inherit(log, flags)
	}
	if err != nil {
		return errors.Join(err, w.Close())
	}
	return nil
}

// inherit takes flags, directories and programs from the record of a resumed run.
func (r *recordedRun) inherit(log *runfile.Log, flags *resolvedFlags) error {
	path, run := r.resumed.path, &r.resumed.run
	if run.Batch != nil {
		return usagef("repeat the command of the batch", "--resume %s: the run belongs to a batch, which continues it", path)
	}
	if err := requireSameDir("--resume", path, *run); err != nil {
		return err
	}
	if isRecording(run.Model) && flags.isGiven("model") {
		return usagef("omit --model", "--resume %s: a replay cannot continue with another model", path)
	}
	options, withheld := recordedFlags(log)
	for _, name := range withheld {
		if !flags.isGiven(name) {
			return usagef("give it again with the same value", "--resume %s: --%s is not recorded, because it may contain a secret", path, name)
		}
	}
	r.settings, r.secretFlags, r.prompt, r.tools = recordedSettings(log), withheld, run, run
	r.flags.name = path
	for _, option := range options {
		name, value, _ := strings.Cut(option, "=")
		if s, ok := r.settings[name]; ok && flags.rows[name].isProgram {
			value = s.Value
		}
		r.flags.add(name, value)
	}
	now := r.env
	r.env.Getenv = func(name string) string {
		recorded := map[string]string{"XDG_STATE_HOME": r.settings[settingState].Value, "XDG_CONFIG_HOME": r.settings[settingConfig].Value}[name]
		return cmp.Or(recorded, now.Getenv(name))
	}
	return r.resumed.checkPendingApprovals(flags.approve.calls)
}

// openReplay finds the recording that --model names, and returns the flags. A recording named by ID or "last" also provides
// its prompt and flags, unless given.
func (r *recordedRun) openReplay(t *console, line flagSource, args []string) (*resolvedFlags, error) {
	flags, err := r.resolve(forRun, t, line)
	if err != nil {
		return nil, err
	}
	if flags.record.liveTools && !flags.model.isReplay() {
		return nil, usagef("omit it", "--live-tools needs --model replay:RUN")
	}
	i := slices.IndexFunc(flags.model.names, isRecording)
	if i < 0 || flags.model.checkReplayIsOnlyModel() != nil {
		return flags, nil
	}
	name := flags.model.names[i]
	if r.replay, err = findRecording(r.env, name); err != nil {
		return nil, err
	}
	if r.replay.name == name {
		return flags, nil
	}
	if r.resumed == nil {
		if err := r.inheritReplayed(flags, args); err != nil {
			return nil, err
		}
	}
	line.values["model"] = []string{r.replay.name}
	return r.resolve(forRun, t, line)
}

// resolve resolves the flags of a command from the command line, the record, the agent and the defaults of the user. A resumed
// or replayed run uses no defaults, so that it depends on its record only.
func (r *recordedRun) resolve(on commands, t *console, line flagSource) (*resolvedFlags, error) {
	sources := []flagSource{r.flags}
	if r.agent != nil {
		source, err := r.agent.source(t, rowsOf(on), line, r.flags)
		if err != nil {
			return nil, err
		}
		if on == forBatch {
			if err := r.agent.forBatch(source, rowsOf(on)); err != nil {
				return nil, err
			}
		}
		sources = append(sources, source)
	}
	flags, err := resolveFlags(on, line, sources...)
	if err != nil {
		return nil, err
	}
	if r.resumed == nil && !slices.ContainsFunc(flags.model.names, isRecording) {
		defaults, err := t.defaults.sources()
		if err != nil {
			return nil, err
		}
		if flags, err = resolveFlags(on, line, append(sources, defaults...)...); err != nil {
			return nil, err
		}
	}
	flags.setOptionOrigins(r.agent, r.settings)
	return flags, nil
}

// inheritReplayed takes the prompt and flags of a recording.
func (r *recordedRun) inheritReplayed(flags *resolvedFlags, args []string) error {
	path := r.replay.file()
	if err := requireOwnFile("--model", path, path); err != nil {
		return err
	}
	if err := r.replay.load(r.env); err != nil {
		return err
	}
	if err := requireSameDir("--model", path, r.replay.run); err != nil {
		return err
	}
	if len(args) == 0 && !flags.isGiven("prompt-file") {
		for _, flag := range []string{"input", "attach", "var", "var-file"} {
			if flags.isGiven(flag) {
				return usagef("give a prompt as well", "--%s: the recorded prompt has its own input and variables", flag)
			}
		}
		r.prompt = &r.replay.run
	}
	if !flags.isGiven("tool") && !flags.isGiven("tools") {
		r.tools = &r.replay.run
	}
	r.flags.name = path
	options, _ := recordedFlags(r.replay.log)
	for _, option := range options {
		name, value, _ := strings.Cut(option, "=")
		rule := flags.rows[name].replay
		switch {
		case r.prompt == nil && (name == "var" || name == "var-file"): // of another prompt
		case rule == ignored, flags.isGiven(name):
		case name == "policy" && flags.record.liveTools:
			return usagef("add --policy "+quote.Shell(value)+" or another policy", "--live-tools: the recorded run had a policy, which must be given again")
		case rule == widening && flags.record.liveTools:
		default:
			r.flags.add(name, value)
		}
	}
	return nil
}

// isReplay reports whether calls get recorded results. The demo model runs its tools.
func (f *resolvedFlags) isReplay() bool { return f.model.isReplay() && !f.record.liveTools }

// isReplay reports whether --model replays a recorded run.
func (o *modelOptions) isReplay() bool {
	return slices.ContainsFunc(o.names, func(name string) bool { return strings.HasPrefix(name, "replay:") })
}

// requireOwnFile refuses a run file that belongs to another user or that others can access: its recorded flags select the
// programs to run.
func requireOwnFile(flag, name, path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", flag, runNotFoundError(name))
	case err != nil:
		return &inputError{fmt.Errorf("%s: %w", flag, err)}
	}
	return checkOwnFile(flag, path, info, 0o077)
}

// requireSameDir refuses a run that was started in another folder, which its file names are relative to.
func requireSameDir(flag, path string, run runfile.Run) error {
	here, err := os.Getwd()
	if err == nil && run.Dir != "" && !isSameFile(run.Dir, here) {
		err = usagef("cd "+quote.Shell(run.Dir), "%s %s: the run was started in %s, and its file names are relative to it", flag, path, run.Dir)
	}
	return err
}

// recordedFlags returns the current flags of a run: those of its start, updated by each resume.
func recordedFlags(log *runfile.Log) (options, withheld []string) {
	run, _ := log.Run() // validated above
	options, withheld = slices.Clone(run.Options), slices.Clone(run.SecretOptions)
	for _, record := range log.Records {
		b, ok := record.Body.(runfile.Resumed)
		if !ok {
			continue
		}
		anew := slices.Clone(b.SecretOptions)
		for _, option := range b.Options {
			name, _, _ := strings.Cut(option, "=")
			anew = append(anew, name)
		}
		old := func(option string) bool {
			name, _, _ := strings.Cut(option, "=")
			return slices.Contains(anew, name)
		}
		options = append(slices.DeleteFunc(options, old), b.Options...)
		withheld = append(slices.DeleteFunc(withheld, old), b.SecretOptions...)
	}
	return options, withheld
}
