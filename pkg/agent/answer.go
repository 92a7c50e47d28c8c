package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/provider"
	"oneshot/pkg/quote"
	"oneshot/pkg/runfile"
)

// requestAnswer asks for the answer until the model gives a valid one.
func (r *run) requestAnswer(ctx context.Context) error {
	for formats := r.conversation.answer.requestFormats(); r.out.Answer == nil; {
		p, err := r.exchange.send(ctx, chat.PurposeAnswer, formats[0])
		refused := new(provider.FormatError)
		switch {
		case errors.As(err, &refused) && len(formats) > 1:
			formats = formats[1:]
			r.emitReprompt(refused.Error())
			continue
		case err != nil:
			err = r.recoverFromRequestError(ctx, err)
		case uselessReason(p) != "":
			err = r.retryUselessReply(p, uselessReason(p))
		default:
			r.out.FormatMode = formats[0].mode
			err = r.checkAnswer(p)
		}
		if err != nil {
			return err
		}
	}
	r.reportSuspiciousAnswer()
	if err := r.recordAnswer(); err != nil {
		r.out.Answer = nil // an answer that is not on record is not shown
		return err
	}
	if err := r.exchange.budget.checkAnswered(); err != nil {
		r.out.Answer = nil
		return err
	}
	return nil
}

// checkAnswer accepts a valid answer and sends an invalid one back.
func (r *run) checkAnswer(p *reply) error {
	r.appendAssistant(p)
	a := r.conversation.answer.parseAnswer(p.text)
	r.journal.reportFindings(a.tolerated...)
	if a.faults == nil {
		r.out.Answer = a.json
		return nil
	}
	switch {
	case r.retries.repairs < r.cfg.Limits.Repairs:
		r.retries.repairs++
	case !r.resetIfResumePoint():
		return &AnswerError{Text: p.text, Findings: a.faults, Repairs: r.out.Repairs, Default: r.cfg.Schema == nil}
	}
	r.out.Repairs++
	r.emitReprompt(answerProblem(p.text, a.faults))
	r.conversation.addUser(r.conversation.texts.AnswerViolations(a.faults, r.conversation.boundary))
	return nil
}

// acceptAnswer takes a reply as the answer if it is valid without any repair.
func (r *run) acceptAnswer(text string) bool {
	format := r.conversation.answer
	if !format.isUnrequestedAnswer(text, r.conversation.native) {
		return false
	}
	a := parsedAnswer{json: json.RawMessage(strings.TrimSpace(text))}
	if format.text {
		a = format.parseAnswer(text)
	}
	r.journal.reportFindings(a.tolerated...)
	if a.faults != nil {
		return false
	}
	r.out.Answer, r.out.FormatMode = a.json, FormatText
	return true
}

// maxReportedLinks bounds the reported URLs of an answer.
const maxReportedLinks = 10

// reportSuspiciousAnswer reports unknown URLs in the answer, and an answer that is a question.
func (r *run) reportSuspiciousAnswer() {
	text := string(r.out.Answer)
	links := r.gate.untrusted.unknownLinks(decodedStrings(r.out.Answer), r.conversation.trustedText(), maxReportedLinks)
	for _, link := range links {
		r.journal.reportFindings(newAnswerFinding(diag.UnsourcedLink, text, link[:min(len(link), maxLinkBytes)],
			"the answer links to "+quote.Shorten(link, maxLinkBytes)+", which appears in no input or result of the run; do not fetch it automatically"))
	}
	if r.conversation.answer.isQuestion(r.out.Answer) {
		r.journal.reportFindings(newAnswerFinding(diag.AnswerIsQuestion, text, text, "the answer ends in a question"))
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
