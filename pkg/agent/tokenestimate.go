package agent

import (
	"math"

	"oneshot/pkg/chat"
)

// bytesPerToken is the assumed size of a token before any usage is known. English has about 4 bytes
// per token, code and JSON 3.
const bytesPerToken = 3.4

// A tokenEstimator estimates the tokens of a request before a server has counted them.
type tokenEstimator struct {
	bytes, tokens int // of the latest request with known usage; 0 without one
}

// estimate returns the estimated tokens of a request.
func (e tokenEstimator) estimate(req chat.Request) int {
	size := requestBytes(req)
	if e.tokens > 0 {
		return int(float64(size) * float64(e.tokens) / float64(e.bytes))
	}
	return int(float64(size) / bytesPerToken)
}

// calibrate adjusts later estimates to the usage of a request.
func (e *tokenEstimator) calibrate(req chat.Request, u chat.Usage) {
	if size := requestBytes(req); u.InputTokens > 0 && u.EstimatedTokens == 0 && size > 0 {
		e.bytes, e.tokens = size, u.InputTokens
	}
}

// fillUsage returns the usage of a complete response, with estimates of counts that its server did not give.
func fillUsage(p chat.Response, input int) chat.Usage {
	u := p.Usage
	if u.EstimatedTokens > 0 {
		return u // on record
	}
	if u.InputTokens == 0 {
		u.InputTokens, u.EstimatedTokens = input, input
	}
	if u.OutputTokens == 0 {
		size := len(p.Content) + len(p.Reasoning)
		for _, c := range p.Calls {
			size += callBytes(c)
		}
		u.OutputTokens = estimateOutput(size)
		u.EstimatedTokens += u.OutputTokens
	}
	return u
}

// estimateOutput returns the estimated tokens of a response with a number of bytes.
func estimateOutput(bytes int) int { return int(math.Ceil(float64(bytes) / bytesPerToken)) }

// maxDeltaBytes is the average size of deltas up to which each counts as one token. Servers that send longer ones send
// several tokens in each.
const maxDeltaBytes = 8

// estimateStreamed returns the estimated tokens of a number of deltas with a number of bytes.
func estimateStreamed(deltas, bytes int) int {
	if bytes <= deltas*maxDeltaBytes {
		return deltas
	}
	return estimateOutput(bytes)
}

// callBytes returns the size of a call as a model writes it.
func callBytes(c chat.Call) int { return len(c.Name) + len(c.Arguments) }

// imageBytes is the assumed size of an image in bytes of text: servers scale images down, to about 1,500 tokens.
const imageBytes = 5000

// estimatedAttachmentBytes returns the assumed size of an attachment in bytes of text. A document is read as text and as
// images of its pages, so its compressed size is only a hint.
func estimatedAttachmentBytes(a chat.Attachment) int {
	if a.IsImage() {
		return imageBytes
	}
	return max(imageBytes, a.Bytes/10)
}

// requestBytes returns the size of a request as the model reads it.
func requestBytes(req chat.Request) int {
	size := len(req.System) + len(req.Format)
	for _, f := range req.Tools {
		size += len(f.Name) + len(f.Description) + len(f.Parameters)
	}
	for _, m := range req.Messages {
		size += len(m.Content)
		for _, a := range m.Attachments {
			size += estimatedAttachmentBytes(a)
		}
		for _, c := range m.Calls {
			size += callBytes(c)
		}
	}
	return size
}
