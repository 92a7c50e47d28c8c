package main

import (
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"oneshot/pkg/diag"
)

// A verdict classifies a row.
type verdict int

const (
	equal         verdict = iota
	different             // intentionally: see the list of differences
	failed                // anything else
	notApplicable         // the row is about something that oneshot does not do
)

func (v verdict) String() string {
	return [...]string{"equal", "different", "failed", "not applicable"}[v]
}

// An outcome is the result of checking a row.
type outcome struct {
	*row
	verdict   verdict
	why       string // the reason if it is different or not applicable
	tolerance        // how an equal row is not quite the same
	law       string // how it breaks the streaming law, or ""
	faults    []mismatch
	facets    []comparedPart
	codes     []diag.Code // of the findings
	setting   string      // how the text was read
	state     string      // the reading in a few words: the state of each call, or the value
	facts     string      // the whole reading

	found *detection // nil if the dialect was not to be detected
}

// A tolerance lists the respects in which an equal row is not identical.
type tolerance struct {
	ends     bool // blanks at the ends of texts differ
	held     bool // a call of the reference is not executed here, or a blocked call is no call there
	repaired bool // text that the reference rejects is repaired here
	early    bool // compared before the end of the text
}

// A comparedPart is one part of a row for display: expected and actual.
type comparedPart struct {
	name         mismatch
	theirs, ours []string // a line for each call or text
}

// A check checks one row.
type check func(r *row) outcome

// checkFor returns the check for a row's kind.
func checkFor(r *row) check {
	if why, ok := inapplicableReason(r); ok {
		return func(r *row) outcome { return outcome{row: r, verdict: notApplicable, why: why} }
	}
	switch {
	case strings.HasPrefix(r.Dialect, "native_"):
		return checkBody
	case r.Dialect == "swe_agent:FunctionCallingParser":
		return checkNativeCalls
	}
	switch r.Kind {
	case "":
		return checkModelText
	case "schema-acceptance":
		return checkAcceptance
	case "detectToolCallStart":
		return checkInsideCall
	case "safeParseToolCallArgs":
		return checkArguments
	case "json-repair":
		return checkRepair
	}
	return func(r *row) outcome {
		return failedOutcome(r, "kind", "nothing checks rows of kind "+goLiteral(r.Kind))
	}
}

// patience is the time limit of one row or round trip.
const patience = 20 * time.Second

// checkWithTimeout checks a row. A reader that does not end fails the row, not
// the program, and is abandoned.
func checkWithTimeout(r *row, patience time.Duration) outcome {
	return withTimeout(patience, func() outcome { return checkRecoveringPanic(r) }, func() outcome {
		return failedOutcome(r, "deadline", fmt.Sprintf("no end after %v", patience))
	})
}

// withTimeout returns the result of do, or that of late after a timeout.
func withTimeout[T any](patience time.Duration, do, late func() T) T {
	done := make(chan T, 1)
	go func() { done <- do() }()
	alarm := time.NewTimer(patience)
	defer alarm.Stop()
	select {
	case x := <-done:
		return x
	case <-alarm.C:
		return late()
	}
}

// checkRecoveringPanic checks a row. A panic in the reader fails the row and not the program.
func checkRecoveringPanic(r *row) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			o = failedOutcome(r, "panic", fmt.Sprint(p)+"\n"+firstFrames(string(debug.Stack())))
		}
	}()
	return checkFor(r)(r)
}

// firstFrames returns the innermost frames of a stack.
func firstFrames(stack string) string {
	_, below, _ := strings.Cut(stack, "panic(")
	lines := strings.Split(below, "\n")
	return strings.Join(lines[min(2, len(lines)):min(8, len(lines))], "\n")
}

// failedOutcome returns a failed outcome with one fault.
func failedOutcome(r *row, name mismatch, ours string) outcome {
	return outcome{row: r, verdict: failed, faults: []mismatch{name}, facets: []comparedPart{{name: name, ours: []string{ours}}}}
}

// withVerdict sets the verdict from the faults.
func (o outcome) withVerdict() outcome {
	if len(o.faults) > 0 {
		o.verdict = failed
	}
	return o
}

// codesOf lists the codes of findings.
func codesOf(findings []diag.Finding) []diag.Code {
	var codes []diag.Code
	for _, f := range findings {
		codes = append(codes, f.Code)
	}
	return codes
}
