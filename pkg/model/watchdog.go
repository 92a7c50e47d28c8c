package model

import (
	"context"
	"io"
	"time"
)

// A watchdog ends a context with a *[TimeoutError] when a server keeps silent:
// when a response does not begin within one limit, or does not go on within
// another. It counts only the time that is spent waiting for the server, and not
// what is done with the pieces. (http.Client.Timeout would also end a long
// response that is doing well.)
type watchdog struct {
	bite    context.CancelCauseFunc
	idle    time.Duration
	what    string        // what is awaited
	limit   time.Duration // how long
	left    time.Duration // of the limit, when the timer was last started or stopped
	since   time.Time     // when the timer was started
	timer   *time.Timer
	running bool
}

// What a watchdog waits for.
const (
	aResponse   = "response"
	furtherData = "further data"
)

// watch starts a watchdog. The caller must call stop.
func watch(ctx context.Context, firstByte, idle time.Duration) (context.Context, *watchdog) {
	ctx, bite := context.WithCancelCause(ctx)
	w := &watchdog{bite: bite, idle: idle, what: aResponse, limit: firstByte, left: firstByte}
	w.run()
	return ctx, w
}

// run starts the timer for what is left of the limit.
func (w *watchdog) run() {
	silence := &TimeoutError{What: w.what, Limit: w.limit}
	w.since, w.running = time.Now(), true
	w.timer = time.AfterFunc(w.left, func() { w.bite(silence) })
}

// read reads from a body while the timer runs.
func (w *watchdog) read(body io.Reader, p []byte) (int, error) {
	if !w.running {
		w.run()
	}
	n, err := body.Read(p)
	w.timer.Stop()
	w.running = false
	w.left -= time.Since(w.since)
	return n, err
}

// progress says that what was awaited has come. It is called between reads.
func (w *watchdog) progress() {
	w.what, w.limit, w.left = furtherData, w.idle, w.idle
}

// stop ends the watch, and with it the request that uses the context.
func (w *watchdog) stop() {
	w.timer.Stop()
	w.bite(context.Canceled)
}

// A watchedReader is a body with its watchdog. Every byte is progress.
type watchedReader struct {
	body io.Reader
	dog  *watchdog
}

func (r watchedReader) Read(p []byte) (int, error) {
	n, err := r.dog.read(r.body, p)
	if n > 0 {
		r.dog.progress()
	}
	return n, err
}
