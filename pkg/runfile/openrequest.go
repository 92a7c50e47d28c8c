package runfile

import "oneshot/pkg/chat"

// An OpenRequest finds the requests during which a run was cut off. Their servers may charge for them, and no record says so.
// A request is not open after a failed attempt that is followed by a wait: no record says whether the retry was sent. The zero
// value is ready for the records of a run, in order.
type OpenRequest struct{ latest Request } // without estimated tokens if there is none

// Add takes the next record. It returns the estimated usage of the request during which the run was cut off before it was resumed;
// ok is false if there is none.
func (o *OpenRequest) Add(r Record) (lost chat.ModelUsage, ok bool) {
	switch b := r.Body.(type) {
	case Request:
		o.latest = Request{By: b.By, EstimatedTokens: b.EstimatedTokens}
	case Attempt:
		if b.Last || b.Wait > 0 {
			o.latest = Request{}
		}
	case Response, End:
		o.latest = Request{}
	case Resumed:
		return o.Close()
	}
	return lost, false
}

// Close takes the end of the records. Its results are those of Add.
func (o *OpenRequest) Close() (lost chat.ModelUsage, ok bool) {
	tokens := o.latest.EstimatedTokens
	lost = chat.ModelUsage{Model: o.latest.By, Usage: chat.Usage{InputTokens: tokens, EstimatedTokens: tokens}}
	o.latest = Request{}
	return lost, tokens > 0
}
