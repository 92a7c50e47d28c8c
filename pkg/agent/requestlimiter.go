package agent

import (
	"context"

	"oneshot/pkg/chat"
)

// A RequestLimiter limits the requests of several runs together. It is safe for concurrent use.
type RequestLimiter interface {
	// Admit waits until a request may be sent that costs at most the given amount, as far as that is known. The time of the
	// wait does not count towards Limits.Wall. After an error the request is not sent, and the run ends.
	Admit(ctx context.Context, most chat.USD) (Admission, error)
}

// An Admission is the permission of a [RequestLimiter] for a request.
type Admission interface {
	// Retry waits until the request may be sent once more. The time does not count towards Limits.Wall. After an error it is
	// not sent, and the run ends.
	Retry(ctx context.Context) error
	// Raise reports that the request may cost more. An error ends its response, and the run.
	Raise(most chat.USD) error
	// End reports the cost of the request, whether a server responded, and for which model: [chat.Response.By].
	End(cost chat.Cost, responded bool, by string)
}
