package executor

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/netguard"
	"oneshot/pkg/subprocess"
	"oneshot/pkg/subprocess/programtest"
)

// script returns a program that is a shell script.
func script(t *testing.T, text string) subprocess.Program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return subprocess.Program{Path: path, Env: shell.Env}
}

// newOpener returns an opener and its output.
func newOpener(t *testing.T, p subprocess.Program) (*BrowserOpener, *screen) {
	t.Helper()
	out := new(screen)
	o := NewBrowserOpener(t.Context(), p, out)
	t.Cleanup(o.Close)
	return o, out
}

// open opens a page and returns the result.
func open(t *testing.T, o *BrowserOpener, url string) chat.Result {
	t.Helper()
	return invoke(t, o.open, map[string]string{"url": url})
}

func TestOpen(t *testing.T) {
	out := filepath.Join(t.TempDir(), "opened")
	o, shown := newOpener(t, script(t, `echo $# "$1" >>`+out))
	if r := open(t, o, "https://Example.com/a?b=c"); string(r.Data) != `{"opened":true,"shown":false}` {
		t.Errorf("%s, %+v", r.Data, r.Error)
	}
	if got, err := os.ReadFile(out); err != nil || string(got) != "1 https://Example.com/a?b=c\n" || shown.String() != "" {
		t.Errorf("opened %q, %v; shown %q", got, err, shown)
	}
	o.Close()
	wantError(t, open(t, o, "https://example.com/"), chat.Unavailable, "the run is over")
}

func TestOpenFails(t *testing.T) {
	const somewhere = "https://example.com/"
	o, _ := newOpener(t, script(t, "exit 4"))
	wantError(t, open(t, o, somewhere), chat.Failed, "the browser command ended with exit status 4")
	wantError(t, open(t, o, "file:///etc/passwd"), chat.InvalidArguments, "http://")
	o, _ = newOpener(t, subprocess.Program{Err: errors.New("not found in $PATH")})
	wantError(t, open(t, o, somewhere), chat.Unavailable, "cannot run the browser command: not found in $PATH")
	o, _ = newOpener(t, subprocess.Program{Path: "/nowhere/open"})
	wantError(t, open(t, o, somewhere), chat.Unavailable, "cannot run the browser command: ")
	wantError(t, open(t, nil, somewhere), chat.Failed, "cannot open pages")
	if _, err := NewBrowserOpener(t.Context(), subprocess.Program{}, brokenPipe{}).open(t.Context(), json.RawMessage(`{"url":"https://example.com/"}`)); err == nil {
		t.Error("a page that was neither opened nor shown is no success")
	}
}

func TestOpenShows(t *testing.T) {
	o, shown := newOpener(t, subprocess.Program{})
	if r := open(t, o, "https://example.com/"); string(r.Data) != `{"opened":false,"shown":true}` {
		t.Errorf("%s, %+v", r.Data, r.Error)
	}
	if got := shown.String(); got != "open: https://example.com/\n" {
		t.Errorf("shown %q", got)
	}
}

// A call does not wait for a command that keeps running. The command is killed by Close,
// or when the context of the run ends.
func TestOpenStays(t *testing.T) {
	for name, end := range map[string]func(*BrowserOpener, context.CancelFunc){
		"close":   func(o *BrowserOpener, _ context.CancelFunc) { o.Close() },
		"context": func(_ *BrowserOpener, cancel context.CancelFunc) { cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			w := programtest.NewWitness(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o := NewBrowserOpener(ctx, script(t, w.Stubborn()), new(screen))
			defer o.Close()
			o.startWindow = time.Millisecond
			if r := open(t, o, "https://example.com/"); string(r.Data) != `{"opened":true,"shown":false}` {
				t.Errorf("%s, %+v", r.Data, r.Error)
			}
			w.WantStarted(t)
			end(o, cancel)
			w.WantGone(t)
		})
	}
}

// Processes that a successful command leaves in its group run until Close: one of them may
// be the browser.
func TestOpenLeaves(t *testing.T) {
	w := programtest.NewWitness(t)
	o, _ := newOpener(t, script(t, "exec 3>"+w.Path+"; echo here >&3; sleep 1000 &"))
	if r := open(t, o, "https://example.com/"); !r.OK() {
		t.Errorf("%+v", r.Error)
	}
	w.WantStarted(t)
	<-o.processes[0].Ended()
	if !o.processes[0].IsAlive() {
		t.Error("nobody is left of the group")
	}
	o.Close()
	w.WantGone(t)
}

// The number of running commands is limited, and commands that have ended are not
// counted.
func TestOpenIsBounded(t *testing.T) {
	o, _ := newOpener(t, script(t, "exec sleep 1000"))
	for range maxPages {
		if _, refused := o.start("https://example.com/"); refused != nil {
			t.Fatalf("%+v", refused.Error)
		}
	}
	_, refused := o.start("https://example.com/")
	if refused == nil {
		t.Fatal("one page too many was opened")
	}
	wantError(t, *refused, chat.RateLimited, "16 pages are already open")
	subprocess.Stop(o.processes[:1])
	if _, refused := o.start("https://example.com/"); refused != nil {
		t.Errorf("after one has ended: %+v", refused.Error)
	}
}

func TestOpenCancelled(t *testing.T) {
	w := programtest.NewWitness(t)
	o, _ := newOpener(t, script(t, w.Stubborn()))
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-w.Started(); cancel() }()
	if _, err := o.open(ctx, json.RawMessage(`{"url":"https://example.com/"}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	o.Close()
	w.WantGone(t)
}

// oddURLs are URLs that escaping can change.
var oddURLs = []string{
	"https://example.com/", "http://[::1]:80/a'b\"c?d=|e f#`g`", "https://example.com/%zz", "https://x.test?%", "HTTP://X.test/ä/%c3", "https://x.test/#a#b",
	"-https://x.test",
}

// checkPlainURL checks that an escaped URL is one word without quotes or special characters,
// that escaping is idempotent, and that scheme and host stay the same.
func checkPlainURL(t *testing.T, raw string) {
	got, err := escapedURL(raw)
	if err != nil {
		return
	}
	if strings.ContainsFunc(got, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"'`<>\\{|}^", r) }) || !strings.HasPrefix(got, "http") {
		t.Errorf("%q becomes %q", raw, got)
	}
	if again, err := escapedURL(got); err != nil || again != got {
		t.Errorf("%q becomes %q, and that %q, %v", raw, got, again, err)
	}
	before, err1 := netguard.CheckURL(raw)
	after, err2 := url.Parse(got)
	if err1 != nil || err2 != nil || before.Host != after.Host || before.Scheme != after.Scheme {
		t.Errorf("%q becomes %q", raw, got)
	}
}
