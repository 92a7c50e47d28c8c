package cmd

import (
	"encoding/json"
	"time"

	"oneshot/pkg/agent"
	"oneshot/pkg/diag"
	"oneshot/pkg/executor"
	"oneshot/pkg/policy"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// A decisionDoc is the decision that "tools call --dry-run" prints, with the names of run files.
type decisionDoc struct {
	Tool      string          `json:"tool"`
	Effect    tool.Effect     `json:"effect"`
	Verdict   policy.Verdict  `json:"verdict"`
	Rule      string          `json:"rule"`
	Why       string          `json:"why,omitempty"`
	Hint      string          `json:"hint,omitempty"`
	Labels    []tool.Label    `json:"labels,omitempty"`
	WaitMS    int64           `json:"wait_ms,omitempty"` // for rates shared with other runs
	MaxBytes  int64           `json:"max_bytes,omitempty"`
	Proposed  json.RawMessage `json:"proposed"`           // arguments as given
	Effective json.RawMessage `json:"effective"`          // arguments as executed
	Digest    string          `json:"digest"`             // of the tool and the effective arguments
	Argv      []string        `json:"argv,omitempty"`     // of the program
	Request   *requestDoc     `json:"request,omitempty"`  // with secrets masked
	Fails     string          `json:"fails,omitempty"`    // why the call would fail before it takes effect
	Programs  json.RawMessage `json:"programs,omitempty"` // its confinement: see [programsDoc]
	Managed   *managedDoc     `json:"managed_policy,omitempty"`
}

// printDecision prints the decision about a call without running it.
func (p *callPlan) printDecision(env executor.Env, gate *agent.Gate, inv *agent.Invocation) error {
	d, def := inv.Decision(), p.def
	proposed, effective := p.console.secrets.HideData(p.args), p.console.secrets.HideData(d.Arguments)
	doc := decisionDoc{
		Tool: def.Name, Effect: def.Effect, Verdict: d.Verdict, Rule: d.Rule, Why: d.Why, Hint: d.Hint, Labels: d.Labels, MaxBytes: d.MaxBytes,
		Proposed: proposed, Effective: effective, Digest: runfile.CallDigest(def.Name, effective),
		Programs: p.programs.doc(), Managed: p.managed.doc(),
	}
	if d.Verdict != policy.Deny {
		now := time.Now()
		wait, err := d.ReserveStart(&policy.State{}, "", now)
		if err != nil {
			return err
		}
		doc.WaitMS = wait.Milliseconds()
		would, err := env.DryRun(def, d.Arguments)
		if doc.Argv = would.Argv; err != nil {
			doc.Fails = err.Error()
		}
		if r := would.Request; r != nil {
			doc.Request = &requestDoc{r.Method, r.URL, joinHeaders(r.Header), jsonOrText(r.Body), nil, nil}
		}
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	if _, err := p.console.out.Write(append(diag.EscapeInvisibleJSON(p.console.secrets.HideJSON(text)), '\n')); err != nil {
		return err
	}
	switch d.Verdict {
	case policy.Allow:
		return nil
	case policy.Ask:
		return withApprovalHint(&agent.ApprovalError{Requests: []agent.ApprovalRequest{gate.ApprovalRequest(inv)}})
	}
	return deniedError(def, d)
}

// jsonOrText returns a body as it is if it is JSON, and as a JSON string otherwise.
func jsonOrText(body []byte) json.RawMessage {
	if len(body) == 0 || json.Valid(body) {
		return body
	}
	text, err := json.Marshal(string(body))
	if err != nil {
		panic(err) // every text has a JSON form
	}
	return text
}
