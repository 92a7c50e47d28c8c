package cmd

import (
	"maps"
	"slices"
	"strings"
	"time"

	"oneshot/pkg/agent"
	"oneshot/pkg/quote"
	"oneshot/pkg/runfile"
)

// A resumed is a run that is being resumed.
type resumed struct {
	w    *runfile.Writer
	path string
	log  *runfile.Log
	run  runfile.Run      // its first record
	past []runfile.Record // the records that count
}

// newResumed returns the state of a run that has not finished.
func newResumed(w *runfile.Writer, path string, log *runfile.Log) (*resumed, error) {
	past, err := agent.History(log)
	if err != nil {
		return nil, usagef("the first command line with --model replay:"+quote.Shell(path)+" prints the answer again; oneshot runs show "+quote.Shell(path)+" shows the run", "--resume %s: %w", path, err)
	}
	run, _ := log.Run() // validated above
	return &resumed{w, path, log, run, past}, nil
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

// checkUnchanged refuses to resume a run whose definitions, policy, schema or prompt have changed.
func (p *runPlan) checkUnchanged(cfg agent.Config) error {
	r := p.recorded.resumed
	now, err := p.record(cfg)
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
		{"the confinement of programs", string(r.run.Programs), string(p.console.secrets.HideJSON(now.Programs))},
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
