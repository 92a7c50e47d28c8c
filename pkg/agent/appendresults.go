package agent

// appendResults adds the results of the calls of a response to the conversation. It reports whether
// the work is over.
func (r *run) appendResults(p *reply) (over bool, err error) {
	if r.conversation.native && !p.batch.isLeaked {
		return r.appendNativeResults(p)
	}
	b, c, faults := p.batch, r.conversation, p.errorFindings()
	results := c.texts.Results(b.promptResults(), faults, c.boundary, c.dialect.ResultTags)
	renewed, err := c.renewLeakedNonce(b.resultTexts())
	if err != nil {
		return false, err
	}
	results = joinParagraphs(results, renewed)
	switch {
	case b.final:
		return r.endWork(p.text, results, len(faults)+b.added == 1)
	case results == "":
		return false, r.remindToCall()
	}
	r.retries.repliesWithoutCall, r.retries.repliesWithLeak = 0, 0
	c.addUser(results)
	return false, nil
}

// appendNativeResults adds the results of native calls, one message each. A reply without calls ends
// the work.
func (r *run) appendNativeResults(p *reply) (over bool, err error) {
	c := r.conversation
	for _, inv := range p.batch.invocations {
		c.addNativeResult(inv)
	}
	switch {
	case p.batch.added > 0:
		r.retries.repliesWithLeak = 0
		return false, nil
	case p.leaked && (r.cfg.TextAnswer || !c.answer.isUnrequestedAnswer(p.text, c.native)):
		return false, r.remindOfLeak()
	}
	return r.endWork(p.text, "", true)
}

// endWork asks for the answer, unless required work is missing. If the reply has text and no calls
// besides the ending tool (alone), the text may already be the answer.
func (r *run) endWork(text, results string, alone bool) (over bool, err error) {
	c, outcomes := r.conversation, &r.gate.outcomes
	unmet := outcomes.toolsWithoutSuccess(r.cfg.RequiredTools)
	switch blocked := outcomes.authError(unmet); {
	case blocked != nil:
		return false, blocked
	case len(unmet) > 0 && r.retries.remindedOfRequired && !r.resetIfResumePoint():
		return false, &RequiredToolsError{Tools: unmet}
	case len(unmet) == 0 && outcomes.allDeniedError() != nil:
		return false, outcomes.allDeniedError()
	case len(unmet) > 0:
		r.retries.remindedOfRequired = true
		r.emitReprompt("required work is not done")
		c.addUser(joinParagraphs(results, c.texts.Required(unmet)))
		return false, nil
	case alone && r.cfg.AnswerModel == nil && r.acceptAnswer(text):
		return true, nil
	}
	c.addUser(joinParagraphs(results, c.answerRequest()))
	return true, nil
}

// remindToCall tells the model how to call a tool, a bounded number of times.
func (r *run) remindToCall() error {
	if r.retries.repliesWithoutCall++; r.retries.repliesWithoutCall > r.cfg.Limits.Reminders && !r.resetIfResumePoint() {
		return &UselessReplyError{Why: "no call"}
	}
	r.emitReprompt("no call")
	r.conversation.addUser(r.conversation.callFormatReminder())
	return nil
}

// remindOfLeak tells the model, once, that calls in its text do not count.
func (r *run) remindOfLeak() error {
	if r.retries.repliesWithLeak++; r.retries.repliesWithLeak > 1 && !r.resetIfResumePoint() {
		return &UselessReplyError{Why: "leaked call"}
	}
	r.emitReprompt("leaked call")
	r.conversation.addUser(r.conversation.texts.Leaked())
	return nil
}

func joinParagraphs(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}
