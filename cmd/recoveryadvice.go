package cmd

import (
	"errors"
	"slices"

	"oneshot/pkg/agent"
	"oneshot/pkg/provider"
	"oneshot/pkg/runfile"
)

// recovery returns the next step after the run has ended with err.
func (r *runState) recovery(err error) recovery {
	advice := recoveryWithoutEffects(err)
	if err == nil {
		return advice
	}
	if r.recorded.replay != nil && (as[*agent.UselessReplyError](err) || as[*provider.TimeoutError](err)) {
		advice = recovery{retry: runfile.RetryNo}
	}
	if r.canResume(err) {
		flags := ""
		if exitOf(err).Name == "rejected" {
			flags = " --model MODEL" // the server would refuse the same request again
		}
		advice.resume = r.resumeCommand(flags)
	}
	effects, isResumed := r.outcome.Effects, r.recorded.resumed != nil
	if r.flags.isReplay() {
		effects = agent.NoEffects
	}
	taken := r.flags.record.file != "" && !isResumed && r.path != "" // the identical command would find its --run-file
	if taken || effects == agent.UnkeyedEffects || effects == agent.KeyedEffects && !isResumed {
		advice.retryable = false
	}
	isOver := r.batch != nil // a batch runs a failed record anew, under other keys
	if effects != agent.NoEffects && (isOver || advice.retry != runfile.RetryNo && (advice.resume == "" || r.isUncertain())) {
		advice.retry, advice.retryable = runfile.RetryByHand, false
	}
	return advice
}

// isUncertain reports whether a change without a key was cut off.
func (r *runState) isUncertain() bool {
	return len(r.interrupted) > 0 && r.outcome.Effects == agent.UnkeyedEffects
}

// resumable are the exits after which a run can be resumed, unless the error excludes it.
var resumable = []string{"findings", "auth", "unavailable", "limit", "denied", "needs", "no_answer", "unknown_outcome", "rejected", "internal", "io",
	"timeout", "hangup", "interrupted", "quit", "terminated", "broken_pipe"}

// resumeIfAbandoned returns the command that continues the run if the program ends without it, or "". The run of a record is
// continued by its batch.
func (r *runState) resumeIfAbandoned() string {
	if r.path == "" || r.batch != nil || r.recorded.replay != nil {
		return ""
	}
	return r.resumeCommand("")
}

// canResume reports whether --resume can continue the run.
func (r *runState) canResume(err error) bool {
	var limit *agent.LimitError
	var late *agent.TimeoutError
	switch name := exitOf(err).Name; {
	case r.path == "", r.batch != nil, r.recorded.replay != nil, isRecordReplaced(err), !slices.Contains(resumable, name):
		return false
	case name == "findings":
		return as[*agent.AnswerError](err)
	case name == "denied":
		return as[*agent.RequiredToolsError](err)
	case errors.As(err, &limit):
		return limit.Why == "" && !as[*policyLimitError](err) // the policy must not change
	case errors.As(err, &late):
		return late.Limit == r.flags.limits.Wall
	case as[*agent.ToolAuthError](err):
		return r.endedAtUnauthorizedCall()
	}
	return true
}
