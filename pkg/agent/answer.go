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
	"oneshot/pkg/model"
	"oneshot/pkg/runfile"
)

// A FormatMode names how the form of the answer was enforced. Whatever the mode, the
// answer is checked here.
type FormatMode string

// The rungs, strongest first.
const (
	FormatText   FormatMode = "text"   // the model gave the answer unasked
	FormatSchema FormatMode = "format" // the server holds the model to the schema
	FormatJSON   FormatMode = "json"   // the server holds the model to JSON
	FormatPrompt FormatMode = "prompt" // the model was asked
)

const droppedReasoning = "reasoning stands before the answer; it was dropped"

// A answerFormat is what a server is asked to enforce.
type answerFormat struct {
	mode            FormatMode
	schema, anyJSON bool
}

// answerFormats are what is asked for one after the other, until the server can do it.
var forms = []answerFormat{{mode: FormatSchema, schema: true}, {mode: FormatJSON, anyJSON: true}, {mode: FormatPrompt}}

// answerFormats returns what is asked for, one after the other.
func (r *run) answerFormats() []answerFormat {
	if r.cfg.TextAnswer {
		return forms[len(forms)-1:]
	}
	return forms
}

// answerRequest says what the answer has to be: what finalResponse returns.
func (r *run) answerRequest() string {
	if r.cfg.TextAnswer {
		return r.texts.TextAnswer(r.cfg.Format)
	}
	return r.texts.Answer(r.answers.Raw(), r.cfg.Format)
}

// finish asks for the answer until it fits.
func (r *run) finish(ctx context.Context) error {
	for rest := r.answerFormats(); r.out.Answer == nil; {
		p, err := r.sendRequest(ctx, chat.PurposeAnswer, rest[0])
		refused := new(model.FormatError)
		switch {
		case errors.As(err, &refused) && len(rest) > 1:
			rest = rest[1:]
			r.cfg.Observe(Event{Kind: EventAgain, Turn: r.out.Turns, Text: refused.Error()})
			continue
		case err != nil:
			err = r.recoverFrom(ctx, err)
		case uselessReason(p) != "":
			err = r.retryUseless(p, uselessReason(p))
		default:
			r.out.FormatMode = rest[0].mode
			err = r.checkAnswer(p)
		}
		if err != nil {
			return err
		}
	}
	r.reportUnknownLinks()
	r.reportQuestion()
	if err := r.recordAnswer(); err != nil {
		r.out.Answer = nil // nobody is to see it
		return err
	}
	if err := r.budget.spent(0); err != nil {
		r.out.Answer = nil
		return &LimitError{Budget: "tokens", Limit: r.cfg.Limits.Tokens, Answered: true}
	}
	return nil
}

// checkAnswer takes an answer that fits, and sends back one that does not.
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
	case !r.restarts():
		return &AnswerError{Text: p.text, Findings: findings, Repairs: r.out.Repairs, Default: r.cfg.Schema == nil}
	}
	r.out.Repairs++
	r.cfg.Observe(Event{Kind: EventAgain, Turn: r.out.Turns, Text: answerProblem(p.text, findings)})
	r.appendUser(r.texts.Violations(findings, r.boundary))
	return nil
}

// acceptAnswer takes text that is an answer already, strictly.
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

// isValidAnswer reports whether text is an answer already, strictly. Text that nobody has asked for is one where the model, which
// calls natively, ends its work with it.
func (r *run) isValidAnswer(text string) bool {
	text = strings.TrimSpace(text)
	if r.cfg.TextAnswer {
		return text != "" && r.native && r.cfg.Format == ""
	}
	return text != "" && len(r.answers.Check([]byte(text))) == 0
}

// parseAnswer returns the JSON of an answer, or what is wrong with it. An answer that
// is one fenced block is taken out of its fence, and one behind reasoning is read
// without that, both of which are findings.
func (r *run) parseAnswer(text string) (json.RawMessage, []diag.Finding) {
	if r.cfg.TextAnswer {
		return r.parseTextAnswer(text)
	}
	answer, findings := r.unwrapAnswer(text, text)
	if len(findings) == 0 {
		return answer, nil
	}
	if said, thought := dialect.Said(text); thought {
		if answer, wrong := r.unwrapAnswer(text, said); len(wrong) == 0 {
			r.reportTolerated(diag.ThoughtAhead, text, strings.TrimSpace(text), droppedReasoning)
			return answer, nil
		}
	}
	return nil, findings
}

// parseTextAnswer returns text as an answer, without reasoning before it, which is a finding.
func (r *run) parseTextAnswer(text string) (json.RawMessage, []diag.Finding) {
	said, thought := dialect.Said(text)
	if said = strings.TrimSpace(said); said == "" {
		return nil, []diag.Finding{diag.New(diag.SchemaFit, diag.Bytes(0, len(text)), "the answer is nothing but reasoning")}
	}
	if thought {
		r.reportTolerated(diag.ThoughtAhead, text, strings.TrimSpace(text), droppedReasoning)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string]string{"answer": said}); err != nil {
		panic(err) // a text has a JSON form
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// unwrapAnswer returns the JSON of an answer, which is what is said in a text.
func (r *run) unwrapAnswer(text, said string) (json.RawMessage, []diag.Finding) {
	bare := strings.TrimSpace(said)
	inner, fenced := unfence(bare)
	if findings := r.answers.Check([]byte(inner)); len(findings) > 0 {
		return nil, findings
	}
	if fenced {
		r.reportTolerated(diag.FencedAnswer, text, bare, "the answer stands in a fence; the fence was dropped")
	}
	return json.RawMessage(inner), nil
}

// reportTolerated reports what is wrong around an answer, at a part of a text.
func (r *run) reportTolerated(code diag.Code, text, part, message string) {
	at := max(0, strings.Index(text, part))
	f := diag.New(code, diag.Bytes(at, at+len(part)), "%s", message)
	f.Span = diag.NewLines([]byte(text)).Locate(f.Span)
	r.out.Findings = append(r.out.Findings, f)
	r.cfg.Observe(Event{Kind: EventFinding, Turn: r.out.Turns, Finding: f})
}

// unfence returns the body of a text that is exactly one backtick fence with
// no info string or "json".
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

// reportQuestion reports an answer in the default form that is a question.
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
		r.reportTolerated(diag.AskingAnswer, string(r.out.Answer), string(r.out.Answer), "the answer ends in a question")
	}
}

// recordAnswer makes the answer durable before anyone sees it.
func (r *run) recordAnswer() error {
	err := r.record.append(runfile.Answer{JSON: r.out.Answer, FormatMode: string(r.out.FormatMode), Repairs: r.out.Repairs})
	if err != nil {
		return err
	}
	return r.record.sync()
}
