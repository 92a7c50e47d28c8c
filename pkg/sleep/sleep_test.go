package sleep

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// For waits exactly as long as it should, or until the context ends.
func TestFor(t *testing.T) {
	gone := errors.New("gone")
	for _, tt := range []struct {
		name       string
		d, ends    time.Duration // the context ends after ends
		want       error
		wantWaited time.Duration
	}{
		{"the whole time", time.Minute, time.Hour, nil, time.Minute},
		{"until the context ends", time.Hour, time.Minute, gone, time.Minute},
		{"no time", 0, time.Hour, nil, 0},
		{"a context that has ended", time.Hour, 0, gone, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if tt.ends == 0 {
					cancel(gone)
				} else {
					defer time.AfterFunc(tt.ends, func() { cancel(gone) }).Stop()
				}
				start := time.Now()
				if err := For(ctx, tt.d); err != tt.want {
					t.Errorf("%v, want %v", err, tt.want)
				}
				if waited := time.Since(start); waited != tt.wantWaited {
					t.Errorf("it waited %v, want %v", waited, tt.wantWaited)
				}
			})
		})
	}
}
