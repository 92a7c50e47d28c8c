package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/policy"
	"oneshot/pkg/redact"
)

// single takes one call through a gate.
func (r *rig) single(name, args string) (*agent.Invocation, chat.Result, error) {
	r.t.Helper()
	gate := agent.NewGate(r.cfg.GateConfig)
	inv, err := gate.Admit(chat.Call{Name: name, Arguments: json.RawMessage(args), Executable: true})
	if err != nil {
		r.t.Fatal(err)
	}
	result, err := gate.Finish(r.t.Context(), inv)
	return inv, result, err
}

// A single call is decided, executed and recorded as a call of a run.
func TestGate(t *testing.T) {
	r := newRig(t)
	r.cfg.Policy.Secrets = new(redact.Set)
	r.cfg.Policy.Secrets.Add("very-secret-token")
	r.do["put"] = func(context.Context, string) (chat.Result, error) { return chat.Success("a very-secret-token"), nil }
	inv, result, err := r.single("put", `{"path":"a"}`)
	if err != nil || string(result.Data) != `"a ***"` || inv.Decision().Verdict != policy.Allow {
		t.Errorf("%s, %v, %+v", result.Data, err, inv.Decision())
	}
	r.wantLog("append call call", "append intent call", "sync", `start put {"path":"a"}`, `end put {"path":"a"}`, "append result call", "sync")
}

// Calls that do not run have results, too, and end no run.
func TestGateWithoutExecution(t *testing.T) {
	for name, c := range map[string]struct {
		tool, args string
		code       chat.ErrorCode
		rule       string
		rejected   bool
	}{
		"unknown":   {"lok", `{"q":"a"}`, chat.UnknownTool, "check", true},
		"arguments": {"look", `{"q":1}`, chat.InvalidArguments, "check", true},
		"twice":     {"look", `{"q":"a","q":"b"}`, chat.InvalidArguments, "floor:decode", true},
		"denied":    {"launch", `{"argv":["ls"]}`, chat.Denied, "floor:exec", false},
	} {
		r := newRig(t)
		gate := agent.NewGate(r.cfg.GateConfig)
		inv, err := gate.Admit(chat.Call{Name: c.tool, Arguments: json.RawMessage(c.args), Executable: true})
		if err != nil {
			t.Fatal(err)
		}
		_, rejected := inv.Rejection()
		result, err := gate.Finish(t.Context(), inv)
		if err != nil || result.Error == nil || result.Error.Code != c.code || rejected != c.rejected || inv.Decision().Rule != c.rule {
			t.Errorf("%s: %+v, %v, rejected %v by %s", name, result.Error, err, rejected, inv.Decision().Rule)
		}
		if strings.Contains(strings.Join(r.seen(), " "), "start") {
			t.Errorf("%s: the call was executed", name)
		}
	}
}

// Without tools every call is unknown.
func TestGateWithoutTools(t *testing.T) {
	gate := agent.NewGate(agent.GateConfig{})
	inv, err := gate.Admit(chat.Call{Name: "look", Executable: true})
	if result, rejected := inv.Rejection(); err != nil || !rejected || result.Error.Code != chat.UnknownTool {
		t.Errorf("%+v, %v, %v", result, rejected, err)
	}
}

// A call without a decision on its approval is not executed; the tool's own denial is a result.
func TestGateApproval(t *testing.T) {
	r := newRig(t)
	r.cfg.Policy = asksAbout(t, `{"version":1,"tools":{"put":{"ask":[{}]}}}`)
	_, _, err := r.single("put", `{"path":"a"}`)
	if waiting := wantError[*agent.ApprovalError](t, err); len(waiting.Requests) != 1 || !errors.Is(err, agent.ErrNoApprover) {
		t.Errorf("%v", err)
	}
	r.cfg.Approver = approves(true)
	r.do["put"] = func(context.Context, string) (chat.Result, error) { return chat.Failure(chat.Denied, "outside"), nil }
	_, result, err := r.single("put", `{"path":"a"}`)
	if err != nil || result.Error.Message != "outside" {
		t.Errorf("%+v, %v", result, err)
	}
	r.cfg.Approver = approves(false)
	inv, result, err := r.single("put", `{"path":"a"}`)
	if err != nil || result.Error.Code != chat.Denied || inv.Decision().Verdict != policy.Deny {
		t.Errorf("%+v, %v", result, err)
	}
}

// approves decides on every call.
type approves bool

func (a approves) Approve(context.Context, agent.ApprovalRequest) (agent.Approval, error) {
	return agent.Approval{Approved: bool(a), By: "tty"}, nil
}

// The calls of a gate share their budgets.
func TestGateLimits(t *testing.T) {
	r := newRig(t)
	r.cfg.Limits = agent.Limits{Calls: 2}
	gate := agent.NewGate(r.cfg.GateConfig)
	var ids []string
	for range 2 {
		inv, err := gate.Admit(chat.Call{Name: "look", Arguments: json.RawMessage(`{"q":"a"}`), Executable: true})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, gate.ApprovalRequest(inv).CallID)
	}
	if diff := cmp.Diff([]string{"call", "callx"}, ids); diff != "" {
		t.Error(diff)
	}
	_, err := gate.Admit(chat.Call{Name: "look", Executable: true})
	wantError[*agent.LimitError](t, err)
}
