//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"oneshot/pkg/runfile"
	"oneshot/scripts/modelserver"
)

// pause is how long the model of B5 continues after its call: time lost by a program
// that waits for the end of a response.
const pause = 30 * time.Millisecond

// measureEarlyStart measures B5: how soon after its last byte a read starts while the response
// continues, by the times in the run file.
func (b *Bench) measureEarlyStart(ctx context.Context, p programs) ([]Row, error) {
	root, err := b.makeNotes()
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, f := range []form{toolOllama, toolcallsOllama, nativeOllama, nativeChat, nativeResponses, nativeMessages} {
		row, err := b.earlyForm(ctx, p, f, root)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (b *Bench) earlyForm(ctx context.Context, p programs, f form, root string) (Row, error) {
	b.logProgress("early start, %s: %d rounds", f.name, b.Runs)
	var marked time.Time
	say := f.callsReply(f.scriptCallLine("call_1", "vault_search", `{"query": "apples"}`), "mark", "wait "+pause.String())
	if f.isNative() {
		say = f.callsReply("text I look for it.", f.scriptCallLine("call_1", "vault_search", `{"query": "apples"}`), "mark", "wait "+pause.String(), "text And I wait.")
	}
	m := startModel(&modelserver.Server{Mark: func(_ modelserver.Request, t time.Time) { marked = t }}, f.conversation(say))
	defer m.Close()
	var starts, ends []float64
	for round := range b.Runs {
		log, err := b.recordedRun(ctx, m.runArguments(p, f), f, round, "--tool", "vault_search", "--root", root)
		if err != nil {
			return Row{}, err
		}
		call, response, err := earlyTimes(log)
		if err != nil {
			return Row{}, err
		}
		starts, ends = append(starts, ms(call.Sub(marked))), append(ends, ms(response.Sub(marked)))
	}
	b.logProgress("early start, %s: worst %.2f ms", f.name, slices.Max(starts))
	self := func(v float64) float64 { return v }
	row := Row{ID: "B5", What: "a read starts, " + f.name, Value: median(starts, self), Unit: "ms", Against: "its response ends", Base: median(ends, self)}
	return row.withGoal("≤ 1 ms", row.Value <= 1), nil
}

// earlyTimes returns when the first call was started and when its response had
// ended. A call that was not started early is an error.
func earlyTimes(log *runfile.Log) (call, response time.Time, err error) {
	for _, r := range log.Records {
		switch body := r.Body.(type) {
		case runfile.Call:
			if !body.Early {
				return call, response, fmt.Errorf("the call %s was not started early", body.ID)
			}
			call = r.Time
		case runfile.Response:
			if call.IsZero() {
				return call, response, fmt.Errorf("the response ended before its call was started")
			}
			return call, r.Time, nil
		}
	}
	return call, response, fmt.Errorf("the run file has no response")
}

// conversation returns the replies of a model that makes its calls in the first turn, and then
// ends.
func (f form) conversation(first modelserver.Reply) func([]byte, int) modelserver.Reply {
	return func(_ []byte, turn int) modelserver.Reply {
		end, ends := f.endReply()
		switch {
		case turn == 1:
			return first
		case turn == 2 && ends:
			return end
		}
		return answer
	}
}

// recordedRun runs oneshot and reads its run file.
func (b *Bench) recordedRun(ctx context.Context, args []string, f form, round int, more ...string) (*runfile.Log, error) {
	file := filepath.Join(b.Dir, fmt.Sprintf("recorded-%s-%s-%d.jsonl", f.dialect, f.api, round))
	defer os.Remove(file)
	args = slices.Concat(args, more, []string{"--run-file", file, "Where are the apples?"})
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = b.Dir, []string{"HOME=" + b.Dir}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, stderr.String())
	}
	return runfile.ReadFile(file)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
