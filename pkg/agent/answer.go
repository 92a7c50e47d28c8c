package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/provider"
	"oneshot/pkg/runfile"
)

// A FormatMode names how the format of the answer was enforced. In every mode the run checks the
// answer itself.
type FormatMode string

// Format modes, strongest first.
const (
	FormatText   FormatMode = "text"   // the model answered before it was asked to
	FormatSchema FormatMode = "format" // the server enforces the schema
	FormatJSON   FormatMode = "json"   // the server enforces JSON
	FormatPrompt FormatMode = "prompt" // only the prompt asks for the format
)

const droppedReasoning = "removed the reasoning before the answer"

// An answerFormat is the output format that a request asks the server to enforce.
type answerFormat struct {
	mode            FormatMode
	schema, anyJSON bool
}

// allAnswerFormats are tried in order until the server supports one.
var allAnswerFormats = []answerFormat{{mode: FormatSchema, schema: true}, {mode: FormatJSON, anyJSON: true}, {mode: FormatPrompt}}

// answerFormats returns the formats to try, in order.
func (r *run) answerFormats() []answerFormat {
	if r.cfg.TextAnswer {
		return allAnswerFormats[len(allAnswerFormats)-1:]
	}
	return allAnswerFormats
}

// answerRequest returns the text that asks for the answer and describes its format.
func (r *run) answerRequest() string {
	if r.cfg.TextAnswer {
		return r.texts.TextAnswer(r.cfg.AnswerDescription)
	}
	return r.texts.Answer(r.answerSchema.Raw(), r.cfg.AnswerDescription)
}

// requestAnswer asks for the answer until the model gives a valid one.
func (r *run) requestAnswer(ctx context.Context) error {
	for formats := r.answerFormats(); r.out.Answer == nil; {
		p, err := r.sendRequest(ctx, chat.PurposeAnswer, formats[0])
		refused := new(provider.FormatError)
		switch {
		case errors.As(err, &refused) && len(formats) > 1:
			formats = formats[1:]
			r.cfg.Observe(Event{Kind: EventReprompt, Turn: r.out.Turns, Text: refused.Error()})
			continue
		case err != nil:
			err = r.recoverFrom(ctx, err)
		case uselessReason(p) != "":
			err = r.retryUseless(p, uselessReason(p))
		default:
			r.out.FormatMode = formats[0].mode
			err = r.checkAnswer(p)
		}
		if err != nil {
			return err
		}
	}
	r.reportUnknownLinks()
	r.reportQuestion()
	if err := r.recordAnswer(); err != nil {
		r.out.Answer = nil // an answer that is not on record is not shown
		return err
	}
	if err := r.budget.checkTokens(0); err != nil {
		r.out.Answer = nil
		return &LimitError{Budget: "tokens", Limit: r.cfg.Limits.Tokens, Answered: true}
	}
	return nil
}

// checkAnswer accepts a valid answer and sends an invalid one back.
func (r *run) checkAnswer(p *reply) error {
	r.appendAssistant(p)
	text, findings := r.parseAnswer(p.text)
	if len(findings) == 0 {
		r.out.Answer = text
		return nil
	}
	switch {
	case r.repairs < r.cfg.Limits.Repairs:
		r.repairs++
	case !r.resetIfResumePoint():
		return &AnswerError{Text: p.text, Findings: findings, Repairs: r.out.Repairs, Default: r.cfg.Schema == nil}
	}
	r.out.Repairs++
	r.cfg.Observe(Event{Kind: EventReprompt, Turn: r.out.Turns, Text: answerProblem(p.text, findings)})
	r.appendUser(r.texts.Violations(findings, r.boundary))
	return nil
}

// acceptAnswer takes a reply as the answer if it is valid without any repair.
func (r *run) acceptAnswer(text string) bool {
	if !r.isValidAnswer(text) {
		return false
	}
	answer, findings := json.RawMessage(strings.TrimSpace(text)), []diag.Finding(nil)
	if r.cfg.TextAnswer {
		answer, findings = r.parseAnswer(text)
	}
	if len(findings) > 0 {
		return false
	}
	r.out.Answer, r.out.FormatMode = answer, FormatText
	return true
}

// isValidAnswer reports whether text is a valid answer without any repair. In a run with text
// answers, an unrequested text counts only if calls are native: there the model ends its work with
// it.
func (r *run) isValidAnswer(text string) bool {
	text = strings.TrimSpace(text)
	if r.cfg.TextAnswer {
		return text != "" && r.native && r.cfg.AnswerDescription == ""
	}
	return text != "" && len(r.answerSchema.Check([]byte(text))) == 0
}

// parseAnswer returns the JSON of an answer, or its faults. It removes a code fence around the
// whole answer and reasoning before it; both are findings.
func (r *run) parseAnswer(text string) (json.RawMessage, []diag.Finding) {
	if r.cfg.TextAnswer {
		return r.parseTextAnswer(text)
	}
	answer, findings := r.unwrapAnswer(text, text)
	if len(findings) == 0 {
		return answer, nil
	}
	if rest, hasReasoning := dialect.StripReasoning(text); hasReasoning {
		if answer, faults := r.unwrapAnswer(text, rest); len(faults) == 0 {
			r.reportTolerated(diag.ReasoningBeforeAnswer, text, strings.TrimSpace(text), droppedReasoning)
			return answer, nil
		}
	}
	return nil, findings
}

// parseTextAnswer returns the JSON of a text answer. It removes reasoning before it, which is a
// finding.
func (r *run) parseTextAnswer(text string) (json.RawMessage, []diag.Finding) {
	rest, hasReasoning := dialect.StripReasoning(text)
	if rest = strings.TrimSpace(rest); rest == "" {
		return nil, []diag.Finding{diag.New(diag.SchemaMismatch, diag.Bytes(0, len(text)), "the answer contains only reasoning")}
	}
	if hasReasoning {
		r.reportTolerated(diag.ReasoningBeforeAnswer, text, strings.TrimSpace(text), droppedReasoning)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string]string{"answer": rest}); err != nil {
		panic(err) // strings always encode
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// unwrapAnswer returns the JSON in part, a part of text, without a code fence around it.
func (r *run) unwrapAnswer(text, part string) (json.RawMessage, []diag.Finding) {
	bare := strings.TrimSpace(part)
	inner, fenced := unfence(bare)
	if findings := r.answerSchema.Check([]byte(inner)); len(findings) > 0 {
		return nil, findings
	}
	if fenced {
		r.reportTolerated(diag.FencedAnswer, text, bare, "removed the code fence around the answer")
	}
	return json.RawMessage(inner), nil
}

// reportTolerated reports a tolerated fault of an answer at the position of part in text.
func (r *run) reportTolerated(code diag.Code, text, part, message string) {
	at := max(0, strings.Index(text, part))
	f := diag.New(code, diag.Bytes(at, at+len(part)), "%s", message)
	f.Span = diag.NewLines([]byte(text)).Locate(f.Span)
	r.out.Findings = append(r.out.Findings, f)
	r.cfg.Observe(Event{Kind: EventFinding, Turn: r.out.Turns, Finding: f})
}

// unfence returns the body of a text that consists of one backtick fence with no info string or
// "json".
func unfence(text string) (body string, fenced bool) {
	open, rest, ok := strings.Cut(text, "\n")
	ticks := len(open) - len(strings.TrimLeft(open, "`"))
	info := strings.TrimSpace(open[ticks:])
	last := strings.LastIndexByte(rest, '\n')
	if !ok || ticks < 3 || last < 0 || info != "" && !strings.EqualFold(info, "json") {
		return text, false
	}
	if rest[last+1:] != open[:ticks] {
		return text, false
	}
	return strings.TrimSpace(rest[:last]), true
}

// reportQuestion reports an answer without a schema that ends in a question mark.
func (r *run) reportQuestion() {
	if r.cfg.Schema != nil {
		return
	}
	var said struct{ Answer string }
	if json.Unmarshal(r.out.Answer, &said) != nil {
		return
	}
	text := strings.TrimRight(said.Answer, " \t\r\n\"'*_)")
	if last, _ := utf8.DecodeLastRuneInString(text); strings.ContainsRune("?？؟", last) {
		r.reportTolerated(diag.AnswerIsQuestion, string(r.out.Answer), string(r.out.Answer), "the answer ends in a question")
	}
}

// recordAnswer makes the answer durable before it is shown.
func (r *run) recordAnswer() error {
	err := r.journal.append(runfile.Answer{JSON: r.out.Answer, FormatMode: string(r.out.FormatMode), Repairs: r.out.Repairs})
	if err != nil {
		return err
	}
	return r.journal.sync()
}
