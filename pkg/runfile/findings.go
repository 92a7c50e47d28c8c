package runfile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// Findings returns the problems of a run file: damage, a torn tail, and records out of order. Log and
// err are the results of [Read]. The caller reports any err that is not a *[DamageError]. The
// findings name file.
func Findings(file string, log *Log, err error) []diag.Finding {
	var out []diag.Finding
	if log != nil {
		out = append(checkResumed(log.Records), checkOrder(log.LiveRecords())...)
	}
	if log == nil {
		log = &Log{}
	}
	out = append(out, tailFindings(log.Torn, err)...)
	for i := range out {
		out[i].File = file
	}
	return out
}

// tailFindings returns the problems at the end of the intact records.
func tailFindings(torn *Torn, err error) []diag.Finding {
	var out []diag.Finding
	if torn != nil {
		out = append(out, diag.New(diag.RunTorn, lineStartSpan(torn.Line, torn.Offset), "the last record is incomplete: %s", torn.Why))
	}
	var damage *DamageError
	if errors.As(err, &damage) {
		out = append(out, diag.New(damage.Code, lineStartSpan(damage.Line, damage.Offset), "%s", damage.Why))
	}
	return out
}

// Check reports the findings that [Findings] would return, for a file of any size in bounded memory, and returns the
// number of records. It reads the file twice because a [Resumed] record voids records before it. Its error is a read
// error.
func Check(file string, src io.ReadSeeker, found func(diag.Finding)) (count int, err error) {
	tell := func(all ...diag.Finding) {
		for _, f := range all {
			f.File = file
			found(f)
		}
	}
	first, resumed := scanResumptions(src)
	if first.Err != nil && !errors.As(first.Err, new(*DamageError)) {
		return first.count, first.Err
	}
	tell(checkResumed(resumed)...)
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return first.count, err
	}
	o, void := newOrderChecker(), newVoidRecords(resumed)
	second := NewScanner(io.LimitReader(src, first.Size)) // a run may have appended since
	for r := range second.Records() {
		if !void.has(r.Seq) {
			tell(o.check(r)...)
		}
	}
	torn, err := first.Torn, first.Err
	if second.Err != nil { // an invalid body
		torn, err = nil, second.Err
	}
	tell(tailFindings(torn, err)...)
	if errors.As(err, new(*DamageError)) {
		err = nil
	}
	return second.count, err
}

// scanResumptions scans a run file and returns its [Resumed] records.
func scanResumptions(src io.Reader) (scan *Scanner, resumed []Record) {
	scan = NewScanner(src)
	scan.only = KindResumed
	for r := range scan.Records() {
		if b, ok := r.Body.(Resumed); ok {
			resumed = append(resumed, Record{Header: r.Header, Body: Resumed{KeptThrough: b.KeptThrough}})
		}
	}
	return scan, resumed
}

// voidRecords are the records of a file that a [Resumed] record voids: see [Log.LiveRecords].
type voidRecords struct {
	seqs []int // of the [Resumed] records
	kept []int // for each, the smallest KeptThrough from it to the last
}

// newVoidRecords returns the voided records, given all [Resumed] records.
func newVoidRecords(resumed []Record) voidRecords {
	v := voidRecords{make([]int, len(resumed)), make([]int, len(resumed))}
	least := math.MaxInt
	for i, r := range slices.Backward(resumed) {
		least = min(least, r.Body.(Resumed).KeptThrough)
		v.seqs[i], v.kept[i] = r.Seq, least
	}
	return v
}

func (v voidRecords) has(seq int) bool {
	i, isOne := slices.BinarySearch(v.seqs, seq)
	return isOne || i < len(v.seqs) && v.kept[i] < seq
}

// lineStartSpan returns the span of the start of a line.
func lineStartSpan(number int, offset int64) diag.Span {
	span := diag.At(number, 1)
	span.Start, span.End = int(offset), int(offset)
	return span
}

// An orderChecker follows a run through its records and finds records out of order.
type orderChecker struct {
	turn           int                  // of the latest request
	waiting        bool                 // the latest request has no response yet
	calls          map[string]callState // by ID
	pending        int                  // calls with an intent and no outcome
	answered       bool
	inputRequested bool // a result since the latest request needs user input
	afterUserInput bool // the latest record is user input
	ended          bool
}

// A callState is the progress of a call.
type callState int

const (
	unseen callState = iota
	called
	asked // the policy requires approval
	approved
	intended
	closed    // has a result or an unknown outcome
	discarded // its result does not count
)

// checkOrder returns a finding for each record out of order.
func checkOrder(records []Record) []diag.Finding {
	var out []diag.Finding
	o := newOrderChecker()
	for _, r := range records {
		out = append(out, o.check(r)...)
	}
	return out
}

func newOrderChecker() *orderChecker { return &orderChecker{calls: make(map[string]callState)} }

// check follows one record and returns a finding if it is out of order.
func (o *orderChecker) check(r Record) []diag.Finding {
	why := o.checkOne(r)
	if why == "" {
		return nil
	}
	return []diag.Finding{diag.New(diag.RunUnordered, diag.At(r.Seq, 1), "%s record: %s", r.Kind, why)}
}

// checkResumed returns a finding for each [Resumed] record with an invalid KeptThrough.
func checkResumed(records []Record) []diag.Finding {
	var out []diag.Finding
	for _, r := range records {
		if b, ok := r.Body.(Resumed); ok && (b.KeptThrough < 1 || b.KeptThrough >= r.Seq) {
			out = append(out, diag.New(diag.RunUnordered, diag.At(r.Seq, 1), "resumed record: it keeps %d records, but only %d precede it", b.KeptThrough, r.Seq-1))
		}
	}
	return out
}

// checkOne follows one record and returns why it is out of order, or "".
func (o *orderChecker) checkOne(r Record) string {
	if o.ended {
		return "it follows the end of the run"
	}
	if r.Kind != KindUserInput {
		o.afterUserInput = false
	}
	if b, ok := r.Body.(Result); ok && len(b.Result.Needs) > 0 {
		o.inputRequested = true
	}
	switch b := r.Body.(type) {
	case Run:
		if r.Seq != 1 {
			return "it is not the first record"
		}
	case Attachment:
		if o.turn > 0 {
			return "a request precedes it"
		}
	case Request:
		return o.request(b)
	case Attempt:
		return o.reply(b.Turn)
	case Response:
		why := o.reply(b.Turn)
		o.waiting = false
		return why
	case Answer:
		return o.answer()
	case UserInput:
		return o.checkUserInput()
	case End:
		o.ended = true
		return b.problem()
	default:
		return o.checkCall(b)
	}
	return ""
}

func (o *orderChecker) request(b Request) string {
	why := ""
	switch {
	case b.Turn < o.turn:
		why = "its turn has already ended"
	case o.pending > 0:
		why = "a call with an intent has no outcome yet"
	}
	o.turn, o.waiting, o.inputRequested = b.Turn, true, false
	return why
}

func (o *orderChecker) reply(turn int) string {
	if !o.waiting || turn != o.turn {
		return "no open request in its turn"
	}
	return ""
}

func (o *orderChecker) answer() string {
	if o.answered {
		return "the run already has an answer"
	}
	o.answered = true
	if o.turn == 0 {
		return "no request precedes it"
	}
	return ""
}

// checkUserInput checks user input: it answers a tool that needs it, in the latest turn or after an incomplete answer.
func (o *orderChecker) checkUserInput() string {
	if !o.answered && !o.afterUserInput && !o.inputRequested { // several tools may need input at once
		return "no tool asked for input and the run has no answer yet"
	}
	o.answered, o.afterUserInput = false, true
	return ""
}

// problem returns the fault of an end record, or "".
func (e End) problem() string {
	switch {
	case e.Retry != "" && !slices.Contains(Retries(), e.Retry):
		return fmt.Sprintf("retry is %q, expected one of %v", e.Retry, Retries())
	case e.Retryable && e.Retry != RetryLater:
		return fmt.Sprintf("it is retryable, but retry is %q", e.Retry)
	}
	return ""
}

// problem returns the fault of the description of a file, or "".
func (b *BeforeImage) problem() string {
	if b == nil {
		return ""
	}
	sum, err := hex.DecodeString(b.SHA256)
	isKnown := err == nil && len(sum) == sha256.Size
	switch {
	case b.State == "":
		return "before has no state"
	case b.State == chat.FilePresent && !isKnown:
		return fmt.Sprintf("before.sha256 is %q, expected 64 hexadecimal digits", b.SHA256)
	case b.State != chat.FilePresent && *b != BeforeImage{State: b.State}:
		return fmt.Sprintf("before describes a file whose state is %q", b.State)
	case b.Bytes < 0:
		return fmt.Sprintf("before.bytes is %d", b.Bytes)
	case len(b.Text) > MaxBeforeText:
		return fmt.Sprintf("before.text has %d bytes, the limit is %d", len(b.Text), MaxBeforeText)
	}
	return ""
}

// checkCall checks a record about one call.
func (o *orderChecker) checkCall(body Body) string {
	switch b := body.(type) {
	case Call:
		return o.call(b)
	case Approval:
		return o.approval(b)
	case Intent:
		return cmp.Or(o.advance(b.Call, intended, called, approved), b.Before.problem())
	case Result:
		return o.advance(b.Call, closed, called, asked, approved, intended)
	case UnknownOutcome:
		return o.advance(b.Call, closed, intended)
	case Discarded:
		return o.advance(b.Call, discarded, called, approved, intended, closed)
	}
	return ""
}

func (o *orderChecker) call(b Call) string {
	switch {
	case o.calls[b.ID] != unseen:
		return "a call with this ID precedes it"
	case b.Turn != o.turn || o.turn == 0:
		return "no request in its turn"
	}
	o.calls[b.ID] = called
	if b.Verdict == "ask" {
		o.calls[b.ID] = asked
	}
	return ""
}

func (o *orderChecker) approval(b Approval) string {
	to := asked // refused; its result follows
	if b.Approved {
		to = approved
	}
	return o.advance(b.Call, to, asked, approved) // approved again if the preview has changed since
}

// advance moves a call to a state if it is in one of the states from, and else returns the problem.
func (o *orderChecker) advance(id string, to callState, from ...callState) string {
	at := o.calls[id]
	if slices.Contains(from, at) {
		o.calls[id] = to
		if to == intended {
			o.pending++
		}
		if at == intended {
			o.pending--
		}
		return ""
	}
	switch at {
	case unseen:
		return fmt.Sprintf("no call %q precedes it", id)
	case called, approved:
		return "the call has no intent"
	case asked:
		return "the call was not approved"
	case intended:
		return "the call already has an intent"
	}
	return "the call is already closed"
}
