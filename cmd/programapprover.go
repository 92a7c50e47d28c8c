package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"oneshot/pkg/agent"
	"oneshot/pkg/subprocess"
)

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
	q.Note = describeDataFlow(q.Def, a.model)
	q.Preview.Files = slices.Clone(q.Preview.Files)
	for i, f := range q.Preview.Files {
		q.Preview.Files[i].Diff = a.console.secrets.Redact(diffText(fileDiff(f)))
	}
	question, err := json.Marshal(q)
	if err != nil {
		return agent.Approval{}, err
	}
	defer a.console.live.suspend()() // the program may ask at the terminal
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
