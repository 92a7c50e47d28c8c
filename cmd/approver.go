package cmd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"

	"oneshot/pkg/agent"
	"oneshot/pkg/subprocess"
	"oneshot/pkg/tool"
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

// A programApprover asks a program: the question is JSON on its stdin, the answer JSON on
// its stdout.
type programApprover struct {
	console *console
	model   string
	program subprocess.Program
}

// maxDecisionBytes is the maximum size of a decision, in bytes.
const maxDecisionBytes = 4 << 20

// A decision is the answer of a program. Its JSON Schema is published as
// approval_decision.v1.
type decision struct {
	ID       string          `json:"approvalId"`
	Approved *bool           `json:"approved"`
	Modified json.RawMessage `json:"modifiedArgs"`
	Reason   string          `json:"reason"`
}

// Approve answers a question.
func (a *programApprover) Approve(ctx context.Context, q agent.ApprovalRequest) (agent.Approval, error) {
	q.Note = describePrivacy(q.Def, a.model)
	q.Preview.Files = slices.Clone(q.Preview.Files)
	for i, f := range q.Preview.Files {
		q.Preview.Files[i].Diff = a.console.secrets.Redact(diffText(fileDiff(f)))
	}
	question, err := json.Marshal(q)
	if err != nil {
		return agent.Approval{}, err
	}
	out, err := a.program.Output(ctx, bytes.NewReader(append(question, '\n')), maxDecisionBytes)
	if err != nil {
		return agent.Approval{}, err
	}
	d, err := readDecision(out)
	if err != nil {
		return agent.Approval{}, fmt.Errorf("%s: invalid decision: %w", a.program.Path, err)
	}
	return agent.Approval{ID: d.ID, By: "program", Approved: *d.Approved, Modified: d.Modified, Why: d.Reason}, nil
}

// readDecision parses the decision of a program. It rejects unknown members: one may be a misspelt restriction.
func readDecision(text []byte) (decision, error) {
	var d decision
	switch err := jsonv2.Unmarshal(text, &d, jsonv2.RejectUnknownMembers(true)); {
	case err != nil:
		return d, err
	case d.Approved == nil:
		return d, errors.New(`missing member "approved"`)
	}
	if string(d.Modified) == "null" {
		d.Modified = nil
	}
	return d, nil
}

// describePrivacy describes where the data of a call goes, or returns "". A call from the command line has no model.
func describePrivacy(def *tool.Definition, model string) string {
	var parts []string
	if slices.Contains(def.Labels, tool.Private) {
		parts = append(parts, "it reads private data")
	}
	switch {
	case def.HTTP != nil:
		parts = append(parts, "its arguments go to "+def.HTTP.Origin)
	case slices.Contains(def.Labels, tool.Sink):
		parts = append(parts, "its arguments can leave this machine")
	}
	if model != "" {
		parts = append(parts, "its result goes to the model "+model)
	}
	if len(parts) == 0 {
		return ""
	}
	text := strings.Join(parts, ", ")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
