package agent_test

import (
	"context"
	"strings"
	"testing"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// P13: a call without an authorization ends the run if it changes something and ContinueDenied is off, or if its tool is
// required and no call of it succeeds.
func TestUnauthorized(t *testing.T) {
	expired := func(context.Context, string) (chat.Result, error) {
		return chat.Failure(chat.Unauthorized, "expired"), nil
	}
	once := func() func(context.Context, string) (chat.Result, error) {
		n := 0
		return func(ctx context.Context, args string) (chat.Result, error) {
			if n++; n == 1 {
				return expired(ctx, args)
			}
			return chat.Success("fine"), nil
		}
	}
	for _, c := range []struct {
		name        string
		call        string // made twice
		require     []string
		goOn, mends bool
		ends        string // the tool that the error names, "" for none
	}{
		{"a read", `look("a")`, nil, false, false, ""},
		{"a required read", `look("a")`, []string{"look"}, false, false, "look"},
		{"a required read that works later", `look("a")`, []string{"look"}, false, true, ""},
		{"a required read, going on", `look("a")`, []string{"look"}, true, false, "look"},
		{"a write", `put("a")`, nil, false, false, "put"},
		{"a write that would work later", `put("a")`, nil, false, true, "put"},
		{"a write, going on", `put("a")`, nil, true, false, ""},
		{"a required write, going on", `put("a")`, []string{"put"}, true, false, "put"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, says(calls(c.call)), says(calls(c.call)), says(calls("finalResponse()")), says(answer42))
			r.cfg.RequiredTools, r.cfg.ContinueDenied = c.require, c.goOn
			r.do["look"], r.do["put"] = expired, expired
			if c.mends {
				r.do["look"], r.do["put"] = once(), once()
			}
			for _, def := range r.cfg.Tools.All() {
				def.Renew = "sign in"
			}
			out, err := r.run()
			if c.ends == "" {
				if err != nil || out.Answer == nil {
					t.Fatalf("%v", err)
				}
				return
			}
			e := wantError[*agent.ToolAuthError](t, err)
			if e.Tool != c.ends || e.Why != "expired" || e.Hint != "sign in" || out.Answer != nil {
				t.Errorf("%+v", e)
			}
		})
	}
}

// A run that ended because a change had no authorization can be resumed once the authorization is renewed, and repeats no
// earlier change.
func TestUnauthorizedContinues(t *testing.T) {
	steps := []step{says(calls(`put("a")`, `put("b")`)), says(calls("finalResponse()")), says(answer42)}
	barred := true
	put := func(_ context.Context, args string) (chat.Result, error) {
		if barred && args == `{"path":"b"}` {
			return chat.Failure(chat.Unauthorized, "expired"), nil
		}
		return chat.Success("fine"), nil
	}
	first := newRig(t, steps...)
	first.do["put"] = put
	_, err := first.run()
	wantError[*agent.ToolAuthError](t, err)
	records := append([]runfile.Record{{Body: runfile.Run{}}}, asRecords(first.records)...)

	barred = false
	r, _ := resumed(t, append(records, runfile.Record{Body: runfile.End{Exit: 4, Name: "auth"}}), steps)
	r.do["put"] = put
	wantStatuses(t, r.mustRun(), "put ok", "put ok")
	if starts := strings.Count(strings.Join(r.seen(), "\n"), "start put"); starts != 1 {
		t.Errorf("put was started %d times", starts)
	}
}
