package agent

import (
	"context"

	"oneshot/pkg/chat"
)

// NewGate returns the gate for calls outside of a run.
func NewGate(cfg GateConfig) *Gate {
	g := newGate(cfg, newJournal(cfg, nil), untrustedData{})
	g.native = true
	return g
}

// Admit checks, counts, decides and records a call, and does not run it. An error of the call itself
// is its [Invocation.Rejection]. The error is a *[LimitError] or comes from the recorder.
func (g *Gate) Admit(call chat.Call) (*Invocation, error) {
	inv := g.newInvocation(call, "call")
	_, err := g.admit(inv, 0, nil, false)
	return inv, err
}

// Finish asks for the approval of an admitted call if the policy requires it, runs the call and
// records its result, also that of a denied call. The error is an *[ApprovalError] if there is no
// decision, or comes from the runner or the recorder; if the context ended, it is its cause. A call
// is finished once.
func (g *Gate) Finish(ctx context.Context, inv *Invocation) (chat.Result, error) {
	b := newBatch(ctx, g)
	b.invocations = []*Invocation{inv}
	err := b.approve()
	if err == nil {
		err = b.runAlone(inv)
	}
	if err != nil {
		return inv.result, joinErrors(err, b.discard("the call was given up"))
	}
	b.cancel(nil)
	return inv.result, nil
}
