//go:build unix

package main

import (
	"context"
	"runtime"
)

// A way is one way to disturb a run.
type way struct {
	id, what string
	try      func(*sweep, context.Context, *world) error
	own      func(*sweep) *scenario // the scenario of this way; the usual ones otherwise
	slow     bool                   // one scenario is enough for a short sweep
}

func ways() []way {
	return []way{
		{id: "kill", what: "killed at each place", try: (*sweep).kills},
		{id: "enospc", what: "no room at each place", try: (*sweep).diskFull},
		{id: "eio", what: "an I/O error at each place", try: (*sweep).ioErrors},
		{id: "short", what: "half of each write", try: (*sweep).shortWrites},
		{id: "kill2", what: "killed, and killed again at each place of the resume", try: (*sweep).killsAgain, slow: true},
		{id: "eio2", what: "killed, and an I/O error at each place of the resume", try: (*sweep).errorsAgain, slow: true},
		{id: "random", what: "killed at random moments", try: (*sweep).randomKills},
		{id: "power", what: "killed at each place, and what was not synced of the run file is lost", try: (*sweep).powerCuts, slow: true},
		{id: "amid", what: "killed while a program runs", try: (*sweep).killsInProgram},
		{id: "long", what: "a long run, killed and resumed again and again", try: (*sweep).killLongRun, own: func(s *sweep) *scenario { return longScenario(s.calls) }},
		{id: "locked", what: "two resumes, one of which waits for its model", try: (*sweep).lockedResume, slow: true},
		{id: "race", what: "four resumes at once", try: (*sweep).racingResumes, slow: true},
		{id: "prefix", what: "each prefix of a run file, with what can stand behind it", try: (*sweep).truncatedFiles, own: typicalScenario},
		{id: "flip", what: "each bit of a run file", try: (*sweep).bitFlips, own: typicalScenario},
		{id: "edit", what: "run files that no crash leaves", try: (*sweep).editedFiles, own: typicalScenario},
		{id: "strace", what: "killed by strace at each call of the system", try: (*sweep).straceKills, slow: true},
	}
}

// typicalScenario is the scenario whose run file is taken apart, and that of slow ways in a short sweep: it has effects without
// a key, where programs can be run.
func typicalScenario(*sweep) *scenario {
	for _, sc := range scenarios() {
		if sc.name == "plain" && runtime.GOOS == "linux" || sc.name == "files" && runtime.GOOS != "linux" {
			return sc
		}
	}
	panic("there is no such scenario")
}

// A task is one way to disturb one scenario.
type task struct {
	way
	*scenario
}

// tasks lists what is to be done: a way with a scenario of its own, or with the usual ones.
func (s *sweep) tasks(chosen []way, name string) []task {
	var all []task
	for _, w := range chosen {
		s.tallies[w.id] = &tally{guilty: map[guilt]int{}}
		its := scenarios()
		if w.own != nil {
			its = []*scenario{w.own(s)}
		}
		if s.brief && w.slow {
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
