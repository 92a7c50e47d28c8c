package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/policy"
	"oneshot/pkg/quote"
	"oneshot/pkg/tool"
)

// An Approver decides on calls that need approval. It gets one call at a time, in the order in
// which they would run. An error explains why there is no decision.
type Approver interface {
	Approve(ctx context.Context, q ApprovalRequest) (Approval, error)
}

// An ApprovalRequest asks for the approval of a call. Approval programs get its JSON form.
type ApprovalRequest struct {
	CallID    string           `json:"toolCallId"`
	Tool      string           `json:"toolName"`
	Arguments json.RawMessage  `json:"args"`
	Digest    string           `json:"digest"`   // for audit: see [runfile.CallDigest]
	Approval  string           `json:"approval"` // the digest that an approval is bound to: of the run, the call and its preview
	Preview   chat.CallPreview `json:"preview"`
	Effect    tool.Effect      `json:"effect"`
	Purpose   string           `json:"purpose"`          // description of the tool
	Rule      string           `json:"rule"`             // the rule that requires approval
	Why       string           `json:"reason,omitempty"` // the reason that the rule gives
	Note      string           `json:"note,omitempty"`   // about the handling of the data
	Def       *tool.Definition `json:"-"`
}

// An Approval is the decision on an [ApprovalRequest].
type Approval struct {
	ID       string          // given to the decision by the approver; may be empty
	By       string          // the approver: see [runfile.Approval]
	Approved bool            // false if the approver refused
	Modified json.RawMessage // replaces the arguments of the call; nil leaves them
	Why      string
}

// An ApprovalError reports that calls need approval and that there is no approver. No call of their
// response was executed, except reads that started early.
type ApprovalError struct {
	Requests []ApprovalRequest // not empty
	Why      error             // why there is no decision on the first one; may be nil
}

func (e *ApprovalError) Error() string {
	waiting := make([]string, len(e.Requests))
	for i, q := range e.Requests {
		waiting[i] = "a call of " + q.Tool + " needs approval: " + q.Approval + " (" + q.Summary() + ")"
	}
	text := strings.Join(waiting, "; ")
	if e.Why != nil {
		text += ": " + e.Why.Error()
	}
	return text
}

// Unwrap returns the reason for the missing decision.
func (e *ApprovalError) Unwrap() error { return e.Why }

// ErrNoApprover is the reason for a missing decision without an approver.
var ErrNoApprover = errors.New("no approver is available")

// cancelledMessage is the error message that the model gets for a call refused by the approver.
const cancelledMessage = "User cancelled tool execution"

// decide returns the decision about a call that follows from the approval and from asked, the
// decision that required it. Modified arguments are checked against the definition and judged like
// those of a model, except that a rule that requires approval counts as satisfied.
func (a Approval) decide(def *tool.Definition, asked policy.Decision, policyDecision func(args json.RawMessage) policy.Decision) policy.Decision {
	d := asked
	switch {
	case !a.Approved:
		return policy.Decision{Verdict: policy.Deny, Code: chat.Denied, Why: cancelledMessage}
	case a.Modified != nil:
		faults := tool.CheckStrict(a.Modified)
		if len(faults) == 0 {
			faults = def.Check(a.Modified)
		}
		if diag.HasErrors(faults) {
			return policy.Decision{Verdict: policy.Deny, Code: chat.InvalidArguments, Why: "the approver's arguments are invalid: " + joinMessages(faults)}
		}
		if d = policyDecision(def.WithDefaults(a.Modified)); d.Verdict == policy.Deny {
			return d
		}
	}
	d.Verdict = policy.Allow
	return d
}

// maxSummaryBytes bounds the arguments in a summary.
const maxSummaryBytes = 2000

// Summary returns the arguments and effects of the call on one line, for messages.
func (q ApprovalRequest) Summary() string {
	args := string(q.Arguments)
	if len(args) > maxSummaryBytes {
		args = fmt.Sprintf("%s… (%d bytes in total)", quote.ValidPrefix(args, maxSummaryBytes), len(args))
	}
	parts := append([]string{args}, q.EffectLines()...)
	return strings.Join(parts, "; ")
}

// EffectLines returns the effects of the call, one per line.
func (q ApprovalRequest) EffectLines() []string {
	var out []string
	p := q.Preview
	if len(p.Argv) > 0 {
		out = append(out, fmt.Sprintf("runs %q", p.Argv))
	}
	if p.Request != nil {
		out = append(out, "requests "+p.Request.Method+" "+p.Request.URL)
	}
	for _, f := range p.Files {
		out = append(out, describeFile(f))
	}
	if p.Fails != "" {
		out = append(out, "would fail: "+p.Fails)
	}
	return out
}

// describeFile describes the effect on a file.
func describeFile(f chat.FilePreview) string {
	name := f.Path
	if f.Resolved != f.Path {
		name += " → " + f.Resolved
	}
	switch {
	case f.State == chat.FileMissing && f.New != nil:
		return fmt.Sprintf("creates %s (%d bytes)", name, len(f.New))
	case f.State == chat.FilePresent && f.New != nil:
		return fmt.Sprintf("replaces %s (%d bytes) with %d bytes", name, f.Bytes, len(f.New))
	case f.State == chat.FilePresent:
		return fmt.Sprintf("uses %s (%d bytes)", name, f.Bytes)
	}
	return fmt.Sprintf("uses %s (%s)", name, f.State)
}
