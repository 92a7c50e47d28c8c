package executor

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
	"oneshot/pkg/subprocess"
	"oneshot/pkg/tool"
)

func TestMain(m *testing.M) {
	subprocess.RunHelper()
	goleak.VerifyTestMain(m)
}

// newRunner returns a runner of one tool, "t".
func newRunner(t testing.TB, def *tool.Definition, run Func) *Runner {
	t.Helper()
	def.Name, def.Builtin = "t", "f"
	def.Schema = json.RawMessage(`{"type":"object","properties":{"n":{"type":"number"}},"required":[],"additionalProperties":false}`)
	registry, findings := tool.NewRegistry(def)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	return New(registry, Env{Funcs: map[string]Func{"f": run}})
}

func execution(args string) chat.Execution {
	return chat.Execution{Call: chat.Call{Name: "t", Arguments: json.RawMessage(args)}}
}

func TestRun(t *testing.T) {
	r := newRunner(t, &tool.Definition{}, func(_ context.Context, args json.RawMessage) (chat.Result, error) {
		return chat.Success(args), nil
	})
	got, err := r.Run(context.Background(), execution(`{"n":1.50}`))
	if err != nil || string(got.Data) != `{"n":1.50}` {
		t.Errorf("%s, %+v, %v", got.Data, got.Error, err)
	}
}

// T13: unknown tools and invalid arguments never reach a tool.
func TestRunChecksFirst(t *testing.T) {
	r := newRunner(t, &tool.Definition{}, func(context.Context, json.RawMessage) (chat.Result, error) {
		t.Error("the tool was run")
		return chat.Result{}, nil
	})
	for _, args := range []string{`{"bad":1}`, `{"n":"1"}`, `[1]`, `{"n":1,"n":2}`, ``} {
		got, err := r.Run(context.Background(), execution(args))
		if err != nil {
			t.Fatal(err)
		}
		wantError(t, got, chat.InvalidArguments, "")
	}
	got, err := r.Run(context.Background(), chat.Execution{Call: chat.Call{Name: "nope", Arguments: json.RawMessage(`{}`)}})
	if err != nil || got.Error.Message != "Unknown tool: nope" || got.Error.Code != chat.UnknownTool { // V9
		t.Errorf("%+v, %v", got.Error, err)
	}
	got, err = New(r.registry, Env{}).Run(context.Background(), execution(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, got, chat.Failed, "t has no implementation")
}

// V9: neither an error nor a panic of a tool ends the run.
func TestRunFailures(t *testing.T) {
	for want, run := range map[string]Func{
		"it broke": func(context.Context, json.RawMessage) (chat.Result, error) {
			return chat.Result{}, errors.New("it broke")
		},
		"tool exception: boom": func(context.Context, json.RawMessage) (chat.Result, error) { panic("boom") },
		"tool exception: runtime error: index out of range": func(_ context.Context, args json.RawMessage) (chat.Result, error) {
			return chat.Success(args[100]), nil
		},
	} {
		got, err := newRunner(t, &tool.Definition{}, run).Run(context.Background(), execution(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		wantError(t, got, chat.Failed, want)
	}
}

// until waits for the context and returns its error.
func until(ctx context.Context, _ json.RawMessage) (chat.Result, error) {
	<-ctx.Done()
	return chat.Result{}, ctx.Err()
}

// T13: every tool has a time limit.
func TestRunTimeLimit(t *testing.T) {
	for name, c := range map[string]struct {
		def      *tool.Definition
		deadline time.Duration
		want     time.Duration
	}{
		"its own":           {&tool.Definition{Limits: tool.Limits{Timeout: 5 * time.Second}, Effect: tool.Read}, 0, 5 * time.Second},
		"none":              {&tool.Definition{Effect: tool.Read}, 0, 60 * time.Second},
		"nearer deadline":   {&tool.Definition{Limits: tool.Limits{Timeout: 5 * time.Second}, Effect: tool.Read}, 2 * time.Second, 2 * time.Second},
		"farther deadline":  {&tool.Definition{Limits: tool.Limits{Timeout: 5 * time.Second}, Effect: tool.Read}, 9 * time.Second, 5 * time.Second},
		"deadline has past": {&tool.Definition{Effect: tool.Read}, -time.Second, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := execution(`{}`)
				begin := time.Now()
				if c.deadline != 0 {
					x.Deadline = begin.Add(c.deadline)
				}
				got, err := newRunner(t, c.def, until).Run(context.Background(), x)
				if err != nil {
					t.Fatal(err)
				}
				wantError(t, got, chat.Timeout, "t did not finish within "+c.want.String())
				if took := time.Since(begin); took != c.want || !got.Error.Retryable {
					t.Errorf("took %v, retryable %v", took, got.Error.Retryable)
				}
			})
		})
	}
}

// The error of a write that timed out warns that it may have taken effect, unless the tool is idempotent.
func TestRunTimeLimitOfWrites(t *testing.T) {
	for def, retryable := range map[*tool.Definition]bool{
		{Effect: tool.Write}:                   false,
		{Effect: tool.Exec}:                    false,
		{Effect: tool.Write, Idempotent: true}: true,
	} {
		synctest.Test(t, func(t *testing.T) {
			got, err := newRunner(t, def, until).Run(context.Background(), execution(`{}`))
			if err != nil {
				t.Fatal(err)
			}
			wantError(t, got, chat.Timeout, "")
			if got.Error.Retryable != retryable || strings.Contains(got.Error.Message, "may have taken effect") == retryable {
				t.Errorf("%+v: %+v", def, got.Error)
			}
		})
	}
}

// A tool that ignores its context is abandoned after a grace period; the result of one
// that returns within it is used.
func TestRunHangingTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := func(delay time.Duration) Func {
			return func(ctx context.Context, _ json.RawMessage) (chat.Result, error) {
				<-ctx.Done()
				time.Sleep(delay)
				return chat.Success("late"), nil
			}
		}
		begin := time.Now()
		got, err := newRunner(t, &tool.Definition{Limits: tool.Limits{Timeout: time.Second}}, late(time.Hour)).Run(context.Background(), execution(`{}`))
		if err != nil || time.Since(begin) != time.Second+grace {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		wantError(t, got, chat.Timeout, "1s")
		got, err = newRunner(t, &tool.Definition{Limits: tool.Limits{Timeout: time.Second}}, late(grace/2)).Run(context.Background(), execution(`{}`))
		if err != nil || string(got.Data) != `"late"` {
			t.Errorf("%s, %+v, %v", got.Data, got.Error, err)
		}
		time.Sleep(2 * time.Hour) // until the abandoned tool ends
	})
}

// V7: a cancelled run ends at once, with its cause.
func TestRunCancelled(t *testing.T) {
	stop := errors.New("stopped by the user")
	r := newRunner(t, &tool.Definition{}, until)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(context.Background())
		time.AfterFunc(time.Second, func() { cancel(stop) })
		begin := time.Now()
		if _, err := r.Run(ctx, execution(`{}`)); !errors.Is(err, stop) || time.Since(begin) != time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		if _, err := r.Run(ctx, execution(`{}`)); !errors.Is(err, stop) {
			t.Errorf("after the end: %v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(context.Background(), time.Second, stop)
		defer cancel()
		x := execution(`{}`)
		x.Deadline, _ = ctx.Deadline()
		if _, err := r.Run(ctx, x); !errors.Is(err, stop) {
			t.Errorf("the run's own time limit: %v, want its cause", err)
		}
	})
}

func TestFit(t *testing.T) {
	long := strings.Repeat("ä", 10) // 20 bytes
	for _, c := range []struct {
		name  string
		in    chat.Result
		limit int64
		want  string // the envelope
	}{
		{"small", chat.Success(long), 100, `{"ok":true,"data":"` + long + `"}`},
		{"text at the limit", chat.Success(long), 20, `{"ok":true,"data":"` + long + `"}`},
		{"escapes do not count", chat.Success("\n\n\n\n"), 4, `{"ok":true,"data":"\n\n\n\n"}`},
		{"text over the limit", chat.Success(long), 11, `{"ok":true,"data":"äääää\n[cut here: 10 of the tool's 20 bytes are shown]"}`},
		{"data over the limit", chat.Success([]int{1, 2, 3}), 6, `{"ok":false,"error":{"code":"TOO_LARGE","message":"the result has 7 bytes; 6 are allowed","retryable":false}}`},
		{"failure", chat.Failure(chat.Failed, "no"), 1, `{"ok":false,"error":{"code":"FAILED","message":"no","retryable":false}}`},
	} {
		got, err := json.Marshal(limitSize(c.in, c.limit))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
	r := chat.Failure(chat.Failed, "%s", strings.Repeat("ä", maxMessage))
	got := limitSize(r, 1)
	if n := len(got.Error.Message); n > maxMessage+3 || !strings.HasSuffix(got.Error.Message, "ä…") || len(r.Error.Message) != 2*maxMessage {
		t.Errorf("a message of %d bytes; the original has %d", n, len(r.Error.Message))
	}
}

// No result exceeds the maximum of a run file, even if its definition allows more or JSON escapes enlarge it.
func TestFitRecord(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		cut  bool
	}{
		"whole": {strings.Repeat("x", runfile.MaxResult-2), false}, "long": {strings.Repeat("x", runfile.MaxResult-1), true},
		"escapes": {strings.Repeat("\x01", runfile.MaxResult/3), true}, "characters": {strings.Repeat("ä", runfile.MaxResult), true},
	} {
		got := limitSize(chat.Success(c.text), 1<<40)
		text := data[string](t, got)
		if len(got.Data) > runfile.MaxResult || strings.Contains(text, "[cut here") != c.cut || c.cut && len(got.Data) < runfile.MaxResult-2*notesRoom {
			t.Errorf("%s: %d bytes, %q", name, len(got.Data), text[len(text)-60:])
		}
	}
	wantError(t, limitSize(chat.Success(make([]int, 5<<20)), 1<<40), chat.TooLarge, "8388608 are allowed")
}

// The size limit is that of the definition, or 1 MiB without one.
func TestRunSizeLimit(t *testing.T) {
	for limit, want := range map[int64]int{0: 1 << 20, 100: 100} {
		r := newRunner(t, &tool.Definition{Limits: tool.Limits{MaxBytes: limit}}, func(context.Context, json.RawMessage) (chat.Result, error) {
			return chat.Success(strings.Repeat("x", 2<<20)), nil
		})
		got, err := r.Run(context.Background(), execution(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		if text := data[string](t, got); strings.Count(text, "x") != want || !strings.Contains(text, "[cut here: ") {
			t.Errorf("limit %d: %d bytes", limit, len(text))
		}
	}
}
