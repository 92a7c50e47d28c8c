package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// A Replay replays the responses of a recorded run. It answers only the requests of that run, in order, and never
// waits. It serves one run and is not safe for concurrent use.
type Replay struct {
	file      string
	exchanges []exchange
	played    int
	recorded  chat.Request // latest recorded request with all its messages
	end       *runfile.End // end of the recorded run; nil if it was interrupted
}

// An exchange is a recorded request with its attempts and response.
type exchange struct {
	runfile.Request
	attempts []chat.Attempt
	response *runfile.Response // nil if missing
}

// A ReplayError reports that a run deviates from the recorded one, or that the record ends.
type ReplayError struct {
	File        string
	Turn        int // of the recorded run; 0 if no request is left
	Why         string
	Diff        string // differences from the recorded request, one per line; may be empty
	Interrupted bool   // the recorded run was interrupted before this point
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

// A RecordedEndError reports that a replay has reached the end of a recorded run that ended for an external reason:
// its server, its clock or a signal.
type RecordedEndError struct {
	File string
	End  runfile.End
}

func (e *RecordedEndError) Error() string {
	return fmt.Sprintf("replay of %s: the recorded run ended here: %s", e.File, e.End.Why)
}

// isExternalEnd reports whether a run ended for a reason possible at any point: an interrupt, a timeout, or a failed
// write.
func isExternalEnd(end *runfile.End) bool {
	return end != nil && (end.Exit == 74 || end.Exit == 124 || end.Exit > 128)
}

// NewReplay returns a replay of a run file; file is its name for messages. A log without requests is an error.
func NewReplay(file string, log *runfile.Log) (*Replay, error) {
	p := &Replay{file: file}
	for _, r := range log.LiveRecords() {
		p.loadRecord(r.Body)
	}
	if len(p.exchanges) == 0 {
		return nil, &ReplayError{File: file, Why: "the run file has no requests"}
	}
	return p, nil
}

// IsOver reports whether all recorded requests have been replayed.
func (p *Replay) IsOver() bool { return p.played == len(p.exchanges) }

// Skip skips the requests in records, which another replay of the same run has consumed.
func (p *Replay) Skip(records []runfile.Record) {
	for _, r := range records {
		if b, ok := r.Body.(runfile.Request); ok && p.played < len(p.exchanges) {
			p.updateRecordedRequest(b)
			p.played++
		}
	}
}

// loadRecord loads a record.
func (p *Replay) loadRecord(body runfile.Body) {
	switch b := body.(type) {
	case runfile.Run:
		p.recorded.Params = b.Params
	case runfile.Request:
		p.loadRequest(b)
	case runfile.Attempt:
		if x := p.lastExchange(); x != nil {
			x.attempts = append(x.attempts, b.Attempt)
		}
	case runfile.Response:
		if x := p.lastExchange(); x != nil {
			x.response = &b
		}
	case runfile.End:
		p.end = &b
	}
}

// loadRequest loads a request. An identical request without a response in between was repeated by a resumed run.
func (p *Replay) loadRequest(b runfile.Request) {
	if x := p.lastExchange(); x != nil && x.response == nil && x.Digest == b.Digest {
		x.attempts = nil
		return
	}
	p.exchanges = append(p.exchanges, exchange{Request: b})
}

// lastExchange returns the latest exchange, or nil.
func (p *Replay) lastExchange() *exchange {
	if len(p.exchanges) == 0 {
		return nil
	}
	return &p.exchanges[len(p.exchanges)-1]
}

// Reply replays the response to the next recorded request, which must equal req. An error is a *[ReplayError] or a
// *[RecordedEndError]; a *[FormatError], *[NoToolsError] or *[BrokenOffError] of the recorded run; or the cause of
// ctx's end.
func (p *Replay) Reply(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error) {
	if ctx.Err() != nil {
		return chat.Response{}, context.Cause(ctx)
	}
	switch {
	case p.IsOver() && isExternalEnd(p.end):
		return chat.Response{}, &RecordedEndError{p.file, *p.end}
	case p.IsOver() && p.end == nil:
		return chat.Response{}, &ReplayError{File: p.file, Why: "the run makes more requests than the recorded one, which was interrupted here", Interrupted: true}
	case p.IsOver():
		return chat.Response{}, &ReplayError{File: p.file, Why: "the run makes more requests than the recorded one"}
	}
	x := p.exchanges[p.played]
	p.played++
	p.updateRecordedRequest(x.Request)
	if req.Digest == "" {
		req.Digest = Digest(req)
	}
	if req.Digest != x.Digest {
		return chat.Response{}, p.replayError(x, "the request differs from the recorded one", diffRequests(p.recorded, req))
	}
	return p.playExchange(ctx, x, delta)
}

// updateRecordedRequest updates the recorded conversation to a request.
func (p *Replay) updateRecordedRequest(r runfile.Request) {
	if startsConversation(r) {
		p.recorded.System, p.recorded.Tools, p.recorded.Messages = r.System, r.Tools, nil
	}
	p.recorded.Purpose, p.recorded.Format, p.recorded.AnyJSON = r.Purpose, r.Format, r.AnyJSON
	p.recorded.Messages = append(p.recorded.Messages, r.Messages...)
}

// startsConversation reports whether a request is the first of a conversation: only that has a system prompt or tools
// on record.
func startsConversation(r runfile.Request) bool { return r.System != "" || len(r.Tools) > 0 }

// playExchange emits the recorded attempts and response of an exchange.
func (p *Replay) playExchange(ctx context.Context, x exchange, delta func(chat.Delta)) (chat.Response, error) {
	for _, a := range x.attempts {
		delta(chat.Delta{Attempt: &a})
	}
	r := x.response
	if r == nil {
		return chat.Response{}, p.missingResponse(x)
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
	case p.IsOver():
		return response, p.endError(x, "the recorded run was cut off in this response")
	}
	why := strings.TrimPrefix(r.BrokenOff, (&BrokenOffError{Err: errors.New("")}).Error()) // BrokenOffError adds the prefix again
	return response, &BrokenOffError{Err: errors.New(why)}
}

// missingResponse returns the error of a request without a response. It is not recorded, but the next request reveals
// it: a run that continues with a weaker format or none had a rejected format, and one that starts anew without tools
// had rejected tools.
func (p *Replay) missingResponse(x exchange) error {
	if p.played < len(p.exchanges) {
		next := p.exchanges[p.played]
		switch {
		case len(p.recorded.Tools) > 0 && startsConversation(next.Request) && len(next.Tools) == 0:
			return &NoToolsError{Err: errors.New("native calls were refused in the recorded run")}
		case formatStrength(x.Request) > formatStrength(next.Request):
			return &FormatError{Err: errors.New("the format was refused in the recorded run")}
		}
	}
	return p.endError(x, "the recorded run got no response")
}

// endError returns the error of an exchange without a complete response: the recorded end of the run if it was the
// last exchange, otherwise a [ReplayError].
func (p *Replay) endError(x exchange, why string) error {
	if p.IsOver() && p.end != nil {
		return &RecordedEndError{p.file, *p.end}
	}
	fault := p.replayError(x, why, "")
	fault.Interrupted = p.IsOver()
	return fault
}

// formatStrength ranks how much of the format a request asks the server to enforce.
func formatStrength(r runfile.Request) int {
	switch {
	case len(r.Format) > 0:
		return 2
	case r.AnyJSON:
		return 1
	}
	return 0
}

// replayError returns an error about an exchange.
func (p *Replay) replayError(x exchange, why, diff string) *ReplayError {
	return &ReplayError{File: p.file, Turn: x.Turn, Why: why, Diff: diff}
}
