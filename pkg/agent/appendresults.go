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

func joinParagraphs(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}
