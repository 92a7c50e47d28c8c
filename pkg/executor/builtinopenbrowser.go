package executor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/netguard"
	"oneshot/pkg/subprocess"
)

const (
	// defaultStartWindow is how long a call waits for the browser command. A command that
	// hands the page to a running browser ends at once and reports failure.
	defaultStartWindow = time.Second
	maxPages           = 16 // running browser commands
)

// A BrowserOpener opens pages for the user by running a browser command with the URL as its only argument. Its
// methods may be called concurrently.
//
// The command's process group, including a browser, is killed when the run ends: a run leaves no processes
// behind. Users who want the browser to stay can configure a command that detaches it (such as setsid).
type BrowserOpener struct {
	program     subprocess.Program
	allowed     []netguard.HostPort
	startWindow time.Duration
	out         chatWriter
	stopAfter   func() bool // stops watching the context

	mu        sync.Mutex
	processes []*subprocess.Process
	closed    bool
}

// NewBrowserOpener returns an opener that runs a command, or without one writes the URLs to out, each with
// one Write; its calls fail without both. It refuses pages of this machine and its network unless their hosts
// are allowed. When ctx ends or [BrowserOpener.Close] is called, the process groups of the commands are killed.
func NewBrowserOpener(ctx context.Context, p subprocess.Program, out io.Writer, allowed ...netguard.HostPort) *BrowserOpener {
	o := &BrowserOpener{program: p, allowed: allowed, startWindow: defaultStartWindow, out: chatWriter{out: out}}
	o.stopAfter = context.AfterFunc(ctx, o.stopAll)
	return o
}

// Close kills the commands and waits for their end.
func (o *BrowserOpener) Close() {
	o.stopAfter()
	o.stopAll()
}

func (o *BrowserOpener) stopAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	subprocess.Stop(o.processes)
	o.processes = nil
}

// open is open_url(url) (M4): it opens a page for the user.
func (o *BrowserOpener) open(ctx context.Context, raw json.RawMessage) (chat.Result, error) {
	args, err := decodeStrict[struct {
		URL string `json:"url"`
	}](raw)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "%v", err), nil
	}
	page, err := escapedURL(args.URL)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "url %v", err), nil
	}
	if o == nil {
		return chat.Failure(chat.Failed, "this run cannot open pages"), nil
	}
	u, err := netguard.CheckURL(page)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "url %v", err), nil
	}
	if err := netguard.CheckBrowserURL(u, o.allowed); err != nil {
		return netFailure(err), nil
	}
	switch {
	case !o.program.IsNamed() && o.out.out == nil:
		return hiddenResult(), nil
	case !o.program.IsNamed():
		if err := o.out.show("open: ", page); err != nil {
			return chat.Result{}, err
		}
		return openedResult(false), nil
	}
	p, refused := o.start(page)
	if refused != nil {
		return *refused, nil
	}
	return o.awaitStart(ctx, p)
}

// openedResult is the result of a call whose page was opened, or else shown as a URL.
func openedResult(yes bool) chat.Result {
	return chat.Success(struct {
		Opened bool `json:"opened"`
		Shown  bool `json:"shown"`
	}{yes, !yes})
}

// start runs the command, or returns the result of a failure.
func (o *BrowserOpener) start(page string) (*subprocess.Process, *chat.Result) {
	o.mu.Lock()
	defer o.mu.Unlock()
	failure := func(code chat.ErrorCode, format string, args ...any) (*subprocess.Process, *chat.Result) {
		r := chat.Failure(code, format, args...)
		return nil, &r
	}
	if o.closed {
		return failure(chat.Unavailable, "%v", errRunOver)
	}
	o.processes = slices.DeleteFunc(o.processes, func(p *subprocess.Process) bool { return !p.IsAlive() })
	if len(o.processes) == maxPages {
		return failure(chat.RateLimited, "%d pages are already open", maxPages)
	}
	p, err := o.program.Start(nil, nil, page)
	if err != nil {
		return failure(chat.Unavailable, "cannot run the browser command: %v", err)
	}
	o.processes = append(o.processes, p)
	return p, nil
}

// awaitStart gives the command time to fail.
func (o *BrowserOpener) awaitStart(ctx context.Context, p *subprocess.Process) (chat.Result, error) {
	settled := time.NewTimer(o.startWindow)
	defer settled.Stop()
	select {
	case <-ctx.Done():
		return chat.Result{}, context.Cause(ctx)
	case <-settled.C: // still running, as a browser does
		return openedResult(true), nil
	case <-p.Ended():
	}
	if p.Err() != nil {
		return chat.Failure(chat.Failed, "the browser command ended with %v", p.Err()), nil
	}
	return openedResult(true), nil
}

// escapedURL checks a URL and returns it as a command gets it: ASCII, with quotes and other characters not allowed
// in URLs escaped. Some scripts that open pages lack quotes.
func escapedURL(raw string) (string, error) {
	u, err := netguard.CheckURL(raw)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, c := range []byte(u.String()) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}'", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	_, err = netguard.CheckURL(b.String()) // escaping may have made it too long
	return b.String(), err
}
