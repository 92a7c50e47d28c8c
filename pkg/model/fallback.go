package model

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"oneshot/pkg/chat"
)

// A Replier answers requests. [Client], [Replay] and [Fallback] are some.
type Replier interface {
	Reply(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error)
}

// A Member is one of the models of a [Fallback].
type Member struct {
	Name   string // as PROVIDER/NAME, for messages
	Server string // where it is: members of one server are left out together; "" for one of its own
	Model  Replier
}

// A Fallback asks several models in their order, until one answers. A member
// that fails is left out for a while: its breaker is open. Then one request
// tries it again. When it was its server that failed, so are the other members
// of that server. Those that are left out are asked all the same when every
// other member has failed.
//
// A request goes on to the next member only as long as nothing of a response
// was heard. What each kind of failure means stands at verdictOn.
//
// A Fallback is safe for concurrent use if its members are. Now, CoolDown and Note may
// be set before the first Reply.
type Fallback struct {
	Now      func() time.Time // nil: [time.Now]
	CoolDown time.Duration    // for which a failed member is left out; 0: 1 min
	// Note is told when a member failed, or, with a zero time, is well again; nil where nobody keeps it. It is called
	// by one goroutine at a time.
	Note    func(member int, failed time.Time)
	members []Member

	mu       sync.Mutex
	breakers []breaker // by member
}

// CoolDown is the default of [Fallback.CoolDown].
const CoolDown = time.Minute

// A breaker keeps requests from a member that has failed.
type breaker struct {
	until   time.Time // when the member may be tried again; zero if it is well
	probing bool      // a request is trying it
	before  time.Time // when it failed in another run, until a request has passed it over
}

// lets reports whether a request may be made, and remembers one that is made to
// try the member.
func (b *breaker) lets(now time.Time) bool {
	if b.until.IsZero() {
		return true
	}
	if b.probing || now.Before(b.until) {
		return false
	}
	b.probing = true
	return true
}

// NewFallback returns a fallback over one or more members, the preferred first.
func NewFallback(members ...Member) *Fallback {
	return &Fallback{members: slices.Clone(members), breakers: make([]breaker, len(members))}
}

// LeaveOut leaves a member out for a while, and all others of its server: it was
// found dead already.
func (f *Fallback) LeaveOut(member int) { f.book(member, false, verdict{open: true, server: true}) }

// Failed leaves a member out because it failed in another run, for what is left of the while. The request that
// passes it over for that has an attempt that says so.
func (f *Fallback) Failed(member int, at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := &f.breakers[member]
	b.until, b.before = at.Add(f.coolDown()), at
}

func (f *Fallback) coolDown() time.Duration { return positive(f.CoolDown, CoolDown) }

// A verdict is what a failure means for a fallback.
type verdict struct {
	goOn   bool // the next member is asked
	open   bool // the member is left out for a while
	server bool // and so are all others of its server
}

// verdictOn judges a failure.
//
// The server does not answer, or not in time, refuses the credentials or says
// anything else in place of a response: the next one may do better, and this one
// would fail again, whichever of its models is asked. It has no such model, or
// not so often, or a response broke off: that is about the model.
//
// The request is too long for the model: another may have the room. The server
// is well.
//
// The model cannot call tools: whoever asks can do without as long as there were
// no calls, and the preferred model stays. After that, only another one can go
// on.
//
// The server cannot enforce the format: whoever asks can do without. The request
// cannot be sent, or the caller has had enough: that is nobody's failure.
func verdictOn(err error, req chat.Request) verdict {
	var noTools *NoToolsError
	switch {
	case errors.As(err, &noTools):
		return verdict{goOn: slices.ContainsFunc(req.Messages, func(m chat.Message) bool { return m.Role == chat.Tool })}
	case errors.As(err, new(*FormatError)):
		return verdict{}
	case errors.As(err, new(*OverflowError)):
		return verdict{goOn: true}
	case statusOf(err) == http.StatusTooManyRequests, errors.As(err, new(*UnknownModelError)), errors.As(err, new(*CutError)):
		return verdict{goOn: true, open: true}
	case errors.As(err, new(*UnavailableError)), errors.As(err, new(*TimeoutError)),
		errors.As(err, new(*StatusError)), errors.As(err, new(*AuthError)), errors.As(err, new(*ProtocolError)):
		return verdict{goOn: true, open: true, server: true}
	}
	return verdict{}
}

// Reply asks the members. Every move to the next is reported to delta as an
// attempt that names both. The error is that of the first member whose server
// said something other than a rejection; then that of the first failure that is none, because the same
// request may succeed there later; then the first.
func (f *Fallback) Reply(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error) {
	var telling error
	asked := make([]bool, len(f.members))
	at := f.pick(asked)
	if at < 0 {
		return chat.Response{}, errors.New("fallback: there is no model")
	}
	f.sayPassed(at, delta)
	for {
		member, tries, heard := f.members[at], 1, false
		resp, err := member.Model.Reply(ctx, req, func(d chat.Delta) {
			if d.Attempt != nil {
				tries = d.Attempt.Number + 1
			} else {
				heard = true
			}
			delta(d)
		})
		v := verdictOn(err, req)
		if ctx.Err() != nil {
			v = verdict{}
		}
		f.book(at, err == nil, v)
		if !v.goOn || heard {
			return resp, err
		}
		if telling == nil || weight(err) > weight(telling) {
			telling = err
		}
		if at = f.pick(asked); at < 0 {
			return resp, telling
		}
		delta(chat.Delta{Attempt: &chat.Attempt{
			Number: tries,
			Error:  fmt.Sprintf("%s: %v; going on with %s", member.Name, err, f.members[at].Name),
			Status: statusOf(err),
		}})
	}
}

// weight says which of the errors of several members is that of them all.
func weight(err error) int {
	switch {
	case IsRejection(err):
		return 0
	case hasSaid(err):
		return 2
	}
	return 1
}

// sayPassed reports the members before one that are passed over because they failed in another run, once.
func (f *Fallback) sayPassed(at int, delta func(chat.Delta)) {
	for i := range at {
		f.mu.Lock()
		before := f.breakers[i].before
		f.breakers[i].before = time.Time{}
		f.mu.Unlock()
		if !before.IsZero() {
			delta(chat.Delta{Attempt: &chat.Attempt{Number: 1, Error: fmt.Sprintf(
				"%s: it failed in another run %v ago; going on with %s", f.members[i].Name, f.now().Sub(before).Round(time.Second), f.members[at].Name)}})
		}
	}
}

// hasSaid reports whether an error is what a server said.
func hasSaid(err error) bool {
	return statusOf(err) != 0 || errors.As(err, new(*AuthError)) || errors.As(err, new(*UnknownModelError)) || errors.As(err, new(*OverflowError))
}

// pick returns the member to ask next, or -1 if all were asked: the first that
// is well or may be tried, otherwise the first that is left.
func (f *Fallback) pick(asked []bool) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := -1
	for i := range f.breakers {
		if !asked[i] && f.breakers[i].lets(f.now()) {
			at = i
			break
		}
	}
	if at < 0 {
		at = slices.Index(asked, false)
	}
	if at >= 0 {
		asked[at] = true
	}
	return at
}

// book keeps what came of asking a member.
func (f *Fallback) book(at int, well bool, v verdict) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.breakers[at].probing, f.breakers[at].before = false, time.Time{}
	if well && !f.breakers[at].until.IsZero() {
		f.breakers[at].until = time.Time{}
		f.note(at, time.Time{})
	}
	server := f.members[at].Server
	for i := range f.breakers {
		if v.open && (i == at || v.server && server != "" && server == f.members[i].Server) {
			f.breakers[i].until = f.now().Add(f.coolDown())
			f.note(i, f.now())
		}
	}
}

func (f *Fallback) note(member int, failed time.Time) {
	if f.Note != nil {
		f.Note(member, failed)
	}
}

// now returns the time.
func (f *Fallback) now() time.Time {
	if f.Now != nil {
		return f.Now()
	}
	return time.Now()
}
