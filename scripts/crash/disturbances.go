//go:build unix

package main

import (
	"context"
	"runtime"
)

// A disturbance is one way to disturb runs.
type disturbance struct {
	id, what string
	try      func(*sweep, context.Context, *workspace) error
	own      func(*sweep) *scenario // its own scenario; nil for the usual ones
	slow     bool                   // a short sweep tries it with one scenario only
}

func disturbances() []disturbance {
	return []disturbance{
		{id: "kill", what: "killed at each place", try: (*sweep).tryKills},
		{id: "enospc", what: "no room at each place", try: (*sweep).tryDiskFull},
		{id: "eio", what: "an I/O error at each place", try: (*sweep).tryIOErrors},
		{id: "short", what: "half of each write", try: (*sweep).tryShortWrites},
		{id: "kill2", what: "killed, and killed again at each place of the resume", try: (*sweep).tryKillsOfResume, slow: true},
		{id: "eio2", what: "killed, and an I/O error at each place of the resume", try: (*sweep).tryErrorsOfResume, slow: true},
		{id: "random", what: "killed at random moments", try: (*sweep).tryRandomKills},
		{id: "power", what: "killed at each place, and what was not synced of the run file is lost", try: (*sweep).tryPowerCuts, slow: true},
		{id: "amid", what: "killed while a program runs", try: (*sweep).tryKillsDuringTool},
		{id: "long", what: "a long run, killed and resumed again and again", try: (*sweep).tryKillsOfLongRun, own: func(s *sweep) *scenario { return longScenario(s.calls) }},
		{id: "locked", what: "two resumes, one of which waits for its model", try: (*sweep).tryLockedResume, slow: true},
		{id: "race", what: "four resumes at once", try: (*sweep).tryRacingResumes, slow: true},
		{id: "prefix", what: "each prefix of a run file, with what can stand behind it", try: (*sweep).tryTruncatedFiles, own: typicalScenario},
		{id: "flip", what: "each bit of a run file", try: (*sweep).tryBitFlips, own: typicalScenario},
		{id: "edit", what: "run files that no crash leaves", try: (*sweep).tryEditedRunFiles, own: typicalScenario},
		{id: "batch", what: "a batch, killed at each place", try: (*sweep).tryKills, own: oneAtATime},
		{id: "batchfull", what: "a batch, no room at each place", try: (*sweep).tryDiskFull, own: oneAtATime},
		{id: "batcheio", what: "a batch, an I/O error at each place", try: (*sweep).tryIOErrors, own: oneAtATime},
		{id: "batchshort", what: "a batch, half of each write", try: (*sweep).tryShortWrites, own: oneAtATime},
		{id: "batch2", what: "a batch, killed, and killed again at each place of its continuation", try: (*sweep).tryKillsOfResume, own: oneAtATime, slow: true},
		{id: "batchrandom", what: "a batch of three runs at a time, killed at random moments", try: (*sweep).tryRandomKills, own: func(*sweep) *scenario { return batchScenario(3) }},
		{id: "strace", what: "killed by strace at each call of the system", try: (*sweep).tryStraceKills, slow: true},
	}
}

// oneAtATime returns a batch that passes its failpoints in a fixed order.
func oneAtATime(*sweep) *scenario { return batchScenario(1) }

// typicalScenario returns the scenario whose run file is edited, and that of slow disturbances in a short sweep. On
// systems that can run programs, it has effects without a key.
func typicalScenario(*sweep) *scenario {
	for _, sc := range scenarios() {
		if sc.name == "plain" && runtime.GOOS == "linux" || sc.name == "files" && runtime.GOOS != "linux" {
			return sc
		}
	}
	panic("there is no such scenario")
}

// A task is one disturbance of one scenario.
type task struct {
	disturbance
	*scenario
}

// tasks returns the disturbances, each with its own scenario or with each of the usual ones.
func (s *sweep) tasks(chosen []disturbance, name string) []task {
	var all []task
	for _, w := range chosen {
		s.tallies[w.id] = &tally{violations: map[violationKind]int{}}
		its := scenarios()
		if w.own != nil {
			its = []*scenario{w.own(s)}
		}
		if s.brief && w.slow && w.own == nil {
			its = []*scenario{typicalScenario(s)}
		}
		for _, sc := range its {
			if name == "" || sc.name == name {
				all = append(all, task{w, sc})
			}
		}
	}
	return all
}
