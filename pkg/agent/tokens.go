package agent

import "oneshot/pkg/chat"

// bytesPerToken is how many bytes of text a token has, where no usage says more. English has about 4, code and JSON 3.
const bytesPerToken = 3.4

// A tokenEstimate says how many tokens a request takes, before any server has counted them.
type tokenEstimate struct {
	bytes, tokens int // of the latest request whose usage is known; 0 if there is none
}

// estimate returns the estimate of a request.
func (e tokenEstimate) estimate(req chat.Request) int {
	size := requestBytes(req)
	if e.tokens > 0 {
		return int(float64(size) * float64(e.tokens) / float64(e.bytes))
	}
	return int(float64(size) / bytesPerToken)
}

// calibrate corrects later estimates by the usage of a request.
func (e *tokenEstimate) calibrate(req chat.Request, u chat.Usage) {
	if size := requestBytes(req); u.InputTokens > 0 && size > 0 {
		e.bytes, e.tokens = size, u.InputTokens
	}
}

// requestBytes returns the size of what a model reads in a request.
func requestBytes(req chat.Request) int {
	size := len(req.System) + len(req.Format)
	for _, f := range req.Tools {
		size += len(f.Name) + len(f.Description) + len(f.Parameters)
	}
	for _, m := range req.Messages {
		size += len(m.Content)
		for _, c := range m.Calls {
			size += len(c.Name) + len(c.Arguments)
		}
	}
	return size
}

// checkEstimate refuses a request that would most likely take more tokens than are left.
func (b *budget) checkEstimate(estimate int) error {
	if left := b.limits.Tokens - b.tokens; b.limits.Tokens > 0 && estimate > left {
		return &LimitError{Budget: "tokens", Limit: b.limits.Tokens, Left: max(0, left), Needed: estimate}
	}
	return nil
}
