package agent

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
