package provider

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

	"oneshot/pkg/provider/wire"
)

// maxErrorBytes is the maximum number of bytes read of an error body.
const maxErrorBytes = 64 << 10

// statusError converts a response with a status other than 200. It ignores errors while reading the body: a part of the
// text is better than none.
func (c *Client) statusError(out *composedRequest, resp *http.Response, body io.Reader) error {
	text, _ := io.ReadAll(io.LimitReader(body, maxErrorBytes))
	return c.classify(out, &StatusError{
		Status:     resp.StatusCode,
		Message:    cmp.Or(describeRedirect(resp), wire.ErrorText(text)),
		Codes:      wire.ErrorCodes(text),
		RetryAfter: requestedWait(resp.Header, time.Now(), c.facts.WaitHeaders),
		Request:    notFoundRequestLine(resp),
	})
}

// describeRedirect describes the target of a redirect, which is not followed, without secrets in the URL, or returns "".
func describeRedirect(resp *http.Response) string {
	to, err := url.Parse(resp.Header.Get("Location"))
	if err != nil || resp.StatusCode < 300 || resp.StatusCode >= 400 {
		return ""
	}
	address := publicURL(to)
	if address == "" {
		return ""
	}
	return fmt.Sprintf("the redirect to %q is not followed", address)
}

// classifyInBandError classifies an error inside a body before any part of a response, or returns it unchanged.
func (c *Client) classifyInBandError(out *composedRequest, err error) error {
	var fault *wire.Error
	if !errors.As(err, &fault) || fault.Kind != wire.ServerError {
		return err
	}
	status := &StatusError{Status: statusIn(fault.Codes), Message: fault.Message, Codes: fault.Codes}
	if meant := c.classify(out, status); meant != error(status) || status.Status != 0 {
		return meant
	}
	return err
}

// statusIn returns the HTTP status among error codes, or 0. Routers answer 200 before they know the status.
func statusIn(codes []string) int {
	for _, code := range codes {
		if n, err := strconv.Atoi(code); err == nil && n >= 400 && n < 600 {
			return n
		}
	}
	return 0
}

// classify returns the specific error for a server error, or e itself. Out is the request, nil if it was not for a reply.
// The phrases come from the servers; no standard exists.
func (c *Client) classify(out *composedRequest, e *StatusError) error {
	switch {
	case e.isRateLimit():
		return e
	case c.isModelMissing(e):
		return &UnknownModelError{Name: c.model}
	case e.isAccessDenied():
		return &AuthError{Status: e.Status, Message: e.Message, Model: c.name}
	case e.isOverflow():
		return &OverflowError{Message: e.Message}
	case e.needsResponsesAPI():
		return e
	case out != nil && out.hasTools && e.containsAny(noTools):
		return &NoToolsError{Err: e}
	case out != nil && out.hasFormat && e.containsAny(noFormat) && !e.containsAny(aboutTools):
		return &FormatError{Err: e}
	}
	return e
}

// Error codes of servers.
const (
	codeQuota    = "insufficient_quota"
	codeNoModel  = "model_not_found"
	codeNoKey    = "API_KEY_INVALID"
	codeOverflow = "context_length_exceeded"
	codeRate     = "rateLimitExceeded"
	codeUserRate = "userRateLimitExceeded"
)

// hasCode reports whether the error has a code.
func (e *StatusError) hasCode(code string) bool { return slices.Contains(e.Codes, code) }

// isRateLimit reports whether the server limits the rate. Google uses 403 for it.
func (e *StatusError) isRateLimit() bool {
	return e.Status == http.StatusTooManyRequests ||
		e.Status == http.StatusForbidden && (e.hasCode(codeRate) || e.hasCode(codeUserRate) || e.contains("rate limit"))
}

// isAccessDenied reports whether other credentials might help. Google uses 400 for it.
func (e *StatusError) isAccessDenied() bool {
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden ||
		e.hasCode(codeNoKey) || e.Status == http.StatusBadRequest && e.contains("api key not valid")
}

// isModelMissing reports whether the server does not have the model.
func (c *Client) isModelMissing(e *StatusError) bool {
	switch {
	case e.hasCode(codeNoModel):
		return true
	case e.needsResponsesAPI():
		return false
	case e.Status == http.StatusNotFound:
		return strings.HasPrefix(e.Message, "model:") || e.contains("no endpoints found for") ||
			e.contains("model") && (e.contains("not found") || e.contains("does not exist"))
	}
	return e.Status == http.StatusBadRequest && (e.contains("valid model id") || e.contains("invalid model identifier"))
}

// isOverflow reports whether the request exceeds the model's context.
func (e *StatusError) isOverflow() bool {
	switch e.Status {
	case 0, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return e.hasCode(codeOverflow) || e.containsAny(overContext) || e.contains("token count") && e.contains("exceeds")
	}
	return false
}

// overContext are phrases for a request that exceeds the context.
var overContext = []string{"context length", "context size", "context window", "context limit", "prompt is too long"}

// needsResponsesAPI reports whether OpenAI requires the API responses: its newer models call tools only there
// (openai/openai-openapi issue 541).
func (e *StatusError) needsResponsesAPI() bool {
	return (e.Status == http.StatusBadRequest || e.Status == http.StatusNotFound) && e.contains("v1/responses")
}

// noTools are phrases of servers that do not support tools, in lower case and without quotation marks.
var noTools = []string{
	"not support tool", "nt support tool", "not support function", "nt support function", // Ollama and others
	"support tool use", "tool use is not supported", // OpenRouter
	"tools are not supported", "tools is not supported", "tool calling is not supported", "tool calls are not supported",
	"function calling is not", "functions are not supported", // Gemini and others
	"tool choice requires",                                                             // vLLM
	"tools param requires", "unsupported param: tools", "unsupported parameter: tools", // llama.cpp, OpenAI
}

// noFormat are phrases of servers that cannot enforce a format. Ollama uses them with status 500.
var noFormat = []string{
	"response_format", "response format", "json_schema", "json schema", "json mode", "text.format", // OpenAI and compatible
	"output_config", "output_format", "structured output", "output schema", // Anthropic
	"invalid format", "required for format", // Ollama
	"grammar", "guided", // llama.cpp, vLLM
}

// aboutTools are phrases that show that a complaint about a schema is about a tool.
var aboutTools = []string{"for function", "input_schema", "tools.", "tools["}

// contains reports whether the message contains a phrase, ignoring case and quotation marks.
func (e *StatusError) contains(words string) bool {
	return strings.Contains(unquoter.Replace(strings.ToLower(e.Message)), words)
}

// containsAny reports whether the message contains any of several phrases.
func (e *StatusError) containsAny(phrases []string) bool {
	return slices.ContainsFunc(phrases, e.contains)
}

// unquoter removes quotation marks.
var unquoter = strings.NewReplacer("'", "", "`", "", `"`, "", "’", "")
