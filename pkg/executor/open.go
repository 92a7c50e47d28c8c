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
	// settling is how long a call waits for the program that opens a page. One
	// that hands the page to a browser ends at once, and says whether it could.
	settling = time.Second
	maxPages = 16 // whose programs go on
)

// An Opener shows pages to the person who started the run, by a program that
// gets the URL as its only argument. Its methods may be called from several
// goroutines.
//
// The program is started to be ended: what is left of its process group when the
// run is over goes with it, also a browser. A run leaves nothing behind, and who
// wants the browser to stay can name a program that lets go of it (as with
// setsid), while nobody could end what this package had let go of.
type Opener struct {
	program  subprocess.Program
	allowed  []netguard.HostPort
	settling time.Duration
	shown    talker
	forget   func() bool // the context

	mu     sync.Mutex
	pages  []*subprocess.Process
	closed bool
}

// NewOpener returns an opener that runs a program, or, if there is none, shows
// the URLs on out: each text with one Write. Pages of this machine and its network are refused, unless
// their hosts are allowed. When ctx ends, or [Opener.Close] is
// called, the programs are ended, with all that they have started and that has
// not left their process groups.
func NewOpener(ctx context.Context, p subprocess.Program, out io.Writer, allowed ...netguard.HostPort) *Opener {
	o := &Opener{program: p, allowed: allowed, settling: settling, shown: talker{out: out}}
	o.forget = context.AfterFunc(ctx, o.end)
	return o
}

// Close ends the programs. When it returns, they have ended.
func (o *Opener) Close() {
	o.forget()
	o.end()
}

func (o *Opener) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	subprocess.Stop(o.pages)
	o.pages = nil
}

// open is open_url(url) (M4): it shows a page to the user.
func (o *Opener) open(ctx context.Context, raw json.RawMessage) (chat.Result, error) {
	args, err := decode[struct {
		URL string `json:"url"`
	}](raw)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "%v", err), nil
	}
	page, err := plainURL(args.URL)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "url %v", err), nil
	}
	if o == nil {
		return chat.Failure(chat.Failed, "this run shows no pages"), nil
	}
	u, err := netguard.CheckURL(page)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "url %v", err), nil
	}
	if err := netguard.CheckBrowserURL(u, o.allowed); err != nil {
		return netFailure(err), nil
	}
	switch {
	case !o.program.IsNamed():
		if err := o.shown.show("open: ", page); err != nil {
			return chat.Result{}, err
		}
		return opened(false), nil
	}
	p, refused := o.start(page)
	if refused != nil {
		return *refused, nil
	}
	return o.await(ctx, p)
}

// opened is the result of a call whose page was opened, or else shown as a URL.
func opened(yes bool) chat.Result {
	return chat.Success(struct {
		Opened bool `json:"opened"`
		Shown  bool `json:"shown"`
	}{yes, !yes})
}

// start runs the program. The result says why it does not run.
func (o *Opener) start(page string) (*subprocess.Process, *chat.Result) {
	o.mu.Lock()
	defer o.mu.Unlock()
	failure := func(code chat.ErrorCode, format string, args ...any) (*subprocess.Process, *chat.Result) {
		r := chat.Failure(code, format, args...)
		return nil, &r
	}
	if o.closed {
		return failure(chat.Unavailable, "%v", errOver)
	}
	o.pages = slices.DeleteFunc(o.pages, func(p *subprocess.Process) bool { return !p.IsAlive() })
	if len(o.pages) == maxPages {
		return failure(chat.RateLimited, "%d pages are open already", maxPages)
	}
	p, err := o.program.Start(nil, nil, page)
	if err != nil {
		return failure(chat.Unavailable, "the opener cannot be run: %v", err)
	}
	o.pages = append(o.pages, p)
	return p, nil
}

// await gives a program the time to say that it cannot.
func (o *Opener) await(ctx context.Context, p *subprocess.Process) (chat.Result, error) {
	settled := time.NewTimer(o.settling)
	defer settled.Stop()
	select {
	case <-ctx.Done():
		return chat.Result{}, context.Cause(ctx)
	case <-settled.C: // it goes on, as a browser does
		return opened(true), nil
	case <-p.Ended():
	}
	if p.Err() != nil {
		return chat.Failure(chat.Failed, "the opener ended with %v", p.Err()), nil
	}
	return opened(true), nil
}

// plainURL checks a URL as wget does and returns it in the spelling that a
// program gets: ASCII, with quotes and all that is no character of a URL escaped.
// Not every script that opens pages takes care to quote.
func plainURL(raw string) (string, error) {
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
	_, err = netguard.CheckURL(b.String()) // it may have become too long
	return b.String(), err
}
