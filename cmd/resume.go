package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"oneshot/pkg/agent"
	"oneshot/pkg/provider"
	"oneshot/pkg/runfile"
)

// A resumed is a run that is being resumed.
type resumed struct {
	w      *runfile.Writer
	path   string
	log    *runfile.Log
	run    runfile.Run      // its first record
	past   []runfile.Record // the records that count
	record runfile.Resumed  // that the run is resumed

	spent time.Duration   // time used so far
	given map[string]bool // flags of this command
}

// recordedOptions returns the flags to record, as name=value, and the names of flags that are withheld because their value may
// be a secret. Fixed flags are recorded with secrets masked, as requests have them.
func (o *runOptions) recordedOptions(given func(name string) bool) (kept, withheld []string) {
	rows := runFlags()
	o.set.Visit(func(f *pflag.Flag) {
		rule := rows[f.Name].resume
		if !rule.isRecorded() || !given(f.Name) {
			return
		}
		for _, v := range flagValues(f) {
			hidden := o.console.secrets.Hide(v)
			isKey := (f.Name == "header" || f.Name == "api-key") && !strings.Contains(v, refOpen)
			switch {
			case rule.isFixed():
				kept = append(kept, f.Name+"="+hidden)
			case !isKey && hidden == v:
				kept = append(kept, f.Name+"="+v)
			case !slices.Contains(withheld, f.Name):
				withheld = append(withheld, f.Name)
			}
		}
	})
	return kept, withheld
}

// loadResumed opens the run to resume, and inherits its flags unless they are given again.
func (o *runOptions) loadResumed(args []string) error {
	if len(args) > 0 {
		return usagef("omit the prompt", "--resume: the run continues with its recorded prompt")
	}
	for r := range flagRows(&o.options, forRun) {
		if r.resume.isFixed() && o.set.Changed(r.name) {
			return usagef("omit the flag, or start a new run", "--%s cannot change in a resumed run", r.name)
		}
	}
	if err := o.approve.check(); err != nil {
		return err
	}
	path, err := (&runsOptions{env: o.env}).find(o.record.resume)
	if err != nil {
		return err
	}
	if err := requireOwnFile("--resume", o.record.resume, path); err != nil {
		return err
	}
	warnNetworkFS(o.console, path)
	w, log, err := runfile.Open(path)
	switch {
	case as[*runfile.DamageError](err):
		return damagedRecordError(path, err)
	case as[*runfile.LockedError](err), as[*runfile.WriteError](err):
		return err
	case err != nil:
		return &inputError{err}
	}
	r := &resumed{w: w, path: path, log: log, spent: log.ActiveTime()}
	if err := r.read(log, o); err != nil {
		return errors.Join(err, w.Close())
	}
	o.resumed, o.runID, o.runPath = r, r.run.ID, path
	return nil
}

// requireOwnFile refuses a run file that belongs to another user or that others can access: its recorded flags select the
// programs to run.
func requireOwnFile(flag, name, path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !isRunPath(name):
		return &hintedError{&inputError{fmt.Errorf("%s: run %q not found", flag, name)}, showsIDs}
	case errors.Is(err, fs.ErrNotExist):
		return &hintedError{&inputError{fmt.Errorf("%s: run file %s not found", flag, path)}, showsIDs}
	case err != nil:
		return &inputError{fmt.Errorf("%s: %w", flag, err)}
	}
	if !info.Mode().IsRegular() { // a pipe may block
		return &inputError{fmt.Errorf("%s %s: not a regular file", flag, path)}
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return usagef("copy it, if you trust it", "%s %s: the file belongs to another user", flag, path)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return usagef("chmod 600 "+shellQuote(path)+", if it is your own record",
			"%s %s: the file has mode %04o: others can access it, so its flags are not trusted", flag, path, mode)
	}
	return nil
}

// read restores the state and the flags of the run.
func (r *resumed) read(log *runfile.Log, o *runOptions) (err error) {
	if r.past, err = agent.History(log); err != nil {
		return usagef("the first command line with --model replay:"+shellQuote(r.path)+" prints the answer again; oneshot runs show "+shellQuote(r.path)+" shows the run", "--resume %s: %w", r.path, err)
	}
	r.run, _ = log.Run() // validated above
	if err := requireSameDir("--resume", r.path, r.run); err != nil {
		return err
	}
	if isRecording(r.run.Model) && o.set.Changed("model") {
		return usagef("omit --model", "--resume %s: a replay cannot continue with another model", r.path)
	}
	o.answers.given, r.given = o.answers.names(), map[string]bool{}
	o.set.Visit(func(f *pflag.Flag) { r.given[f.Name] = true })
	if err := r.inheritFlags(log, o); err != nil {
		return err
	}
	o.inheritSettings(recordedSettings(log), r.given)
	return r.checkPendingApprovals(o.approve.calls)
}

// requireSameDir refuses a run that was started in another folder, which its file names are relative to.
func requireSameDir(flag, path string, run runfile.Run) error {
	here, err := os.Getwd()
	if err == nil && run.Dir != "" && !isSameFile(run.Dir, here) {
		err = usagef("cd "+shellQuote(run.Dir), "%s %s: the run was started in %s, and its file names are relative to it", flag, path, run.Dir)
	}
	return err
}

// inheritFlags sets the recorded flags that are not given again.
func (r *resumed) inheritFlags(log *runfile.Log, o *runOptions) error {
	options, withheld := recordedFlags(log)
	o.secretFlags = withheld
	for _, name := range withheld {
		if !r.given[name] {
			return usagef("give it again with the same value", "--resume %s: --%s is not recorded, because it may contain a secret", r.path, name)
		}
	}
	for _, option := range options {
		name, value, _ := strings.Cut(option, "=")
		switch {
		case name == "answer":
			o.answers.addRecorded(value)
			continue
		case r.given[name]:
			continue
		}
		if err := o.set.Set(name, value); err != nil {
			return &inputError{fmt.Errorf("%s: recorded option %s: %w", r.path, name, err)}
		}
	}
	return nil
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

// checkPendingApprovals refuses --approve-call if no call waits for approval. It accepts recorded approvals, so that an
// interrupted command can be repeated.
func (r *resumed) checkPendingApprovals(approvals []string) error {
	calls, approved := map[string]bool{}, map[string]bool{}
	for _, record := range r.past {
		switch b := record.Body.(type) {
		case runfile.Call:
			if b.Verdict == "ask" {
				calls[b.ID] = true
			}
		case runfile.Approval:
			approved[b.Approval] = approved[b.Approval] || b.Approved
		case runfile.Intent:
			delete(calls, b.Call)
		case runfile.Result:
			delete(calls, b.Call)
		}
	}
	for _, a := range approvals {
		if len(calls) == 0 && !approved[a] {
			return usagef("omit it", "--approve-call: no call of the run waits for approval: %s", a)
		}
	}
	return nil
}

// minTimeLeft is too short for any request. A run has used a bit more time than its records show.
const minTimeLeft = 100 * time.Millisecond

// applyTo restores the recorded configuration, and refuses definitions, policies or schemas that have changed.
func (r *resumed) applyTo(cfg *agent.Config, o *runOptions) error {
	var err error
	if r.record, err = agent.Resume(r.log, cfg); err != nil {
		return &inputError{fmt.Errorf("%s: %w", r.path, err)}
	}
	if cfg.Limits.Wall-cfg.Elapsed < minTimeLeft {
		return &agent.TimeoutError{Limit: cfg.Limits.Wall, Elapsed: cfg.Elapsed}
	}
	if player, ok := cfg.Model.(*provider.Replay); ok {
		player.Skip(r.past)
	}
	now, err := runRecord(o.env, *cfg, o)
	if err != nil {
		return err
	}
	was, is := r.run.Digests, now.Digests
	if names := changedNames(was.Tools, is.Tools); len(names) > 0 {
		return usagef("restore them, or start a new run", "--resume %s: tool definitions have changed since the run started: %s", r.path, strings.Join(names, ", "))
	}
	for _, part := range []struct{ name, was, is string }{
		{"the managed policy", was.Managed, is.Managed}, {"the policy", was.Policy, is.Policy},
		{"the schema", was.Schema, is.Schema}, {"the system prompt", was.Prompt, is.Prompt}, // it depends on the tools
		{"the confinement of programs", string(r.run.Programs), string(o.console.secrets.HideJSON(now.Programs))},
	} {
		if part.was != part.is {
			return usagef("restore it, or start a new run", "--resume %s: %s has changed since the run started", r.path, part.name)
		}
	}
	return nil
}

// changedNames returns the names whose digests are not the same in both.
func changedNames(was, is map[string]string) []string {
	all := map[string]string{}
	maps.Copy(all, was)
	maps.Copy(all, is)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool { return was[name] == is[name] })
}

// appendResumed records that the run is resumed.
func (r *resumed) appendResumed(o *runOptions) (*runfile.Writer, error) {
	body := r.record
	body.Approve = o.approve.calls
	rows := runFlags()
	body.Options, body.SecretOptions = o.recordedOptions(func(name string) bool { return r.given[name] && rows[name].resume != once })
	body.Resolved = o.settings()
	o.secretFlags = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(o.secretFlags), body.SecretOptions...))))
	return r.w, r.w.Append(body)
}

// shellQuote quotes a word for a shell.
func shellQuote(word string) string {
	if !strings.ContainsFunc(word, func(r rune) bool { return !isWord(r) && !strings.ContainsRune("/.-_:@%+,", r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
