package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/events"
	"oneshot/pkg/provider"
	"oneshot/pkg/redact"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// An envelope is the output of "run --output envelope", printed on every exit. Its JSON Schema is published as
// envelope.v1.
type envelope struct {
	OK        bool                    `json:"ok"`
	Exit      envelopeExit            `json:"exit"`
	Resume    string                  `json:"resume,omitempty"` // the command line that continues the run
	Answer    json.RawMessage         `json:"answer,omitempty"`
	Error     *envelopeError          `json:"error,omitempty"`
	RunFile   string                  `json:"run_file,omitempty"`
	RunID     string                  `json:"run_id,omitempty"`
	Model     string                  `json:"model,omitempty"`
	Turns     int                     `json:"turns"`
	Calls     []agent.CallReport      `json:"calls"`
	ToolCalls []events.ToolCall       `json:"toolCalls"` // executed, with their outputs
	Usage     chat.Usage              `json:"usage"`
	Cost      chat.Cost               `json:"cost_usd"`
	Models    []chat.ModelUsage       `json:"models"` // the parts of usage and cost by model
	Needs     map[string]bool         `json:"needs,omitempty"`
	Question  string                  `json:"question,omitempty"`
	Approvals []agent.ApprovalRequest `json:"approvals,omitempty"` // that are missing
	Limit     string                  `json:"limit,omitempty"`     // the budget that was spent
	Findings  []diag.Finding          `json:"findings"`
	Labels    []tool.Label            `json:"labels"` // of the data that the run has read
	Aborted   bool                    `json:"wasAborted"`
	Repairs   int                     `json:"repairs"`
}

type envelopeExit struct {
	Code      int           `json:"code"`
	Name      string        `json:"name"`
	Retry     runfile.Retry `json:"retry"`
	Retryable bool          `json:"retryable"`
}

type envelopeError struct {
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// setOutcome adds the outcome of the command.
func (e *envelope) setOutcome(err error, r recovery) {
	x := exitOf(err)
	e.OK, e.Exit, e.Resume = err == nil, envelopeExit{x.Code, x.Name, r.retry, r.retryable}, r.resume
	if err == nil {
		return
	}
	e.Error = &envelopeError{Message: err.Error(), Hint: hintOf(err)}
	e.Aborted = e.Aborted || as[*InterruptError](err) || as[*agent.TimeoutError](err)
	e.Limit = limitOf(err)
	var answer *agent.AnswerError
	if errors.As(err, &answer) {
		e.Findings = append(e.Findings, answer.Findings...)
	}
	var waiting *agent.ApprovalError
	if errors.As(err, &waiting) {
		e.Approvals = waiting.Requests
	}
	var needs *agent.NeedsError
	if errors.As(err, &needs) {
		e.Needs, e.Question = map[string]bool{}, needs.Question()
		for _, field := range needs.Fields() {
			e.Needs[field] = true
		}
	}
}

// limitOf returns the name of the exhausted budget, or "".
func limitOf(err error) string {
	var limit *agent.LimitError
	switch {
	case errors.As(err, &limit):
		return limit.Budget
	case as[*provider.OverflowError](err):
		return "context"
	case exitOf(err).Name == "limit":
		return "bytes"
	}
	return ""
}

// printEnvelope prints the one envelope of this command, for an error.
func (t *console) printEnvelope(err error) error {
	doc, jsonErr := t.envelopeFor(err)
	if jsonErr != nil {
		return jsonErr
	}
	return t.writeOutput(doc)
}

// envelopeFor returns the envelope for an error or, with nil, for success.
func (t *console) envelopeFor(err error) ([]byte, error) {
	e := t.envelope
	if e == nil {
		e = new(envelope)
	}
	e.setOutcome(err, t.recovery(err))
	if e.Calls == nil {
		e.Calls = []agent.CallReport{}
	}
	if e.ToolCalls == nil {
		e.ToolCalls = []events.ToolCall{}
	}
	if len(e.Models) == 0 { // no request was sent
		e.Models, e.Cost.Known = []chat.ModelUsage{}, true
	}
	if e.Labels == nil {
		e.Labels = []tool.Label{}
	}
	findings := make([]diag.Finding, len(e.Findings))
	for i, f := range e.Findings {
		f.Message, f.Hint = redact.HideKeys(f.Message), redact.HideKeys(f.Hint)
		findings[i] = f
	}
	e.Findings = findings
	if e.Error != nil {
		e.Resume = t.secrets.Redact(e.Resume)
		e.Error.Message, e.Error.Hint = t.secrets.Redact(e.Error.Message), t.secrets.Redact(e.Error.Hint)
	}
	doc, jsonErr := json.Marshal(e)
	if jsonErr != nil {
		return nil, jsonErr
	}
	return append(diag.EscapeInvisibleJSON(t.secrets.HideJSON(doc)), '\n'), nil
}

// outputOfCommandLine returns the form of the output that a command line of run asks for with --output or in its agent file, even
// if either is invalid, and "" for none.
func outputOfCommandLine(env Env) string {
	given := lenientRunFlags(env.Args, "--output", "--agent")
	if output, ok := given["--output"]; ok || given["--agent"] == "" {
		return output
	}
	return textInAgentFile(env, given["--agent"], "output")
}

// lenientRunFlags returns the last values of some flags on a command line of run, even if the line is invalid.
func lenientRunFlags(args []string, names ...string) map[string]string {
	given, isRun := map[string]string{}, false
	for i, arg := range args {
		name, value, isJoined := strings.Cut(arg, "=")
		switch {
		case arg == "--":
			args = args[:i]
		case slices.Contains(names, name) && isJoined:
			given[name] = value
		case slices.Contains(names, arg) && i+1 < len(args):
			given[arg] = args[i+1]
		case arg == "run":
			isRun = true
		case !isRun && !strings.HasPrefix(arg, "-") && !slices.Contains([]string{"auto", "always", "never", "text", "json"}, arg):
			return nil // another command
		}
		if arg == "--" {
			break
		}
	}
	if !isRun {
		return nil
	}
	return given
}

// compactJSON returns a JSON document on one line, its digits and key order kept.
func compactJSON(doc json.RawMessage) []byte {
	var b bytes.Buffer
	if err := json.Compact(&b, doc); err != nil {
		return doc
	}
	return b.Bytes()
}

// plainText returns an answer as text: a string, or the only string of an object,
// without its quotes, and anything else as indented JSON.
func plainText(doc json.RawMessage) string {
	var text string
	if json.Unmarshal(doc, &text) == nil {
		return text
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(doc, &object) == nil && len(object) == 1 {
		for _, member := range object {
			if json.Unmarshal(member, &text) == nil {
				return text
			}
		}
	}
	v := jsontext.Value(slices.Clone(doc))
	if err := v.Indent(); err != nil {
		return string(doc)
	}
	return string(v)
}
