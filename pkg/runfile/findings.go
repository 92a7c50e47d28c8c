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

// Findings returns what is wrong with a run file of that name: damage, a torn
// tail, and records that cannot stand where they stand. Log and err are what
// [Read] returned; an error that is no *[DamageError] is the caller's to report.
func Findings(file string, log *Log, err error) []diag.Finding {
	var out []diag.Finding
	if log != nil {
		out = append(checkResumed(log.Records), checkOrder(log.Standing())...)
	}
	if log == nil {
		log = &Log{}
	}
	out = append(out, ending(log.Torn, err)...)
	for i := range out {
		out[i].File = file
	}
	return out
}

// ending returns what is wrong where the intact records of a file end.
func ending(torn *Torn, err error) []diag.Finding {
	var out []diag.Finding
	if torn != nil {
		out = append(out, diag.New(diag.RunTorn, lineSpan(torn.Line, torn.Offset), "the last record was not completely written: %s", torn.Why))
	}
	var damage *DamageError
	if errors.As(err, &damage) {
		out = append(out, diag.New(damage.Code, lineSpan(damage.Line, damage.Offset), "%s", damage.Why))
	}
	return out
}

// Check passes on what [Findings] returns for a file of any size, of which it keeps little, and returns how many
// records there are. It reads the file twice, because a [Resumed] record makes records before it void. An error is
// one of reading.
func Check(file string, src io.ReadSeeker, found func(diag.Finding)) (count int, err error) {
	tell := func(all ...diag.Finding) {
		for _, f := range all {
			f.File = file
			found(f)
		}
	}
	var resumed []Record
	first := NewScan(src)
	first.only = KindResumed
	for r := range first.Records() {
		if b, ok := r.Body.(Resumed); ok {
			resumed = append(resumed, Record{Header: r.Header, Body: Resumed{Keep: b.Keep}})
		}
	}
	if first.Err != nil && !errors.As(first.Err, new(*DamageError)) {
		return first.count, first.Err
	}
	tell(checkResumed(resumed)...)
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return first.count, err
	}
	o, void := newOrder(), newVoids(resumed)
	second := NewScan(io.LimitReader(src, first.Size)) // a run may have written more meanwhile
	for r := range second.Records() {
		if !void.has(r.Seq) {
			tell(o.check(r)...)
		}
	}
	torn, err := first.Torn, first.Err
	if second.Err != nil { // a body that cannot be read
		torn, err = nil, second.Err
	}
	tell(ending(torn, err)...)
	if errors.As(err, new(*DamageError)) {
		err = nil
	}
	return second.count, err
}

// voids are the records of a file that do not count: see [Log.Standing].
type voids struct {
	seqs  []int // of the [Resumed] records
	keeps []int // the least number of records that one of them and those behind it keep
}

func newVoids(resumed []Record) voids {
	v := voids{make([]int, len(resumed)), make([]int, len(resumed))}
	least := math.MaxInt
	for i, r := range slices.Backward(resumed) {
		least = min(least, r.Body.(Resumed).Keep)
		v.seqs[i], v.keeps[i] = r.Seq, least
	}
	return v
}

func (v voids) has(seq int) bool {
	i, isOne := slices.BinarySearch(v.seqs, seq)
	return isOne || i < len(v.seqs) && v.keeps[i] < seq
}

// lineSpan returns the place of the beginning of a line.
func lineSpan(number int, offset int64) diag.Span {
	span := diag.At(number, 1)
	span.Start, span.End = int(offset), int(offset)
	return span
}

// An order follows a run through its records and finds what cannot be.
type order struct {
	turn     int              // of the latest request
	waiting  bool             // the latest request has no response yet
	calls    map[string]state // by id
	begun    int              // calls with an intent and no outcome
	answered bool
	asked    bool // a call of the latest response needs something
	telling  bool // the latest record is what the user said
	ended    bool
}

// A state says how far a call has come.
type state int

const (
	unheard state = iota
	called
	asked // the policy asks about it
	approved
	intended
	closed    // it has a result, or its outcome is unknown
	discarded // its result does not count
)

// checkOrder returns a finding for each record that cannot stand where it is.
func checkOrder(records []Record) []diag.Finding {
	var out []diag.Finding
	o := newOrder()
	for _, r := range records {
		out = append(out, o.check(r)...)
	}
	return out
}

func newOrder() *order { return &order{calls: make(map[string]state)} }

// check takes one record in, and returns a finding if it cannot stand here.
func (o *order) check(r Record) []diag.Finding {
	why := o.step(r)
	if why == "" {
		return nil
	}
	return []diag.Finding{diag.New(diag.RunUnordered, diag.At(r.Seq, 1), "%s record: %s", r.Kind, why)}
}

// checkResumed returns a finding for each record that makes void what it cannot.
func checkResumed(records []Record) []diag.Finding {
	var out []diag.Finding
	for _, r := range records {
		if b, ok := r.Body.(Resumed); ok && (b.Keep < 1 || b.Keep >= r.Seq) {
			out = append(out, diag.New(diag.RunUnordered, diag.At(r.Seq, 1), "resumed record: it keeps %d records, and %d stand before it", b.Keep, r.Seq-1))
		}
	}
	return out
}

// step takes one record in and says why it cannot stand here, or "".
func (o *order) step(r Record) string {
	if o.ended {
		return "it stands after the end of the run"
	}
	if r.Kind != KindUserInput {
		o.telling = false
	}
	if b, ok := r.Body.(Result); ok && len(b.Result.Needs) > 0 {
		o.asked = true
	}
	switch b := r.Body.(type) {
	case Run:
		if r.Seq != 1 {
			return "it is not the first record"
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
		return o.told()
	case End:
		o.ended = true
		return b.fault()
	default:
		return o.callStep(b)
	}
	return ""
}

func (o *order) request(b Request) string {
	why := ""
	switch {
	case b.Turn < o.turn:
		why = "its turn is over"
	case o.begun > 0:
		why = "a call with an intent has no outcome yet"
	}
	o.turn, o.waiting, o.asked = b.Turn, true, false
	return why
}

func (o *order) reply(turn int) string {
	if !o.waiting || turn != o.turn {
		return "there is no open request of its turn"
	}
	return ""
}

func (o *order) answer() string {
	if o.answered {
		return "the run has an answer already"
	}
	o.answered = true
	if o.turn == 0 {
		return "there was no request"
	}
	return ""
}

// told takes in that the run goes on after it had an answer, but not all that it needed.
func (o *order) told() string {
	if !o.answered && !o.telling && !o.asked { // several tools can be told of, one behind the other
		return "nothing was asked, and the run had not come to its answer"
	}
	o.answered, o.telling = false, true
	return ""
}

// fault says what is wrong with what a record says about another run, or "".
func (e End) fault() string {
	switch {
	case e.Retry != "" && !slices.Contains(Retries(), e.Retry):
		return fmt.Sprintf("retry is %q, and must be one of %v", e.Retry, Retries())
	case e.Retryable && e.Retry != RetryLater:
		return fmt.Sprintf("it is retryable, and retry is %q", e.Retry)
	}
	return ""
}

// fault says what is wrong with what a record says about a file, or "".
func (b *Before) fault() string {
	if b == nil {
		return ""
	}
	sum, err := hex.DecodeString(b.SHA256)
	isKnown := err == nil && len(sum) == sha256.Size
	switch {
	case b.State == "":
		return "before has no state"
	case b.State == chat.FileThere && !isKnown:
		return fmt.Sprintf("before.sha256 is %q, and must be 64 hexadecimal digits", b.SHA256)
	case b.State != chat.FileThere && *b != Before{State: b.State}:
		return fmt.Sprintf("before describes a file whose state is %q", b.State)
	case b.Bytes < 0:
		return fmt.Sprintf("before.bytes is %d", b.Bytes)
	case len(b.Text) > MaxBefore:
		return fmt.Sprintf("before.text has %d bytes, and at most %d are kept", len(b.Text), MaxBefore)
	}
	return ""
}

// callStep takes in a record about one call.
func (o *order) callStep(body Body) string {
	switch b := body.(type) {
	case Call:
		return o.call(b)
	case Approval:
		return o.approval(b)
	case Intent:
		return cmp.Or(o.advance(b.Call, intended, called, approved), b.Before.fault())
	case Result:
		return o.advance(b.Call, closed, called, asked, approved, intended)
	case UnknownOutcome:
		return o.advance(b.Call, closed, intended)
	case Discarded:
		return o.advance(b.Call, discarded, called, approved, intended, closed)
	}
	return ""
}

func (o *order) call(b Call) string {
	switch {
	case o.calls[b.ID] != unheard:
		return "a call of that id stands before it"
	case b.Turn != o.turn || o.turn == 0:
		return "there is no request of its turn"
	}
	o.calls[b.ID] = called
	if b.Verdict == "ask" {
		o.calls[b.ID] = asked
	}
	return ""
}

// approval takes in what was said about a call.
func (o *order) approval(b Approval) string {
	to := asked // a refusal, and then its result
	if b.Approved {
		to = approved
	}
	return o.advance(b.Call, to, asked, approved) // what the call came to had changed since the first one
}

// advance moves a call to a state that it can reach only from certain others.
func (o *order) advance(id string, to state, from ...state) string {
	at := o.calls[id]
	if slices.Contains(from, at) {
		o.calls[id] = to
		if to == intended {
			o.begun++
		}
		if at == intended {
			o.begun--
		}
		return ""
	}
	switch at {
	case unheard:
		return fmt.Sprintf("there is no call %q before it", id)
	case called, approved:
		return "the call has no intent"
	case asked:
		return "the call was not approved"
	case intended:
		return "the call has an intent already"
	}
	return "the call is closed already"
}
