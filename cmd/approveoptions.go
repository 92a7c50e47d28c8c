package cmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"oneshot/pkg/agent"
	"oneshot/pkg/subprocess"
)

// approveOptions select the approver.
type approveOptions struct {
	who   string
	calls []string // approvals
}

func (o *approveOptions) check() error {
	for _, d := range o.calls {
		sum, ok := strings.CutPrefix(d, "sha256:")
		if raw, err := hex.DecodeString(sum); !ok || err != nil || len(raw) != sha256.Size || strings.ToLower(sum) != sum {
			return usagef("copy it from the error of the run that waits", "--approve-call: %q is not an approval (sha256: and 64 hexadecimal digits)", d)
		}
	}
	return nil
}

// approver returns the approver, nil for none. The model receives the results of calls.
func (o *approveOptions) approver(env Env, t *console, model string) (agent.Approver, error) {
	var next agent.Approver
	switch o.who {
	case "never":
	case "tty":
		next = &terminalApprover{console: t, model: model}
	default:
		path, err := exec.LookPath(o.who)
		if err != nil {
			return nil, usagef("use never, tty or an executable program", "--approve: %v", err)
		}
		next = &programApprover{console: t, model: model, program: subprocess.Program{Path: path, Env: desktopEnv(env), All: t.programs}}
	}
	return o.withApprovedCalls(next), nil
}

// withApprovedCalls returns an approver that approves the calls of --approve-call and leaves the others to next.
func (o *approveOptions) withApprovedCalls(next agent.Approver) agent.Approver {
	if len(o.calls) == 0 {
		return next
	}
	return &flagApprover{left: slices.Clone(o.calls), next: next}
}

// errOtherCall is the reason for a question without an answer if --approve-call names other calls.
var errOtherCall = errors.New("no --approve-call matches this call: the call or its effect has changed")

// A flagApprover approves the calls of --approve-call, each once, and asks next about the others.
type flagApprover struct {
	mu   sync.Mutex
	left []string
	next agent.Approver
}

// Approve answers a question.
func (a *flagApprover) Approve(ctx context.Context, q agent.ApprovalRequest) (agent.Approval, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.Index(a.left, q.Approval); i >= 0 {
		a.left = slices.Delete(a.left, i, i+1)
		return agent.Approval{Approved: true, By: "flag"}, nil
	}
	switch {
	case a.next != nil:
		return a.next.Approve(ctx, q)
	case len(a.left) > 0:
		return agent.Approval{}, errOtherCall
	}
	return agent.Approval{}, agent.ErrNoApprover
}
