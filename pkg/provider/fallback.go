package provider

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

// A Replier answers requests: a [Client], [Replay] or [Fallback].
type Replier interface {
	Reply(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error)
}

// A Member is one of the models of a [Fallback].
type Member struct {
	Name   string // as PROVIDER/NAME, for messages
	Server string // members of one server are skipped together; "" for a server of its own
	Model  Replier
}

// A Fallback tries several models in order until one responds. A member that fails is skipped for a while: its
// circuit breaker is open. Then one request probes it. If its server failed, the other members of that server are
// skipped, too. Skipped members are tried anyway if all others have failed.
//
// A request moves to the next member only before any part of a response has arrived. [judgeFailure] classifies
// failures.
//
// A Fallback is safe for concurrent use if its members are. Now, CoolDown and OnFailure may be set before the first
// Reply.
type Fallback struct {
	Now      func() time.Time // nil: [time.Now]
	CoolDown time.Duration    // how long a failed member is skipped; 0: 1 min
	// OnFailure is called when a member fails, or, with a zero time, when it recovers; nil: not called. Calls are
	// serialized.
	OnFailure func(member int, failed time.Time)
	members   []Member

	mu       sync.Mutex
	breakers []breaker // by member
}

// CoolDown is the default of [Fallback.CoolDown].
const CoolDown = time.Minute

// A breaker is the circuit breaker of a member.
type breaker struct {
	openUntil        time.Time // when the member may be probed; zero if closed
	probing          bool      // a request is probing it
	failedInOtherRun time.Time // time of a failure in another run, until a request has skipped the member
}

// allows reports whether a request may be made, and records a probe.
func (b *breaker) allows(now time.Time) bool {
	if b.openUntil.IsZero() {
		return true
	}
	if b.probing || now.Before(b.openUntil) {
		return false
	}
	b.probing = true
	return true
}

// NewFallback returns a fallback over one or more members in order of preference.
func NewFallback(members ...Member) *Fallback {
	return &Fallback{members: slices.Clone(members), breakers: make([]breaker, len(members))}
}

// Open opens the breakers of a member and all others of its server, which was found down at that time, for the rest of the
// cool-down. OnFailure is not called. A later failure is kept.
func (f *Fallback) Open(member int, at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	until := at.Add(f.coolDown())
	for i := range f.breakers {
		if f.isAffected(i, member, true) && !until.Before(f.breakers[i].openUntil) {
			f.breakers[i].openUntil, f.breakers[i].failedInOtherRun = until, time.Time{}
		}
	}
}

// isAffected reports whether the failure of a member, or of its server, opens the breaker of another one.
func (f *Fallback) isAffected(i, failed int, byServer bool) bool {
	server := f.members[failed].Server
	return i == failed || byServer && server != "" && server == f.members[i].Server
}

// RestoreFailure opens the breaker of a member that failed in another run, for the rest of the cool-down. The first
// request that skips it reports an attempt.
func (f *Fallback) RestoreFailure(member int, at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := &f.breakers[member]
	b.openUntil, b.failedInOtherRun = at.Add(f.coolDown()), at
}

func (f *Fallback) coolDown() time.Duration { return orDefault(f.CoolDown, CoolDown) }

// A verdict is the consequence of a failure.
type verdict struct {
	next   bool // try the next member
	open   bool // open the member's breaker
	server bool // and those of its server
}

// judgeFailure classifies a failure.
//
// The server is unreachable, too slow, rejects the credentials or returns something other than a response: the next
// member may work, and all models of this server would fail again. The model is unknown or rate limited, or a
// response broke off: only this model is affected.
//
// The request exceeds the model's context: another model may have a larger one, and this server is fine.
//
// The model cannot call tools: the caller can do without as long as there were no calls, and keeps the preferred
// model. Afterwards only another model can continue.
//
// The server cannot enforce the format: the caller can do without. The request cannot be sent or the caller's context
// ended: no member is at fault.
func judgeFailure(err error, req chat.Request) verdict {
	var noTools *NoToolsError
	switch {
	case errors.As(err, &noTools):
		return verdict{next: slices.ContainsFunc(req.Messages, func(m chat.Message) bool { return m.Role == chat.Tool })}
	case errors.As(err, new(*FormatError)):
		return verdict{}
	case errors.As(err, new(*OverflowError)):
		return verdict{next: true}
	case statusOf(err) == http.StatusTooManyRequests, errors.As(err, new(*UnknownModelError)), errors.As(err, new(*BrokenOffError)):
		return verdict{next: true, open: true}
	case errors.As(err, new(*UnavailableError)), errors.As(err, new(*TimeoutError)),
		errors.As(err, new(*StatusError)), errors.As(err, new(*AuthError)), errors.As(err, new(*ProtocolError)):
		return verdict{next: true, open: true, server: true}
	}
	return verdict{}
}

// Reply tries the members. Every move to the next member is reported to delta as an attempt that names both, and a retry. The
// error is that of the first member whose server gave an answer other than a rejection; otherwise the first failure
// that is not a rejection, because a retry may succeed there; otherwise the first. If it is not that of the last member,
// the response is empty, and the last attempt is reported to delta if its server may charge for it.
func (f *Fallback) Reply(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error) {
	var telling error
	asked := make([]bool, len(f.members))
	at := f.pickMember(asked)
	if at < 0 {
		return chat.Response{}, errors.New("fallback: no models")
	}
	f.reportSkipped(at, delta)
	for {
		member, tries, heard := f.members[at], 1, false
		resp, err := member.Model.Reply(ctx, req, func(d chat.Delta) {
			if d.Attempt != nil {
				tries = d.Attempt.Number + 1
			}
			heard = heard || d.Attempt == nil && !d.IsRetry
			delta(d)
		})
		v := judgeFailure(err, req)
		if ctx.Err() != nil {
			v = verdict{}
		}
		f.recordOutcome(at, err == nil, v)
		if !v.next || heard {
			return resp, err
		}
		isTelling := telling == nil || errorWeight(err) > errorWeight(telling)
		if isTelling {
			telling = err
		}
		failed := newAttempt(tries, resp, err)
		if at = f.pickMember(asked); at < 0 {
			if isTelling {
				return resp, err
			}
			if failed.Charged {
				failed.Last = true
				delta(chat.Delta{Attempt: &failed})
			}
			return chat.Response{}, telling // not with the response of another member
		}
		failed.Error = fmt.Sprintf("%s: %v; trying %s", member.Name, err, f.members[at].Name)
		delta(chat.Delta{Attempt: &failed})
		delta(chat.Delta{IsRetry: true})
	}
}

// errorWeight ranks the errors of several members.
func errorWeight(err error) int {
	switch {
	case IsRejection(err):
		return 0
	case isServerAnswer(err):
		return 2
	}
	return 1
}

// reportSkipped reports, once, the members skipped because they failed in another run.
func (f *Fallback) reportSkipped(at int, delta func(chat.Delta)) {
	for i := range at {
		f.mu.Lock()
		before := f.breakers[i].failedInOtherRun
		f.breakers[i].failedInOtherRun = time.Time{}
		f.mu.Unlock()
		if !before.IsZero() {
			delta(chat.Delta{Attempt: &chat.Attempt{Number: 1, Skipped: true, Error: fmt.Sprintf(
				"%s: failed in another run %v ago; trying %s", f.members[i].Name, f.now().Sub(before).Round(time.Second), f.members[at].Name)}})
		}
	}
}

// isServerAnswer reports whether an error comes from a server's answer.
func isServerAnswer(err error) bool {
	return statusOf(err) != 0 || errors.As(err, new(*AuthError)) || errors.As(err, new(*UnknownModelError)) || errors.As(err, new(*OverflowError))
}

// pickMember returns the next member to try, or -1 if all were tried: the first with a closed or probing breaker, otherwise
// the first untried one.
func (f *Fallback) pickMember(asked []bool) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := -1
	for i := range f.breakers {
		if !asked[i] && f.breakers[i].allows(f.now()) {
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

// recordOutcome records the outcome of a request to a member.
func (f *Fallback) recordOutcome(at int, well bool, v verdict) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.breakers[at].probing, f.breakers[at].failedInOtherRun = false, time.Time{}
	if well && !f.breakers[at].openUntil.IsZero() {
		f.breakers[at].openUntil = time.Time{}
		f.notifyFailure(at, time.Time{})
	}
	for i := range f.breakers {
		if v.open && f.isAffected(i, at, v.server) {
			f.breakers[i].openUntil = f.now().Add(f.coolDown())
			f.notifyFailure(i, f.now())
		}
	}
}

func (f *Fallback) notifyFailure(member int, failed time.Time) {
	if f.OnFailure != nil {
		f.OnFailure(member, failed)
	}
}

// now returns the time.
func (f *Fallback) now() time.Time {
	if f.Now != nil {
		return f.Now()
	}
	return time.Now()
}
