package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/policy"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// A invocation is one call of a response, from its last byte to its result.
type invocation struct {
	call          chat.Call
	writtenArgs   json.RawMessage // the arguments as the model wrote them
	def           *tool.Definition
	report        *CallReport
	refused       bool   // the result was given without running anything
	needsUser     bool   // only the user can say what it needs
	denied        bool   // by the policy, with whatever code
	approverArgs  bool   // the arguments are those of who approved the call
	rule          string // by which it was refused before the policy was asked
	started       bool   // in a goroutine of its own, which has to end before what follows is looked at
	result        chat.Result
	shown         json.RawMessage // the result as the model sees it
	duration      time.Duration
	digest        string          // of name and arguments
	boundArgs     json.RawMessage // the arguments that the model meant
	changedArgs   json.RawMessage // those of them that the policy, or who approved the call, has set
	emitted       bool            // it was told what became of it
	approvedLater bool            // another call of the response got its approval before this one, on record
	decision      policy.Decision
	err           error // the run cannot go on; why is the cause of the batch's context
}

// check finds the definition of a call and holds its arguments against it.
func (s *invocation) check(r *run) {
	def, ok := r.cfg.Tools.Get(s.call.Name)
	switch {
	case tool.Ending(s.call.Name) != nil: // what ends the work in this run is no call any more
		s.refuse(chat.UnknownTool, "Unknown tool: %s%s", s.call.Name, suggestion(r.ending))
		return
	case !ok, def == tool.AskUser && !r.cfg.AskUser:
		s.refuse(chat.UnknownTool, "Unknown tool: %s%s", quoteName(s.call.Name), suggestion(r.cfg.Tools.Suggest(s.call.Name)))
		return
	}
	s.def = def
	bound, findings := def.Bind(s.call)
	if faults := tool.Strict(bound.Arguments); len(faults) > 0 {
		findings, s.rule = append(findings, faults...), "floor:decode"
	}
	if !diag.HasErrors(findings) {
		findings = append(findings, def.Check(bound.Arguments)...)
		s.call = bound
	}
	if diag.HasErrors(findings) {
		s.result, s.refused = def.Refusal(findings, messages(findings)), true
		s.needsUser = len(s.result.Needs) > 0
		return
	}
	if def == tool.AskUser {
		s.askUser(bound.Arguments)
		return
	}
	s.boundArgs = def.Complete(bound.Arguments)
	s.call.Arguments = s.boundArgs
}

// askUser makes a question to the user of a call of [tool.AskUser].
func (s *invocation) askUser(args json.RawMessage) {
	var q struct{ Question, Key string }
	if err := json.Unmarshal(args, &q); err != nil {
		panic(err) // they fit the definition
	}
	s.call.Arguments = args
	s.result, s.refused, s.needsUser = chat.Result{Needs: []string{q.Key}, Question: q.Question}, true, true
}

// utterance returns a call as it is looked for in what the model was told.
func (s *invocation) utterance() dialect.Utterance {
	u := dialect.Utterance{Name: s.call.Name, Written: s.writtenArgs, Args: s.boundArgs, Text: s.call.Text, Reads: s.def.Effect == tool.Read, Required: []string{}}
	for _, p := range s.def.Signature.Params {
		if !p.Optional && p.Default == nil {
			u.Required = append(u.Required, p.Name)
		}
	}
	return u
}

// quoteName is a name that a model made up, in a message: it can be of any length.
func quoteName(name string) string {
	const longest = 64
	if len(name) > longest {
		name = strings.ToValidUTF8(name[:longest], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, name)
}

func suggestion(name string) string {
	if name == "" {
		return ""
	}
	return "; did you mean " + name + "?"
}

// maxReportedFaults is how many faults of one call the model is told.
const maxReportedFaults = 10

func messages(findings []diag.Finding) string {
	lines := make([]string, 0, maxReportedFaults+1)
	for _, f := range findings[:min(len(findings), maxReportedFaults)] {
		lines = append(lines, f.Message)
	}
	if more := len(findings) - maxReportedFaults; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more faults", more))
	}
	return strings.Join(lines, "; ")
}

// refuse gives a call its result without running it.
func (s *invocation) refuse(code chat.ErrorCode, format string, args ...any) {
	s.result, s.refused = chat.Failure(code, format, args...), true
}

// applyDecision gives a call the arguments that were decided.
func (s *invocation) applyDecision(d policy.Decision) {
	s.changedArgs = changedMembers(s.boundArgs, d.Arguments)
	s.call.Arguments, s.decision = d.Arguments, d
}

// drop settles a call of which nothing more comes, and returns what is to be on record of
// it, or nil.
func (s *invocation) drop(why string) runfile.Body {
	switch {
	case !s.started || s.report.Status != CallSkipped:
		return nil
	case s.def.Effect != tool.Read: // it may have taken effect
		s.report.Status, s.report.Code = CallError, chat.UnknownOutcome
		return runfile.UnknownOutcome{Call: s.call.ID}
	}
	s.report.Status = CallDiscarded
	return runfile.Discarded{Call: s.call.ID, Why: why}
}

// finalize writes the outcome of a call into its report.
func (s *invocation) finalize() {
	s.report.Status, s.report.Code, _ = StatusOf(s.result)
	if s.denied {
		s.report.Status = CallDenied
	}
}

// StatusOf says what became of a call that has a result, and what kept it from succeeding.
func StatusOf(r chat.Result) (status CallStatus, code chat.ErrorCode, why string) {
	switch {
	case len(r.Needs) > 0:
		return CallNeeds, "", "needs " + strings.Join(r.Needs, ", ")
	case r.Error == nil:
		return CallOK, "", ""
	}
	why = string(r.Error.Code) + ": " + r.Error.Message
	if r.Error.Code == chat.Denied {
		return CallDenied, chat.Denied, why
	}
	return CallError, r.Error.Code, why
}

// why says what kept a call from succeeding, or "".
func (s *invocation) why() string {
	_, _, why := StatusOf(s.result)
	return why
}

// refusal is the reason of a call that was refused, for its record.
func (s *invocation) refusal() string {
	if s.result.Error != nil {
		return s.result.Error.Message
	}
	return s.why()
}
