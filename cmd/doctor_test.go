package cmd

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// The report waits for a hanging probe no longer than the time limit and grace. A hanging probe fails the command only if a run
// needs it. A probe that panics is an internal error, and the other probes still report.
func TestRunProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forever := make(chan struct{})
		defer close(forever)
		hang := func(context.Context) check { <-forever; return check{} }
		needed := func(err error) error { return &outputError{err} }
		begin := time.Now()
		checks := runProbes(t.Context(), 5*time.Second, []probe{
			{name: "quick", check: func(context.Context) check { return check{Status: fine, Detail: "quick: here"} }},
			{name: "heeding", check: func(ctx context.Context) check { <-ctx.Done(); return failedCheck(context.Cause(ctx)) }},
			{name: "hanging", check: hang},
			{name: "hanging too", check: hang, runError: needed},
			{name: "bug", check: func(context.Context) check { panic("no") }},
		})
		if took := time.Since(begin); took != 5*time.Second+grace {
			t.Errorf("it took %v", took)
		}
		for i, want := range []struct {
			status status
			detail string
			exit   string
		}{
			{fine, "here", "ok"},
			{failed, "no answer within 5s", "unavailable"},
			{failed, "no answer within 5s", "ok"},
			{failed, "no answer within 5s", "io"},
			{failed, "internal error: no", "internal"},
		} {
			c := checks[i]
			if c.Status != want.status || c.Detail != want.detail || exitOf(c.err).Name != want.exit {
				t.Errorf("%s: %+v, want %+v", c.Name, c, want)
			}
		}
	})
}

func TestVerdictOf(t *testing.T) {
	fault := errors.New("a fault")
	for _, tt := range []struct {
		checks []check
		named  bool
		want   error
	}{
		{nil, false, noModelError{}},
		{nil, true, nil},
		{[]check{{}, {usable: true}}, false, nil},
		{[]check{{usable: true}, {err: fault}}, true, fault},
	} {
		if got := verdictOf(tt.checks, tt.named); got != tt.want {
			t.Errorf("%+v: %v, want %v", tt.checks, got, tt.want)
		}
	}
}
