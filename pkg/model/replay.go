package model

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// A Replay plays the model's side of a recorded run. It answers only the
// requests of that run, in their order, and never waits. It is for one run and
// not safe for concurrent use.
type Replay struct {
	file      string
	exchanges []exchange
	played    int
	recorded  chat.Request // the latest recorded request, whole
	end       *runfile.End // how the recorded run ended; nil if it was cut off
}

// An exchange is what is on record about one request.
type exchange struct {
	runfile.Request
	attempts []chat.Attempt
	response *runfile.Response // nil if none came
}

// A ReplayError says that a run does not go like the recorded one, or that the
// record ends.
type ReplayError struct {
	File string
	Turn int // of the recorded run; 0 if no request is left
	Why  string
	Diff string // what differs from the recorded request, one line each; may be empty
	Cut  bool   // the recorded run was cut off, and what is missing is what it did not come to
}

func (e *ReplayError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "replay of %s: ", e.File)
	if e.Turn > 0 {
		fmt.Fprintf(&b, "turn %d: ", e.Turn)
	}
	b.WriteString(e.Why)
	if e.Diff != "" {
		b.WriteString(":\n" + e.Diff)
	}
	return b.String()
}

// A RecordedEndError says that a replay has come to where the recorded run ended, for a reason that
// is not in what it was asked or told: its server, its clock or a signal.
type RecordedEndError struct {
	File string
	End  runfile.End
}

func (e *RecordedEndError) Error() string {
	return fmt.Sprintf("replay of %s: the recorded run ended here: %s", e.File, e.End.Why)
}

// endedFromOutside reports whether a run can end so at any point: it was interrupted, out of time, or
// could not write.
func endedFromOutside(end *runfile.End) bool {
	return end != nil && (end.Exit == 74 || end.Exit == 124 || end.Exit > 128)
}

// NewReplay returns a replay of a run file; file is its name, for messages. A
// log without any request is an error.
func NewReplay(file string, log *runfile.Log) (*Replay, error) {
	p := &Replay{file: file}
	for _, r := range log.LiveRecords() {
		p.load(r.Body)
	}
	if len(p.exchanges) == 0 {
		return nil, &ReplayError{File: file, Why: "no request is on record"}
	}
	return p, nil
}

// Over reports whether everything on record has been played.
func (p *Replay) Over() bool { return p.played == len(p.exchanges) }

// Skip passes over what another run that played the same has heard already: its records.
func (p *Replay) Skip(records []runfile.Record) {
	for _, r := range records {
		if b, ok := r.Body.(runfile.Request); ok && p.played < len(p.exchanges) {
			p.follow(b)
			p.played++
		}
	}
}

// load takes in one record.
func (p *Replay) load(body runfile.Body) {
	switch b := body.(type) {
	case runfile.Run:
		p.recorded.Params = b.Params
	case runfile.Request:
		p.loadRequest(b)
	case runfile.Attempt:
		if x := p.last(); x != nil {
			x.attempts = append(x.attempts, b.Attempt)
		}
	case runfile.Response:
		if x := p.last(); x != nil {
			x.response = &b
		}
	case runfile.End:
		p.end = &b
	}
}

// loadRequest takes in a request. The same request again, without a response in
// between, is one that a resumed run has repeated.
func (p *Replay) loadRequest(b runfile.Request) {
	if x := p.last(); x != nil && x.response == nil && x.Digest == b.Digest {
		x.attempts = nil
		return
	}
	p.exchanges = append(p.exchanges, exchange{Request: b})
}

// last returns the latest exchange, or nil.
func (p *Replay) last() *exchange {
	if len(p.exchanges) == 0 {
		return nil
	}
	return &p.exchanges[len(p.exchanges)-1]
}

// Reply plays what followed the next recorded request, if that is req. An error
// is a *[ReplayError] or a *[RecordedEndError]; a *[FormatError], *[NoToolsError] or *[CutError] if that
// is what the recorded run met; or the cause of ctx's end.
func (p *Replay) Reply(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error) {
	if ctx.Err() != nil {
		return chat.Response{}, context.Cause(ctx)
	}
	switch {
	case p.Over() && endedFromOutside(p.end):
		return chat.Response{}, &RecordedEndError{p.file, *p.end}
	case p.Over() && p.end == nil:
		return chat.Response{}, &ReplayError{File: p.file, Why: "the run asks for more than is on record, which was cut off here", Cut: true}
	case p.Over():
		return chat.Response{}, &ReplayError{File: p.file, Why: "the run asks for more than is on record"}
	}
	x := p.exchanges[p.played]
	p.played++
	p.follow(x.Request)
	if req.Digest == "" {
		req.Digest = Digest(req)
	}
	if req.Digest != x.Digest {
		return chat.Response{}, p.fault(x, "the request differs from the recorded one", diffRequests(p.recorded, req))
	}
	return p.play(ctx, x, delta)
}

// follow brings the recorded conversation up to a request.
func (p *Replay) follow(r runfile.Request) {
	if opens(r) {
		p.recorded.System, p.recorded.Tools, p.recorded.Messages = r.System, r.Tools, nil
	}
	p.recorded.Purpose, p.recorded.Format, p.recorded.AnyJSON = r.Purpose, r.Format, r.AnyJSON
	p.recorded.Messages = append(p.recorded.Messages, r.Messages...)
}

// opens reports whether a request is the first of a conversation: only that has
// a system prompt or tools on record.
func opens(r runfile.Request) bool { return r.System != "" || len(r.Tools) > 0 }

// play hands on what is on record about an exchange.
func (p *Replay) play(ctx context.Context, x exchange, delta func(chat.Delta)) (chat.Response, error) {
	for _, a := range x.attempts {
		delta(chat.Delta{Attempt: &a})
	}
	r := x.response
	if r == nil {
		return chat.Response{}, p.failure(x)
	}
	if r.Reasoning != "" {
		delta(chat.Delta{Reasoning: r.Reasoning})
	}
	if r.Content != "" {
		delta(chat.Delta{Content: r.Content})
	}
	for _, c := range r.Calls {
		delta(chat.Delta{Call: &c})
	}
	if ctx.Err() != nil {
		return chat.Response{}, context.Cause(ctx)
	}
	response := chat.Response{
		Content: r.Content, Reasoning: r.Reasoning, Calls: r.Calls, Native: r.Native,
		Stop: r.Stop, Usage: r.Usage, Model: r.Model, By: r.By,
	}
	switch {
	case r.BrokenOff == "":
		return response, nil
	case p.Over():
		return response, p.ending(x, "the recorded run was cut off in this response")
	}
	why := strings.TrimPrefix(r.BrokenOff, (&CutError{Err: errors.New("")}).Error()) // which says it again
	return response, &CutError{Err: errors.New(why)}
}

// failure returns the error that stood in place of a response. The record does
// not name it; but a run that goes on after a request with a format, and with a
// weaker one or none, does so for one reason, and so does one that begins anew
// without tools.
func (p *Replay) failure(x exchange) error {
	if p.played < len(p.exchanges) {
		next := p.exchanges[p.played]
		switch {
		case len(p.recorded.Tools) > 0 && opens(next.Request) && len(next.Tools) == 0:
			return &NoToolsError{Err: errors.New("native calls were refused in the recorded run")}
		case rung(x.Request) > rung(next.Request):
			return &FormatError{Err: errors.New("the format was refused in the recorded run")}
		}
	}
	return p.ending(x, "the recorded run got no response")
}

// ending returns what a replay meets in an exchange that has no whole response: the end of the
// recorded run, if that was its last one and the end is on record, and else why there is none.
func (p *Replay) ending(x exchange, why string) error {
	if p.Over() && p.end != nil {
		return &RecordedEndError{p.file, *p.end}
	}
	fault := p.fault(x, why, "")
	fault.Cut = p.Over()
	return fault
}

// rung returns how much a request asks the server to enforce.
func rung(r runfile.Request) int {
	switch {
	case len(r.Format) > 0:
		return 2
	case r.AnyJSON:
		return 1
	}
	return 0
}

// fault returns an error about an exchange.
func (p *Replay) fault(x exchange, why, diff string) *ReplayError {
	return &ReplayError{File: p.file, Turn: x.Turn, Why: why, Diff: diff}
}
