package model

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"oneshot/pkg/wire"
)

// maxErrorBytes is how much of an error body is read.
const maxErrorBytes = 64 << 10

// refusal reads an answer other than 200. Part of its body is better than none:
// an error while reading it changes nothing.
func (c *Client) refusal(out *outgoing, resp *http.Response, body io.Reader) error {
	text, _ := io.ReadAll(io.LimitReader(body, maxErrorBytes))
	return c.meant(out, &StatusError{
		Status:     resp.StatusCode,
		Message:    cmp.Or(redirected(resp), wire.ErrorText(text)),
		Codes:      wire.ErrorCodes(text),
		RetryAfter: wishedWait(resp.Header, time.Now(), c.facts.WaitHeaders),
		Request:    requestLine(resp),
	})
}

// redirected says where a server sends its client, which does not go there, or "". What may be secret in
// the address is left out.
func redirected(resp *http.Response) string {
	to, err := url.Parse(resp.Header.Get("Location"))
	if err != nil || resp.StatusCode < 300 || resp.StatusCode >= 400 {
		return ""
	}
	address := shownURL(to)
	if address == "" {
		return ""
	}
	return fmt.Sprintf("it leads to %q, and is not followed", address)
}

// reported returns what an error inside a body means that no response was heard
// in: one that can be told from others, or the same again.
func (c *Client) reported(out *outgoing, err error) error {
	var fault *wire.Error
	if !errors.As(err, &fault) || fault.Kind != wire.Server {
		return err
	}
	status := &StatusError{Status: statusIn(fault.Codes), Message: fault.Message, Codes: fault.Codes}
	if meant := c.meant(out, status); meant != error(status) || status.Status != 0 {
		return meant
	}
	return err
}

// statusIn returns the HTTP status among the codes of a fault, or 0. Routers
// answer 200 before they know.
func statusIn(codes []string) int {
	for _, code := range codes {
		if n, err := strconv.Atoi(code); err == nil && n >= 400 && n < 600 {
			return n
		}
	}
	return 0
}

// meant returns the error that an answer means, which is e itself if it is none
// of those that are told apart. out is the request, or nil if it was not for a
// reply. The texts are those of the servers; there is no standard for them.
func (c *Client) meant(out *outgoing, e *StatusError) error {
	switch {
	case e.limitsRate():
		return e
	case c.lacksModel(e):
		return &UnknownModelError{Name: c.model}
	case e.deniesAccess():
		return &AuthError{Status: e.Status, Message: e.Message}
	case e.overflows():
		return &OverflowError{Message: e.Message}
	case e.wantsResponses():
		return e
	case out != nil && out.tools && e.saysOne(noTools):
		return &NoToolsError{Err: e}
	case out != nil && out.limited && e.saysOne(noFormat) && !e.saysOne(aboutTools):
		return &FormatError{Err: e}
	}
	return e
}

// The codes that matter here, as servers spell them.
const (
	codeQuota    = "insufficient_quota"
	codeNoModel  = "model_not_found"
	codeNoKey    = "API_KEY_INVALID"
	codeOverflow = "context_length_exceeded"
	codeRate     = "rateLimitExceeded"
	codeUserRate = "userRateLimitExceeded"
)

// isCalled reports whether the server calls the fault so.
func (e *StatusError) isCalled(code string) bool { return slices.Contains(e.Codes, code) }

// limitsRate reports whether the server has had enough for now. Google says it
// with 403.
func (e *StatusError) limitsRate() bool {
	return e.Status == http.StatusTooManyRequests ||
		e.Status == http.StatusForbidden && (e.isCalled(codeRate) || e.isCalled(codeUserRate) || e.says("rate limit"))
}

// deniesAccess reports whether other credentials might help. Google says it
// with 400.
func (e *StatusError) deniesAccess() bool {
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden ||
		e.isCalled(codeNoKey) || e.Status == http.StatusBadRequest && e.says("api key not valid")
}

// lacksModel reports whether the server does not have the model.
func (c *Client) lacksModel(e *StatusError) bool {
	switch {
	case e.isCalled(codeNoModel):
		return true
	case e.wantsResponses():
		return false
	case e.Status == http.StatusNotFound:
		return strings.HasPrefix(e.Message, "model:") || e.says("no endpoints found for") ||
			e.says("model") && (e.says("not found") || e.says("does not exist"))
	}
	return e.Status == http.StatusBadRequest && (e.says("valid model id") || e.says("invalid model identifier"))
}

// overflows reports whether the request is longer than the model's context.
func (e *StatusError) overflows() bool {
	switch e.Status {
	case 0, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return e.isCalled(codeOverflow) || e.saysOne(overContext) || e.says("token count") && e.says("exceeds")
	}
	return false
}

// overContext is what servers say of a request that is too long.
var overContext = []string{"context length", "context size", "context window", "context limit", "prompt is too long"}

// wantsResponses reports whether OpenAI wants the request over another API: its
// newer models call tools only there (openai/openai-openapi issue 541).
func (e *StatusError) wantsResponses() bool {
	return (e.Status == http.StatusBadRequest || e.Status == http.StatusNotFound) && e.says("v1/responses")
}

// noTools is what servers say of a model that cannot call tools, or of
// themselves, in small letters and without quotation marks.
var noTools = []string{
	"not support tool", "nt support tool", "not support function", "nt support function", // Ollama and others
	"support tool use", "tool use is not supported", // OpenRouter
	"tools are not supported", "tools is not supported", "tool calling is not supported", "tool calls are not supported",
	"function calling is not", "functions are not supported", // Gemini and others
	"tool choice requires",                                                             // vLLM
	"tools param requires", "unsupported param: tools", "unsupported parameter: tools", // llama.cpp, OpenAI
}

// noFormat is what servers say of a format that they cannot enforce. Ollama says
// it with 500.
var noFormat = []string{
	"response_format", "response format", "json_schema", "json schema", "json mode", "text.format", // OpenAI and compatible
	"output_config", "output_format", "structured output", "output schema", // Anthropic
	"invalid format", "required for format", // Ollama
	"grammar", "guided", // llama.cpp, vLLM
}

// aboutTools marks a complaint about a schema that is that of a tool.
var aboutTools = []string{"for function", "input_schema", "tools.", "tools["}

// says reports whether the text contains some words, in any case and whatever
// quotation marks stand in it.
func (e *StatusError) says(words string) bool {
	return strings.Contains(unquoter.Replace(strings.ToLower(e.Message)), words)
}

// saysOne reports whether the text contains any of several phrases.
func (e *StatusError) saysOne(phrases []string) bool { return slices.ContainsFunc(phrases, e.says) }

// unquoter drops quotation marks.
var unquoter = strings.NewReplacer("'", "", "`", "", `"`, "", "’", "")
