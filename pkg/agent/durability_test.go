package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// Records are durable before the next step: response and intent before a write, its result before
// any other step, the answer before Run returns. A turn of reads waits for no disk.
func TestDurability(t *testing.T) {
	r := newRig(t, then(says(calls(`put("a")`, `put("b")`, `look("c")`)))...)
	r.mustRun()
	r.wantLog(
		"append request", "ask turn",
		"append call t1c1", "append call t1c2", "append call t1c3", "append response",
		"append intent t1c1", "sync", `start put {"path":"a"}`, `end put {"path":"a"}`, "append result t1c1", "sync",
		"append intent t1c2", "sync", `start put {"path":"b"}`, `end put {"path":"b"}`, "append result t1c2", "sync",
		`start look {"q":"c"}`, `end look {"q":"c"}`, "append result t1c3",
		"append request", "ask turn", "append response",
		"append request", "ask answer", "append response", "append answer", "sync",
	)
}

// An answer without its own request is durable, too.
func TestTextAnswerIsDurable(t *testing.T) {
	r := newRig(t, says(answer42+"\n"+calls("finalResponse()")))
	r.mustRun()
	r.wantLog("append request", "ask turn", "append response", "append answer", "sync")
}

// If any Append or Sync fails, the run ends with that error, once: it starts nothing and requests
// nothing more, and has no answer.
func TestRecorderFails(t *testing.T) {
	script := func() []step {
		return then(
			says(calls(`look("a")`, `look("b")`, `put("c")`, `put("d")`, `look("e")`)),
			stops(calls(`look("f")`, `look("g")`), chat.StopLength),
			says("Well."),
			says(calls(`look("h")`)),
		)
	}
	whole := newRig(t, script()...)
	whole.mustRun()
	for n := 1; n <= whole.recorded; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, script()...)
				r.fail, r.settle = n, synctest.Wait // reads that have been started show it
				for _, name := range []string{"look", "put"} {
					r.do[name] = func(ctx context.Context, args string) (chat.Result, error) {
						time.Sleep(time.Second) // so that reads are running when something fails
						return chat.Success(args), context.Cause(ctx)
					}
				}
				out, err := r.run()
				if !errors.Is(err, errDisk) || strings.Count(err.Error(), errDisk.Error()) != 1 {
					t.Errorf("error %q, want %q, once", err, errDisk)
				}
				if out.Answer != nil || out.Aborted {
					t.Errorf("answer %s, aborted %v", out.Answer, out.Aborted)
				}
				log := r.seen()
				at := slices.IndexFunc(log, func(line string) bool { return strings.HasSuffix(line, "FAILS") })
				for _, line := range log[at:] {
					if strings.HasPrefix(line, "start ") || strings.HasPrefix(line, "ask ") {
						t.Errorf("after the failure: %s\n%s", line, strings.Join(log, "\n"))
					}
				}
			})
		})
	}
}

// A failing record takes precedence over a denial.
func TestRecorderFailsAfterDenial(t *testing.T) {
	r := newRig(t, says(calls(`look("a")`, `put("b")`)))
	r.cfg.Policy.Flags.Allow, r.fail = nil, 5 // which records that the read was dropped
	_, err := r.run()
	if !errors.Is(err, errDisk) {
		t.Errorf("error %v\n%s", err, strings.Join(r.seen(), "\n"))
	}
}

// A slow disk delays the dependent steps and loses nothing.
func TestSlowRecorder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, then(says(calls(`look("a")`, `put("b")`)))...)
		r.cfg.Recorder = slow{r}
		start := time.Now()
		out := r.mustRun()
		wantStatuses(t, out, "look ok", "put ok")
		if took := time.Since(start); took != time.Duration(r.recorded)*time.Second {
			t.Errorf("%v for %d records", took, r.recorded)
		}
	})
}

// slow is a recorder on a slow disk.
type slow struct{ agent.Recorder }

func (s slow) Append(body runfile.Body) error {
	time.Sleep(time.Second)
	return s.Recorder.Append(body)
}

func (s slow) Sync() error {
	time.Sleep(time.Second)
	return s.Recorder.Sync()
}
