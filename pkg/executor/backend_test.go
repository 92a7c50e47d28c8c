package executor

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/redact"
	"oneshot/pkg/tool"
)

// Each backend has an entry in the table of executors, and the table has no other entries.
func TestEveryMeans(t *testing.T) {
	got := slices.Sorted(maps.Keys(Env{}.executors()))
	if diff := cmp.Diff(slices.Sorted(slices.Values(tool.Backends)), got); diff != "" {
		t.Errorf("-means +table:\n%s", diff)
	}
}

// means returns a definition for each backend, and a runner that executes all their calls with run.
func means(t *testing.T, env Env, run execute) (*Runner, []*tool.Definition) {
	t.Helper()
	var defs []*tool.Definition
	for _, m := range tool.Backends {
		def := &tool.Definition{
			Name: "by_" + string(m), Builtin: "f", Effect: tool.Exec, Limits: tool.Limits{Timeout: time.Second, MaxBytes: 100},
			Schema: []byte(`{"type":"object","properties":{"n":{"type":"number"}},"additionalProperties":false}`),
		}
		switch m {
		case tool.BackendExec:
			def.Exec = &tool.Program{}
		case tool.BackendHTTP:
			def.HTTP = &tool.Request{}
		}
		if def.Backend() != m {
			t.Fatalf("there is no definition here that is done by %s: this test has to know one", m)
		}
		defs = append(defs, def)
	}
	registry, findings := tool.NewRegistry(defs...)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	r := New(registry, env)
	for m := range r.executors {
		r.executors[m] = run
	}
	return r, defs
}

// The checks of a runner apply to every backend: valid arguments, time limit, panics, masked secrets,
// hidden paths of the root and the maximum size of the result.
func TestNoMeansGoesRound(t *testing.T) {
	secrets := new(redact.Set)
	secrets.Add("very-secret-token")
	env := Env{Secrets: secrets}
	for name, c := range map[string]struct {
		args string
		run  execute
		code chat.ErrorCode
		says string
	}{
		"arguments": {`{"m":1}`, func(context.Context, task) (chat.Result, error) { return chat.Success("it ran"), nil }, chat.InvalidArguments, "takes no arguments, got m"},
		"panic":     {`{}`, func(context.Context, task) (chat.Result, error) { panic("at the root /srv/root/x") }, chat.Failed, "tool exception: at the root x"},
		"error": {`{}`, func(context.Context, task) (chat.Result, error) {
			return chat.Result{}, errors.New("very-secret-token")
		}, chat.Failed, "***"},
		"secret": {`{}`, func(context.Context, task) (chat.Result, error) { return chat.Success("a very-secret-token b"), nil }, "", `"a *** b"`},
		"size":   {`{}`, func(context.Context, task) (chat.Result, error) { return chat.Success(make([]int, 100)), nil }, chat.TooLarge, "100 are allowed"},
		"time": {`{}`, func(ctx context.Context, _ task) (chat.Result, error) {
			<-ctx.Done()
			return chat.Result{}, ctx.Err()
		}, chat.Timeout, "within 1s"},
		"hang": {`{}`, func(ctx context.Context, _ task) (chat.Result, error) {
			time.Sleep(time.Minute) // ignores its context
			return chat.Result{}, nil
		}, chat.Timeout, "within 1s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, defs := means(t, env, c.run)
				r.RedactDirPaths(RedactedDir{Dir: "/srv/root"})
				for _, def := range defs {
					got, err := r.Run(t.Context(), chat.Execution{Call: chat.Call{Name: def.Name, Arguments: []byte(c.args)}})
					if err != nil {
						t.Fatal(err)
					}
					if c.code != "" {
						wantError(t, got, c.code, c.says)
					} else if !strings.Contains(string(got.Data), c.says) {
						t.Errorf("%s: %s", def.Name, got.Data)
					}
				}
				time.Sleep(time.Hour) // until the abandoned tools have ended
			})
		})
	}
}

// The backend of a definition is one of its members, and each definition has exactly one.
func TestMeansAreKeys(t *testing.T) {
	for _, m := range tool.Backends {
		_, findings := tool.Loader{}.Parse("d.yaml", []byte("name: d\n"+string(m)+": 1\n"))
		for _, f := range findings {
			if strings.Contains(f.Message, "unknown key") {
				t.Errorf("%s: %s", m, f.Message)
			}
		}
	}
}
