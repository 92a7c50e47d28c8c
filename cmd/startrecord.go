package cmd

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"oneshot/pkg/agent"
	"oneshot/pkg/runfile"
)

// recordOptions select the record of a run.
type recordOptions struct {
	file      string
	noRecord  bool
	liveTools bool
	resume    string
}

// startRecord starts the record of the run, or continues that of a resumed run, and starts its events. It returns nil with
// --no-run-file.
func (r *runState) startRecord(p *runPlan) (*runfile.Writer, error) {
	o := &p.flags.record
	if o.noRecord && o.file != "" {
		return nil, usagef("omit one of them", "--run-file cannot be combined with --no-run-file")
	}
	if o.file == "-" {
		return nil, usagef("name a file", "--run-file cannot be -: stdout carries the answer")
	}
	if r.recorded.resumed != nil {
		return r.appendResumeRecord(p)
	}
	body, err := p.record(p.config)
	if err != nil {
		return nil, err
	}
	r.id = body.ID
	if o.noRecord {
		return nil, p.console.events.begin(p.flags.output, p.flags.isReplay(), body)
	}
	path := o.file
	if path == "" {
		dir, err := makeStateDir(p.env, "runs")
		if err != nil {
			return nil, err
		}
		path = filepath.Join(dir, body.ID+".jsonl")
	}
	warnNetworkFS(p.console, path)
	w, err := r.createRecord(path, body)
	if err != nil {
		return nil, err
	}
	return w, p.console.events.begin(p.flags.output, p.flags.isReplay(), body)
}

// createRecord creates a run file.
func (r *runState) createRecord(path string, body runfile.Run) (*runfile.Writer, error) {
	hidden, err := maskBody(r.console.secrets, body)
	if err != nil {
		return nil, err
	}
	w, err := runfile.Create(path, hidden.(runfile.Run))
	if err != nil {
		return nil, runFileCreationError(path, err)
	}
	r.path, r.secretFlags = path, body.SecretOptions
	return w, nil
}

// appendResumeRecord records that the run is resumed.
func (r *runState) appendResumeRecord(p *runPlan) (*runfile.Writer, error) {
	body := p.resumes
	body.Approve, body.Resolved = p.flags.approve.calls, p.settings()
	body.Options, body.SecretOptions = p.flags.toRecord(p.console, true)
	r.secretFlags = slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.secretFlags, body.SecretOptions))))
	var past []runfile.Body
	for _, record := range r.recorded.resumed.past {
		past = append(past, record.Body)
	}
	if err := p.console.events.begin(p.flags.output, p.flags.isReplay(), past...); err != nil {
		return nil, err
	}
	w := r.recorded.resumed.w
	return w, redactingRecorder{w, p.console.secrets}.Append(body)
}

// runFileCreationError returns a usage error for a wrong --run-file, and an output error otherwise.
func runFileCreationError(path string, err error) error {
	switch {
	case errors.Is(err, os.ErrExist):
		return usagef("choose a new file; run files are never overwritten", "--run-file: %s exists", path)
	case errors.Is(err, os.ErrNotExist):
		return usagef("create it first", "--run-file: no such directory: %s", filepath.Dir(path))
	case as[*runfile.LockedError](err), as[*runfile.WriteError](err):
		return err
	}
	return &outputError{err}
}

// record returns the first record of the run.
func (p *runPlan) record(cfg agent.Config) (runfile.Run, error) {
	system, err := cfg.SystemPrompt()
	if err != nil {
		return runfile.Run{}, err
	}
	body, err := cfg.RunRecord()
	if err != nil {
		return runfile.Run{}, err
	}
	body.ID = runfile.NewID(p.env.Now(), rand.Uint64())
	body.Model, body.Responder, body.InputSources = p.models.names[0], p.flags.model.responder, p.texts.sources
	prompt := []string{system, cfg.Prompt, cfg.Input}
	for _, a := range cfg.Attachments {
		prompt = append(prompt, a.SHA256)
	}
	body.Digests = runfile.Digests{Prompt: digest(prompt...), Tools: toolDigests(cfg), Policy: policyDigest(cfg), Managed: p.managed.digest()}
	if cfg.Schema != nil {
		body.Digests.Schema = digest(string(cfg.Schema.Raw()))
	}
	body.Limits.FirstByte, body.Limits.Idle = p.flags.model.servers.firstByte, p.flags.model.servers.idle
	if p.recorded.replay != nil {
		body.Responder = p.recorded.replay.run.Responder
	}
	body.Options, body.SecretOptions = p.flags.toRecord(p.console, false)
	body.Programs = p.programs.doc()
	body.Agent = p.recorded.agent.record()
	body.Resolved = p.settings()
	body.Dir, err = os.Getwd()
	return body, err
}

// settings returns the resolved settings with their sources, as a record holds them.
func (p *runPlan) settings() []runfile.Setting {
	r := p.resolved.clone()
	if dir, err := stateDir(p.env, ""); err == nil {
		r.note(settingState, filepath.Dir(dir), r.directorySource(p.env, settingState, "XDG_STATE_HOME"))
	}
	if dir := configDir(p.env); dir != "" {
		r.note(settingConfig, filepath.Dir(dir), r.directorySource(p.env, settingConfig, "XDG_CONFIG_HOME"))
	}
	p.flags.noteSources(r)
	for name, program := range p.flags.programs {
		if path, err := exec.LookPath(program); err == nil {
			r.note(name, path, cmp.Or(r.recorded[name].Source, "flag --"+name+", environment PATH"))
		}
	}
	return r.found
}
