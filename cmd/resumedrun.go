package cmd

import (
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
	past, err := agent.ResumeHistory(log)
	if err != nil {
		return nil, usagef("repeat the first command line with --model replay:"+quote.Shell(path)+" to print the answer again; for the run, see oneshot runs show "+quote.Shell(path), "--resume %s: %w", path, err)
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
