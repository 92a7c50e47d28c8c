package dialect

// StripReasoning removes reasoning before a text answer, and reports whether there was any.
func StripReasoning(text string) (rest string, hasReasoning bool) {
	return stripReasoning(text, ReasoningOnly())
}

// StripReasoningBeforeJSON removes reasoning before an answer that must be JSON, also in tags that only prompts ask for:
// JSON does not begin with one.
func StripReasoningBeforeJSON(text string) (rest string, hasReasoning bool) {
	return stripReasoning(text, reasoningBeforeJSON())
}

func stripReasoning(text string, o Options) (rest string, hasReasoning bool) {
	r := Scan(text, o)
	return r.Content, r.Reasoning != "" || len(r.Content) < len(text)
}

// ReasoningOnly are the options of a scanner that finds reasoning before an answer, and no calls. The delimiters are those
// that count in every dialect, except for tags that only prompts ask for: a text answer may begin with them.
func ReasoningOnly() Options {
	return Options{Dialect: Dialect{Name: "words", framing: framing{isAnswer: true, keepsPromptedTags: true}}}
}

func reasoningBeforeJSON() Options {
	return Options{Dialect: Dialect{Name: "words", framing: framing{isAnswer: true}}}
}
