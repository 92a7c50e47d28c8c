package main

import (
	"slices"
	"strings"
)

// A view is the way to interpret the expectation of a row whose reference and
// oneshot define reasoning differently.
type view int

const (
	asWritten view = iota
	hidden         // the reference drops reasoning
	inContent      // the reference leaves reasoning and its markers in the content
	marked         // the reference leaves an opening marker in the reasoning
)

// A rule defines in which state the texts of some rows begin, and how to
// interpret their expectations. The first matching one applies.
type rule struct {
	why   string
	fits  func(r *row) bool
	start start
	view  view
}

// rules depend on parser, request and test, never on the expectation of a row.
var rules = []rule{
	{
		why:   "the parser puts reasoning back into the content, between its marks",
		fits:  func(r *row) bool { return r.Dialect == "reasoning:minimax_m2_append" },
		start: startOpen, view: inContent,
	},
	{
		why:   "the parser ignores calls inside reasoning and leaves their text, and all reasoning, in the content",
		fits:  func(r *row) bool { return leavesReasoning[r.Parser] },
		start: startAuto, view: inContent,
	},
	{
		why:   "the test is named for switching reasoning off",
		fits:  func(r *row) bool { return r.hasNamePart(switchesOff) },
		start: startOff,
	},
	{
		why:   "the test is named for switching reasoning on, and the prompt opens it",
		fits:  func(r *row) bool { return r.hasNamePart(switchesOn) },
		start: startOpen,
	},
	{
		why:   "the parser begins inside reasoning, and what the test gives it opens it once more",
		fits:  func(r *row) bool { return r.Parser == "glm-4.7" },
		start: startOpen, view: marked,
	},
	{
		why: "the parser begins inside reasoning",
		fits: func(r *row) bool {
			return !r.hasPrefill() && !r.isReasoningOff() && (beginsOpen[r.Parser] || beginsOpen[r.Dialect] || beginsOpen[r.source+" "+r.Dialect])
		},
		start: startOpen,
	},
	{
		why:   "the request switches reasoning on, and the parser begins inside it then",
		fits:  func(r *row) bool { return r.isReasoningOn() && !r.hasPrefill() && beginsOpenWhenOn[r.Parser] },
		start: startOpen,
	},
	{
		why: "the parser knows no reasoning or had it switched off: its marks are text",
		fits: func(r *row) bool {
			return !r.isReasoningOn() && !readsReasoning[r.source] && !readsReasoning[r.Parser] && hasReasoningMarker(r.Input)
		},
		start: startOff,
	},
	{
		why: "the parser reads reasoning and returns none where the request did not ask for it",
		fits: func(r *row) bool {
			return !r.isReasoningOn() && (hides[r.Parser] || hidesWhenOff[r.Parser] && r.isReasoningOff())
		},
		view: hidden,
	},
	{why: "the marks in the text tell", fits: func(*row) bool { return true }},
}

// switchesOff and switchesOn are parts of the names of tests whose rows do not
// hold the switch that the test sets.
var (
	switchesOff = []string{"THINKING_DISABLED", "enable_thinking_false"}
	switchesOn  = []string{"enable_thinking_true", "reasoning_effort_high"}
)

// hasNamePart reports whether the name of the test contains one of some parts.
func (r *row) hasNamePart(parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(r.ID, part) })
}

// beginsOpen are parsers, and labels of reasoning parsers, that treat the
// beginning of every text as reasoning, unless the request switches it off: the
// prompt has opened it.
var beginsOpen = map[string]bool{
	"transformers ernie45": true,
	"CohereParser":         true, "GLM46Parser": true, "Olmo3ThinkParser": true,
	"qwen3-vl-thinking": true, "nemotron-3-nano": true,
	"reasoning:deepseekr1": true, "reasoning:ernie45": true, "reasoning:minimax_m2": true, "reasoning:olmo3": true,
	"reasoning:qwen3": true, "reasoning:seedoss": true, "reasoning:step3p5": true,
}

// beginsOpenWhenOn are parsers that treat the beginning of a text as reasoning
// only when the request switches reasoning on.
var beginsOpenWhenOn = map[string]bool{
	"CogitoParser": true, "DeepSeek3Parser": true, "LagunaParser": true, "Nemotron3NanoParser": true,
	"Qwen35Parser": true, "Qwen3Parser": true,
}

// readsReasoning are sources and parsers that read reasoning with any request.
var readsReasoning = map[string]bool{
	"reasoning": true, "lmdeploy": true, "transformers": true,
	"thinking.Parser": true, "Gemma4Parser": true, "gemma4": true, "LagunaParser": true, "GlimmerParser": true,
}

// leavesReasoning are parsers that leave reasoning, and the calls in it, in
// the content.
var leavesReasoning = map[string]bool{"MinimaxToolParser": true, "SeedOssToolParser": true}

// hides are parsers that drop reasoning unless the request asks for it, and
// hidesWhenOff those that do if the request switches it off.
var (
	hides        = map[string]bool{"LagunaParser": true, "gemma4": true}
	hidesWhenOff = map[string]bool{"Gemma4Parser": true, "GlimmerParser": true}
)

// marks are the markers around reasoning.
var marks = []string{"<think>", "</think>", "[THINK]", "[/THINK]", "<seed:think>", "</seed:think>", "<|START_THINKING|>", "<|END_THINKING|>", "<mm:think>", "</mm:think>"}

// hasReasoningMarker reports whether a text contains a marker of reasoning.
func hasReasoningMarker(text string) bool {
	return slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(text, m) })
}

// reasoningRule returns the rule for a row.
func reasoningRule(r *row) rule {
	for _, x := range rules {
		if x.fits(r) {
			return x
		}
	}
	return rules[len(rules)-1]
}

// cutReasoning separates reasoning between markers from the rest of a text.
func cutReasoning(text string) (content, reasoning string) {
	open, end := "<think>", "</think>"
	if strings.Contains(text, "<seed:think>") {
		open, end = "<seed:think>", "</seed:think>"
	}
	for {
		before, rest, found := strings.Cut(text, open)
		content += before
		if !found {
			return content, reasoning
		}
		inside, after, _ := strings.Cut(rest, end)
		reasoning += inside
		text = after
	}
}
