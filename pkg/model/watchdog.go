package model

import (
	"context"
	"io"
	"time"
)

// A watchdog ends a context with a *[TimeoutError] when a server keeps silent.
// It counts only the time that is spent waiting: up to the first byte of the
// body, and then in every read of it. (http.Client.Timeout would also end a
// long response that is doing well.)
type watchdog struct {
	bite  context.CancelCauseFunc
	first *time.Timer // until the first byte
	calm  *time.Timer // in a later read
	idle  time.Duration
}

// watch starts a watchdog. The caller must call stop.
func watch(ctx context.Context, firstByte, idle time.Duration) (context.Context, *watchdog) {
	ctx, bite := context.WithCancelCause(ctx)
	w := &watchdog{bite: bite, idle: idle}
	w.first = w.alarm("first byte", firstByte)
	return ctx, w
}

// alarm returns a running timer that ends the context.
func (w *watchdog) alarm(what string, limit time.Duration) *time.Timer {
	return time.AfterFunc(limit, func() { w.bite(&TimeoutError{What: what, Limit: limit}) })
}

// read reads from a body under the limits.
func (w *watchdog) read(body io.Reader, p []byte) (int, error) {
	if w.calm != nil {
		w.calm.Reset(w.idle)
	}
	n, err := body.Read(p)
	if n > 0 && w.calm == nil {
		w.first.Stop()
		w.calm = w.alarm("further bytes", w.idle)
	}
	if w.calm != nil {
		w.calm.Stop()
	}
	return n, err
}

// stop ends the watch, and with it the request that uses the context.
func (w *watchdog) stop() {
	w.first.Stop()
	if w.calm != nil {
		w.calm.Stop()
	}
	w.bite(context.Canceled)
}

// A watchedReader is a body with its watchdog.
type watchedReader struct {
	body io.Reader
	dog  *watchdog
}

func (r watchedReader) Read(p []byte) (int, error) { return r.dog.read(r.body, p) }
