package provider_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
)

// An actor is a model with scripted outcomes: an error, or nil for an answer.
type actor struct {
	name  string
	lines []error
	says  string // text before an error
	asked int
}

func (a *actor) Reply(ctx context.Context, _ chat.Request, delta func(chat.Delta)) (chat.Response, error) {
	var err error
	if a.asked < len(a.lines) {
		err = a.lines[a.asked]
	}
	a.asked++
	text := a.name
	if err != nil {
		text = a.says
	}
	if text != "" {
		delta(chat.Delta{Content: text})
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return chat.Response{Content: text}, err
}

// A cast is a fallback over actors, with its own clock.
type cast struct {
	*provider.Fallback
	actors []*actor
	time   time.Time
}

func newCast(lines ...[]error) *cast {
	c := &cast{time: time.Unix(0, 0)}
	var members []provider.Member
	for i, l := range lines {
		a := &actor{name: string(rune('a' + i)), lines: l}
		c.actors = append(c.actors, a)
		members = append(members, provider.Member{Name: "p/" + a.name, Model: a})
	}
	c.Fallback = provider.NewFallback(members...)
	c.Now = func() time.Time { return c.time }
	return c
}

// asked returns how often each actor was asked.
func (c *cast) asked() string {
	var b strings.Builder
	for _, a := range c.actors {
		fmt.Fprintf(&b, "%s%d", a.name, a.asked)
	}
	return b.String()
}

var (
	down   = &provider.UnavailableError{Attempts: 3, Err: &provider.StatusError{Status: 503}}
	native = chat.Request{Messages: []chat.Message{{Role: chat.Tool, CallID: "c1"}}}
	errOwn = errors.New("own")
)

// Failures that move a request to the next member, and failures after which the next request skips
// the first member.
func TestFallbackVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name  string
		err   error
		req   chat.Request
		first string // the answering member; "" for none
		then  string // the answering member of the next request
	}{
		{"unavailable", down, question, "b", "b"},
		{"status", &provider.StatusError{Status: 402}, question, "b", "b"},
		{"silence", &provider.TimeoutError{}, question, "b", "b"},
		{"garbled", &provider.BrokenOffError{Err: errOwn}, question, "b", "b"},
		{"denied", &provider.AuthError{Status: 401}, question, "b", "b"},
		{"unknown model", &provider.UnknownModelError{}, question, "b", "b"},
		{"overflow", &provider.OverflowError{}, question, "b", "a"},
		{"no tools", &provider.NoToolsError{Err: errOwn}, question, "", "a"},
		{"no tools any more", &provider.NoToolsError{Err: errOwn}, native, "b", "a"},
		{"format", &provider.FormatError{Err: errOwn}, question, "", "a"},
		{"parameter", &wire.ParameterError{}, question, "", "a"},
		{"something else", errOwn, question, "", "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCast([]error{tt.err}, nil)
			got := ask(t.Context(), c, tt.req)
			if got.text != tt.first || (got.err != nil) != (tt.first == "") || tt.first == "" && got.err != tt.err {
				t.Errorf("heard %q, error %v", got.text, got.err)
			}
			if tt.first == "b" {
				want := []chat.Attempt{{Number: 1, Error: "p/a: " + tt.err.Error() + "; trying p/b", Status: got.attempts[0].Status, Charged: tt.name == "silence" || tt.name == "garbled"}}
				if diff := cmp.Diff(want, got.attempts); diff != "" {
					t.Errorf("attempts (-want +got):\n%s", diff)
				}
			}
			if got := ask(t.Context(), c, tt.req); got.text != tt.then || got.err != nil || got.attempts != nil {
				t.Errorf("then heard %q, error %v, attempts %v", got.text, got.err, got.attempts)
			}
		})
	}
}

// After the first delta the error is returned, but the next request goes to another member.
func TestFallbackAfterADelta(t *testing.T) {
	c := newCast([]error{&provider.BrokenOffError{Err: errOwn}}, nil)
	c.actors[0].says = "Hel"
	if got := ask(t.Context(), c, question); got.text != "Hel" || got.resp.Content != "Hel" || !isExactly(got.err, new(*provider.BrokenOffError)) || got.attempts != nil {
		t.Errorf("%+v", got)
	}
	if got := ask(t.Context(), c, question); got.text != "b" {
		t.Errorf("%+v", got)
	}
}

// A member is probed after the cool-down, and used again if it has recovered.
func TestFallbackRecovery(t *testing.T) {
	c := newCast([]error{down, down, nil}, nil)
	for _, step := range []struct {
		after time.Duration
		want  string // the answering member
		asked string
	}{
		{0, "b", "a1b1"},
		{59 * time.Second, "b", "a1b2"},
		{time.Second, "b", "a2b3"}, // the probe fails
		{59 * time.Second, "b", "a2b4"},
		{time.Second, "a", "a3b4"},
		{0, "a", "a4b4"},
	} {
		c.time = c.time.Add(step.after)
		if got := ask(t.Context(), c, question); got.text != step.want || c.asked() != step.asked {
			t.Errorf("at %v: heard %q, asked %s", c.time.Sub(time.Unix(0, 0)), got.text, c.asked())
		}
	}
}

// If all members are skipped, all are tried in order.
func TestFallbackLastResort(t *testing.T) {
	c := newCast([]error{down, down, nil}, []error{down, &provider.AuthError{Status: 401}, down})
	c.CoolDown = time.Hour
	got := ask(t.Context(), c, question)
	if got.err != error(down) || len(got.attempts) != 1 {
		t.Errorf("%+v", got)
	}
	if got := ask(t.Context(), c, question); got.err != error(down) || len(got.attempts) != 1 || got.attempts[0].Status != 503 {
		t.Errorf("%+v", got)
	}
	if got := ask(t.Context(), c, question); got.text != "a" || got.attempts != nil {
		t.Errorf("%+v", got)
	}
}

// Skipped members are tried after the others.
func TestFallbackOrder(t *testing.T) {
	c := newCast([]error{down, nil}, []error{nil, down}, []error{down})
	if got := ask(t.Context(), c, question); got.text != "b" {
		t.Errorf("%+v", got)
	}
	got := ask(t.Context(), c, question)
	var moves []string
	for _, a := range got.attempts {
		_, move, _ := strings.Cut(a.Error, "; ")
		moves = append(moves, move)
	}
	if diff := cmp.Diff([]string{"trying p/c", "trying p/a"}, moves); diff != "" || got.text != "a" {
		t.Errorf("heard %q, moves (-want +got):\n%s", got.text, diff)
	}
}

// The attempts of a member are reported, and its last one reports the move to the next member.
func TestFallbackOverClients(t *testing.T) {
	s := serve(t, answer(503, ""), answer(503, ""), ok)
	c := provider.NewFallback(
		provider.Member{Name: "p/a", Model: s.configured(provider.Config{Attempts: 2, Rand: func() float64 { return 0 }})},
		provider.Member{Name: "p/b", Model: s.client()})
	got := ask(t.Context(), c, question)
	want := []chat.Attempt{
		{Number: 1, Status: 503, By: "parrot", Error: "model server: status 503 without a message"},
		{Number: 2, Status: 503, By: "parrot", Error: "p/a: model server: status 503 without a message (attempt 2); trying p/b"},
	}
	if diff := cmp.Diff(want, got.attempts); diff != "" || got.text != "Hello" || got.err != nil {
		t.Errorf("%+v (-want +got):\n%s", got, diff)
	}
}

// V7: when the caller's context ends, no other member is tried and no breaker opens.
func TestFallbackCancelled(t *testing.T) {
	why := errors.New("enough")
	c := newCast([]error{down}, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if got := ask(ctx, c, question); got.err != why || c.asked() != "a1b0" {
		t.Errorf("error %v, asked %s", got.err, c.asked())
	}
	if got := ask(t.Context(), c, question); got.text != "a" {
		t.Errorf("%+v", got)
	}
}

func TestFallbackOfNobody(t *testing.T) {
	if got := ask(t.Context(), provider.NewFallback(), question); got.err == nil {
		t.Error("nobody answers without an error")
	}
}

// A patient is a model that blocks until heal has its outcome.
type patient struct {
	asked chan struct{}
	heal  chan error
}

func (p patient) Reply(_ context.Context, _ chat.Request, delta func(chat.Delta)) (chat.Response, error) {
	p.asked <- struct{}{}
	err := <-p.heal
	if err == nil {
		delta(chat.Delta{Content: "a"})
	}
	return chat.Response{}, err
}

// Only one request probes a failed member. Concurrent ones use the others.
func TestFallbackProbe(t *testing.T) {
	p := patient{make(chan struct{}), make(chan error)}
	f := provider.NewFallback(provider.Member{Name: "p/a", Model: p}, provider.Member{Name: "p/b", Model: constant("b")})
	now := time.Unix(0, 0)
	var mu sync.Mutex
	f.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	results := make(chan hearing)
	start := func() { go func() { results <- ask(t.Context(), f, question) }() }

	start()
	<-p.asked
	p.heal <- down
	if got := <-results; got.text != "b" {
		t.Fatalf("%+v", got)
	}
	mu.Lock()
	now = now.Add(time.Minute)
	mu.Unlock()
	start()
	<-p.asked
	for range 3 {
		if got := ask(t.Context(), f, question); got.text != "b" {
			t.Errorf("%+v", got)
		}
	}
	p.heal <- nil
	if got := <-results; got.text != "a" {
		t.Errorf("%+v", got)
	}
}

// A constant is a model with a constant answer.
type constant string

func (c constant) Reply(_ context.Context, _ chat.Request, delta func(chat.Delta)) (chat.Response, error) {
	delta(chat.Delta{Content: string(c)})
	return chat.Response{Content: string(c)}, nil
}

// If a server fails, all its members are skipped. If it rejects only one model, its other members
// are tried.
func TestFallbackServer(t *testing.T) {
	for _, c := range []struct {
		err   error
		asked string
	}{
		{down, "a1 b0 c1"},
		{&provider.AuthError{Status: 401}, "a1 b0 c1"},
		{&provider.UnknownModelError{Name: "a"}, "a1 b1 c0"},
		{&provider.StatusError{Status: 429}, "a1 b1 c0"},
	} {
		var members []provider.Member
		var actors []*actor
		for i, name := range []string{"a", "b", "c"} {
			a := &actor{name: name}
			if i == 0 {
				a.lines = []error{c.err}
			}
			actors = append(actors, a)
			members = append(members, provider.Member{Name: name, Server: []string{"one", "one", "two"}[i], Model: a})
		}
		ask(t.Context(), provider.NewFallback(members...), question)
		var asked []string
		for _, a := range actors {
			asked = append(asked, fmt.Sprintf("%s%d", a.name, a.asked))
		}
		if got := strings.Join(asked, " "); got != c.asked {
			t.Errorf("after %v: %s, want %s", c.err, got, c.asked)
		}
	}
}

// A member of a server that was found down is skipped while another member answers. If all fail,
// the answer of a server takes precedence over a connection error.
func TestFallbackLeftOut(t *testing.T) {
	dead := &provider.UnavailableError{Attempts: 1, Err: errors.New("connection refused")}
	a, b := &actor{name: "a", lines: []error{dead}}, &actor{name: "b", lines: []error{nil, &provider.AuthError{Status: 401}}}
	f := provider.NewFallback(provider.Member{Name: "a", Model: a}, provider.Member{Name: "b", Model: b})
	f.Open(0, time.Now())
	if got := ask(t.Context(), f, question); got.text != "b" || a.asked != 0 {
		t.Errorf("heard %q, a was asked %d times", got.text, a.asked)
	}
	if got := ask(t.Context(), f, question); !errors.As(got.err, new(*provider.AuthError)) || a.asked != 1 {
		t.Errorf("error %v, a was asked %d times", got.err, a.asked)
	}
}

// Open opens the breakers of a server's members until a minute after the server was found down, and
// reports no failure.
func TestFallbackOpen(t *testing.T) {
	for _, tt := range []struct {
		ago, failedAgo time.Duration // since the server was found down, and since a failure in another run; 0: none
		asked          string        // requests to each member
	}{
		{59 * time.Second, 0, "a0b0c1"},
		{time.Minute, 0, "a1b0c0"},
		{2 * time.Minute, 0, "a1b0c0"},
		{2 * time.Minute, 30 * time.Second, "a0b1c0"},
	} {
		c := newCast(nil, nil, nil)
		members := []provider.Member{{Name: "a", Server: "s", Model: c.actors[0]}, {Name: "b", Server: "s", Model: c.actors[1]}, {Name: "c", Model: c.actors[2]}}
		f := provider.NewFallback(members...)
		f.Now = func() time.Time { return c.time }
		f.OnFailure = func(member int, failed time.Time) {
			if !failed.IsZero() {
				t.Errorf("member %d failed at %v", member, failed)
			}
		}
		if tt.failedAgo > 0 {
			f.RestoreFailure(0, c.time.Add(-tt.failedAgo))
		}
		f.Open(0, c.time.Add(-tt.ago))
		if ask(t.Context(), f, question); c.asked() != tt.asked {
			t.Errorf("found down %v ago: asked %s, want %s", tt.ago, c.asked(), tt.asked)
		}
	}
}

// D7: if every model fails, the error is a server's answer, otherwise a temporary failure, and a rejection
// only if there is nothing else, because its exit code means that no later run can succeed.
func TestFallbackTellingError(t *testing.T) {
	rejected, denied := &provider.StatusError{Status: 400}, &provider.AuthError{Status: 401}
	gone := &provider.UnavailableError{Attempts: 1, Err: errOwn}
	for _, tt := range []struct{ a, b, want error }{
		{rejected, gone, gone}, {gone, rejected, gone}, {rejected, denied, denied}, {down, rejected, down},
		{rejected, &provider.ProtocolError{Err: errOwn}, rejected}, {gone, denied, denied},
	} {
		if got := ask(t.Context(), newCast([]error{tt.a}, []error{tt.b}), question); got.err != tt.want {
			t.Errorf("%v and %v: %v", tt.a, tt.b, got.err)
		}
	}
}

// The response is that of the last member if its error is returned, otherwise it is empty, and the last attempt of that
// member is reported if it may be charged.
func TestFallbackLastAttempt(t *testing.T) {
	silent := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for _, tt := range []struct {
		name     string
		a, b     http.HandlerFunc
		err      any
		attempts []chat.Attempt
		by       string
	}{
		{"free", silent, answer(400, "no"), new(*provider.TimeoutError), []chat.Attempt{{Number: 1, Charged: true, By: "p/a"}}, ""},
		{"charged", answer(503, ""), silent, new(*provider.UnavailableError), []chat.Attempt{{Number: 1, Status: 503, By: "p/a"}, {Number: 1, Charged: true, By: "p/b", Last: true}}, ""},
		{"telling", answer(400, "no"), silent, new(*provider.TimeoutError), []chat.Attempt{{Number: 1, Status: 400, By: "p/a"}}, "p/b"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var members []provider.Member
			for name, step := range map[string]http.HandlerFunc{"p/a": tt.a, "p/b": tt.b} {
				s := serve(t, step)
				members = append(members, provider.Member{Name: name, Model: s.configured(provider.Config{Name: name, Attempts: 1})})
			}
			slices.SortFunc(members, func(a, b provider.Member) int { return strings.Compare(a.Name, b.Name) })
			got := ask(t.Context(), provider.NewFallback(members...), question)
			diff := cmp.Diff(tt.attempts, got.attempts, cmpopts.IgnoreFields(chat.Attempt{}, "Error"))
			if diff != "" || !isExactly(got.err, tt.err) || got.resp.By != tt.by {
				t.Errorf("%s: error %v of %q, attempts (-want +got):\n%s", tt.name, got.err, got.resp.By, diff)
			}
		})
	}
}

// X7: a member that failed in another run is skipped for the rest of the minute. This is reported once, and so are
// new failures and recoveries.
func TestFallbackRemembers(t *testing.T) {
	c := newCast([]error{nil, down, nil}, nil)
	var told []string
	c.OnFailure = func(member int, failed time.Time) { told = append(told, fmt.Sprint(member, !failed.IsZero())) }
	c.RestoreFailure(0, c.time.Add(-20*time.Second))
	got := ask(t.Context(), c, question)
	want := []chat.Attempt{{Number: 1, Skipped: true, Error: "p/a: failed in another run 20s ago; trying p/b"}}
	if diff := cmp.Diff(want, got.attempts); diff != "" || got.text != "b" {
		t.Errorf("heard %q, attempts (-want +got):\n%s", got.text, diff)
	}
	if got := ask(t.Context(), c, question); got.text != "b" || got.attempts != nil {
		t.Errorf("%+v", got)
	}
	c.time = c.time.Add(40 * time.Second)
	for _, want := range []string{"a", "b"} { // half open: the probe succeeds, and then the member fails
		if got := ask(t.Context(), c, question); got.text != want {
			t.Errorf("%+v", got)
		}
	}
	if diff := cmp.Diff([]string{"0 false", "0 true"}, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	alone := newCast(nil)
	alone.RestoreFailure(0, alone.time)
	if got := ask(t.Context(), alone, question); got.text != "a" || got.attempts != nil {
		t.Errorf("the only member: %+v", got)
	}
}
