package cmd

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

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

// startRecord starts the record of the run, or continues that of a resumed run. It returns nil with --no-run-file.
func (r *runState) startRecord(p *runPlan) (*runfile.Writer, error) {
	o := &p.flags.record
	if o.noRecord && o.file != "" {
		return nil, usagef("", "--run-file and --no-run-file contradict each other")
	}
	if o.file == "-" {
		return nil, usagef("name a file", "--run-file: cannot be stdout, which gets the answer")
	}
	if r.recorded.resumed != nil {
		return r.continueRecord(p)
	}
	body, err := p.record(p.config)
	if err != nil {
		return nil, err
	}
	r.id = body.ID
	if o.noRecord {
		return nil, nil
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
	hidden, err := hideBody(p.console.secrets, body)
	if err != nil {
		return nil, err
	}
	w, err := runfile.Create(path, hidden.(runfile.Run))
	if err != nil {
		return nil, runFileError(path, err)
	}
	r.path, r.secretFlags = path, body.SecretOptions
	return w, nil
}

// continueRecord records that the run is resumed.
func (r *runState) continueRecord(p *runPlan) (*runfile.Writer, error) {
	body := p.resumes
	body.Approve, body.Resolved = p.flags.approve.calls, p.settings()
	body.Options, body.SecretOptions = p.flags.toRecord(p.console, true)
	r.secretFlags = slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.secretFlags, body.SecretOptions))))
	return r.recorded.resumed.w, r.recorded.resumed.w.Append(body)
}

// warnNetworkFS warns about a run file on a network file system.
func warnNetworkFS(t *console, path string) {
	if kind := runfile.RemoteFileSystem(filepath.Dir(path)); kind != "" {
		t.note("the run file is on a network file system (%s) with weaker locks and syncs: after a crash a change could run twice", kind)
	}
}

// runFileError returns a usage error for a wrong --run-file, and an output error otherwise.
func runFileError(path string, err error) error {
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

// stateDir returns the state directory of a kind, such as "runs" or "locks".
func stateDir(env Env, kind string) (string, error) {
	if dir := env.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "oneshot", kind), nil
	}
	home := env.Getenv("HOME")
	if home == "" {
		return "", usagef("set HOME or XDG_STATE_HOME, or use --run-file or --no-run-file", "no state directory: HOME and XDG_STATE_HOME are not set")
	}
	return filepath.Join(home, ".local", "state", "oneshot", kind), nil
}

// makeStateDir creates and returns the state directory of a kind.
func makeStateDir(env Env, kind string) (string, error) {
	dir, err := stateDir(env, kind)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		hint := "set XDG_STATE_HOME to a writable directory; for a run, use --run-file FILE or --no-run-file"
		return "", &hintedError{&outputError{fmt.Errorf("state directory: %w", err)}, hint}
	}
	for _, own := range []string{filepath.Dir(dir), dir} {
		if err := restrictToOwner(own); err != nil {
			return "", &outputError{fmt.Errorf("state directory: %w", err)}
		}
	}
	return dir, nil
}

// restrictToOwner removes access for others to a directory, which must belong to the user.
func restrictToOwner(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return &hintedError{fmt.Errorf("%s belongs to another user", dir), "set XDG_STATE_HOME to a directory of your own"}
	}
	if info.Mode()&0o077 == 0 {
		return nil
	}
	return os.Chmod(dir, 0o700)
}

// record returns the first record of the run.
func (p *runPlan) record(cfg agent.Config) (runfile.Run, error) {
	system, err := cfg.SystemPrompt()
	if err != nil {
		return runfile.Run{}, err
	}
	body, err := cfg.Record()
	if err != nil {
		return runfile.Run{}, err
	}
	body.ID = runfile.NewID(p.env.Now(), rand.Uint64())
	body.Model, body.Responder, body.InputSources = p.models.names[0], p.flags.model.responder, p.texts.sources
	body.Digests = runfile.Digests{Prompt: digest(system, cfg.Prompt, cfg.Input), Tools: toolDigests(cfg), Policy: policyDigest(cfg), Managed: p.managed.digest()}
	if cfg.Schema != nil {
		body.Digests.Schema = digest(string(cfg.Schema.Raw()))
	}
	body.Limits.FirstByte, body.Limits.Idle = p.flags.model.servers.firstByte, p.flags.model.servers.idle
	if p.recorded.replay != nil {
		body.Responder = p.recorded.replay.run.Responder
	}
	body.Options, body.SecretOptions = p.flags.toRecord(p.console, false)
	body.Programs = p.programs.doc()
	body.Resolved = p.settings()
	body.Dir, err = os.Getwd()
	return body, err
}

// digest returns the SHA-256 of a list of texts. It includes their lengths, so that moving text from one to the next
// changes it.
func digest(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%d:%s", len(t), t) // a hash takes everything
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// toolDigests identify the definitions of the tools, by name.
func toolDigests(cfg agent.Config) map[string]string {
	if cfg.Tools == nil {
		return nil
	}
	digests := map[string]string{}
	for _, d := range cfg.Tools.All() {
		texts := []string{d.Description, string(d.Schema), string(d.Effect), d.Builtin, strings.Join(d.Scopes, " "), fmt.Sprint(d.Labels),
			fmt.Sprint(d.AnyScopes, d.Connection, d.Identifiers, d.Ask), fmt.Sprint(d.Returns, d.Idempotent, d.KeyEnv, d.Timeout, d.Rate, d.MaxBytes, d.ModelBytes, d.Tags)}
		if d.PromptExamples != nil {
			texts = append(texts, "prompt_examples "+strconv.Itoa(*d.PromptExamples))
			for _, e := range d.Examples {
				texts = append(texts, e.Call)
			}
		}
		if d.Exec != nil {
			texts = append(texts, string(d.Exec.Raw))
		}
		if d.HTTP != nil {
			texts = append(texts, string(d.HTTP.Raw), d.KeyHeader)
		}
		digests[d.Name] = digest(texts...)
	}
	return digests
}

func policyDigest(cfg agent.Config) string {
	text, err := json.Marshal(cfg.Policy.Flags)
	if err != nil {
		panic(err) // strings and booleans always have a JSON form
	}
	texts := []string{string(text)}
	for _, l := range cfg.Policy.Layers {
		texts = append(texts, string(l.Raw))
	}
	return digest(texts...)
}
