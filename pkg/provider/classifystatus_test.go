package provider_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"testing"
	"testing/synctest"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/openai"
)

// The error types of refusals.
var (
	denied     = new(*provider.AuthError)
	noModel    = new(*provider.UnknownModelError)
	overflow   = new(*provider.OverflowError)
	noFormat   = new(*provider.FormatError)
	noTools    = new(*provider.NoToolsError)
	refused    = new(*provider.StatusError)
	givenUp    = new(*provider.UnavailableError) // after retries
	everything = chat.Request{
		Tools:  []chat.Function{{Name: "f", Parameters: json.RawMessage(`{}`)}},
		Format: json.RawMessage(`{}`),
	}
)

// Error responses of servers with the resulting errors. Only temporary failures are retried.
func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		body   string
		want   any
	}{
		// Ollama
		{"bad request", 400, `{"error":"unexpected EOF"}`, refused},
		{"no tools", 400, `{"error":"plain:latest does not support tools"}`, noTools},
		{"overflow", 400, `{"error":"the input length exceeds the context length"}`, overflow},
		{"unauthorised", 401, `{"error":"unauthorized","signin_url":"https://example.com"}`, denied},
		{"unknown model", 404, `{"error":"model 'parrot' not found"}`, noModel},
		{"unknown model, compatible", 404, `{"error":{"message":"model 'nope' not found","type":"api_error","param":null,"code":null}}`, noModel},
		{"no such page", 404, "404 page not found", refused},
		{"method", 405, "405 method not allowed", refused},
		{"bad schema", 500, `{"error":"invalid JSON schema in format"}`, noFormat},
		{"bad format", 500, `{"error":"invalid format: \"xml\"; expected \"json\""}`, noFormat},
		{"bad option", 500, `{"error":"option \"temperature\" must be of type float32"}`, refused},
		{"runner died", 500, `{"error":"llama runner process has terminated"}`, givenUp},
		{"queue full", 503, `{"error":"server busy, please try again.  maximum pending requests exceeded"}`, givenUp},

		// OpenAI
		{"key", 401, `{"error":{"message":"Incorrect API key provided: sk-x.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, denied},
		{"region", 403, `{"error":{"message":"Country, region, or territory not supported","code":"unsupported_country_region_territory"}}`, denied},
		{"model", 404, `{"error":{"message":"The model 'x' does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, noModel},
		{"model of another project", 403, `{"error":{"message":"Project p does not have access to model x","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, noModel},
		{"context", 400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, overflow},
		{"context of responses", 400, `{"error":{"message":"Your input exceeds the context window of this model.","code":"context_length_exceeded"}}`, overflow},
		{"format schema", 400, `{"error":{"message":"Invalid schema for response_format 'answer': In context=(), 'additionalProperties' is required to be supplied and to be false.","type":"invalid_request_error","param":"response_format","code":null}}`, noFormat},
		{"format of responses", 400, `{"error":{"message":"Invalid schema for response_format 'answer'","param":"text.format.schema","code":"invalid_json_schema"}}`, noFormat},
		{"word JSON", 400, `{"error":{"message":"'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."}}`, noFormat},
		{"tool schema", 400, `{"error":{"message":"Invalid schema for function 'f': 'str' is not valid under any of the given schemas (JSON schema)","param":"tools[0].function.parameters"}}`, refused},
		{"tools", 400, `{"error":{"message":"Unsupported parameter: 'tools' is not supported with this model.","param":"tools","code":"unsupported_parameter"}}`, noTools},
		{"quota", 429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, refused},
		{"rate", 429, `{"error":{"message":"Rate limit reached for requests","type":"requests","code":"rate_limit_exceeded"}}`, givenUp},
		{"server", 500, `{"error":{"message":"The server had an error while processing your request.","type":"server_error"}}`, givenUp},

		// Anthropic
		{"key of Anthropic", 401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`, denied},
		{"model of Anthropic", 404, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-x"}}`, noModel},
		{"prompt of Anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, overflow},
		{"prompt and limit", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"input length and 'max_tokens' exceed context limit: 190000 + 16384 > 200000"}}`, overflow},
		{"format of Anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"output_config.format.schema: For 'integer' type, property 'minimum' is not supported"}}`, noFormat},
		{"older Claude", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"output_config: Extra inputs are not permitted"}}`, noFormat},
		{"tool schema of Anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"tools.0.custom.input_schema: JSON schema is invalid"}}`, refused},
		{"credit", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}`, refused},
		{"overloaded", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, givenUp},

		// Google
		{"key of Google", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]`, denied},
		{"model of Google", 404, `[{"error":{"code":404,"message":"models/x is not found for API version v1main, or is not supported for generateContent.","status":"NOT_FOUND"}}]`, noModel},
		{"prompt of Google", 400, `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, overflow},
		{"tools of Google", 400, `[{"error":{"code":400,"message":"Function calling is not enabled for models/gemma-3-27b-it","status":"INVALID_ARGUMENT"}}]`, noTools},
		{"rate of Google", 403, `{"error":{"errors":[{"domain":"usageLimits","reason":"rateLimitExceeded","message":"Slow down"}],"code":403,"message":"Slow down"}}`, givenUp},
		{"rate of a Google user", 403, `{"error":{"errors":[{"domain":"usageLimits","reason":"userRateLimitExceeded"}],"code":403,"message":"Slow down"}}`, givenUp},

		// OpenRouter
		{"tools of OpenRouter", 404, `{"error":{"message":"No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing","code":404}}`, noTools},
		{"model of OpenRouter", 400, `{"error":{"message":"x/y is not a valid model ID","code":400}}`, noModel},
		{"model without a provider", 404, `{"error":{"message":"No endpoints found for x/y.","code":404}}`, noModel},
		{"credits", 402, `{"error":{"message":"Insufficient credits","code":402}}`, refused},

		// llama.cpp, LM Studio, vLLM and others
		{"tools of llama.cpp", 500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, noTools},
		{"older llama.cpp", 500, `{"code":500,"message":"Unsupported param: tools","type":"server_error"}`, noTools},
		{"context of llama.cpp", 400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}`, overflow},
		{"grammar", 400, `{"error":{"code":400,"message":"Failed to initialize samplers: failed to parse grammar","type":"invalid_request_error"}}`, noFormat},
		{"context of LM Studio", 400, `{"error":"Trying to keep the first 4100 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}`, overflow},
		{"format of LM Studio", 400, `{"error":"'response_format.type' must be 'json_schema' or 'text'"}`, noFormat},
		{"model of LM Studio", 400, `{"error":{"message":"Invalid model identifier \"x\".","type":"invalid_request_error","code":null}}`, noModel},
		{"tools of vLLM", 400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","code":400}`, noTools},
		{"model of vLLM", 404, `{"object":"error","message":"The model x does not exist.","type":"NotFoundError","code":404}`, noModel},
		{"tools elsewhere", 422, `{"detail":"This model doesn't support tools"}`, noTools},

		// Proxies and gateways
		{"page", 403, "nginx: forbidden\n", denied},
		{"gateway", 502, "<html>\n<title>502 Bad Gateway</title>\n</html>", givenUp},
		{"too large", 413, "Payload Too Large", refused},
		{"timeout", 408, "", givenUp},
		{"too early", 425, "", givenUp},
		{"not implemented", 501, "", refused},
		{"gateway of a gateway", 524, "", givenUp},
		{"elsewhere", 302, "", refused},
		{"partial", 206, hello, refused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				step := answer(tt.status, tt.body, "Location", "/other")
				s := serve(t, step, step, step, ok)
				got := ask(t.Context(), s.client(), everything)
				requests := map[bool]int{true: 3, false: 1}[tt.want == any(givenUp)]
				if !isExactly(got.err, tt.want) || s.requests() != requests || len(got.attempts) != requests-1 {
					t.Errorf("error %v of type %T after %d requests", got.err, got.err, s.requests())
				}
				s.close()
			})
		})
	}
}

// isExactly reports whether an error is of the type that target points to.
func isExactly(err error, target any) bool {
	return reflect.TypeOf(err) == reflect.TypeOf(target).Elem()
}

// A complaint about a feature that the request does not use is an ordinary status error.
func TestRefusalsOfNothing(t *testing.T) {
	for _, text := range []string{"does not support tools", "invalid response_format"} {
		s := serve(t, answer(400, fmt.Sprintf(`{"error":%q}`, text)))
		if got := ask(t.Context(), s.client(), question); !isExactly(got.err, refused) {
			t.Errorf("%s: error %v of type %T", text, got.err, got.err)
		}
	}
}

// The error keeps the server's message.
func TestRefusalFields(t *testing.T) {
	s := serve(t, answer(http.StatusTeapot, `{"error":{"message":"Short and stout","type":"teapot_error","code":"teapot"}}`),
		answer(400, `{"error":"plain:latest does not support tools"}`), answer(404, `{"error":"model not found"}`))
	got := ask(t.Context(), s.client(), everything)
	var status *provider.StatusError
	if !errors.As(got.err, &status) || status.Status != http.StatusTeapot || status.Message != "Short and stout [teapot]" || len(status.Codes) == 0 || status.Codes[0] != "teapot" {
		t.Errorf("error %+v", got.err)
	}
	if got := ask(t.Context(), s.client(), everything); got.err.Error() != "native calls: model server: status 400: plain:latest does not support tools" || !errors.As(got.err, &status) {
		t.Errorf("error %v", got.err)
	}
	var unknown *provider.UnknownModelError
	if got := ask(t.Context(), s.client(), everything); !errors.As(got.err, &unknown) || unknown.Name != "parrot" {
		t.Errorf("error %v", got.err)
	}
}

// An exhausted quota is never retried, even if status 200 announced a response.
func TestRefusalOfQuotaInTheBody(t *testing.T) {
	s := serve(t, answer(200, `{"error":{"message":"Pay first","code":"insufficient_quota"}}`))
	if got := ask(t.Context(), s.client(), question); !isExactly(got.err, new(*provider.BrokenOffError)) || s.requests() != 1 {
		t.Errorf("error %v of type %T after %d requests", got.err, got.err, s.requests())
	}
}

// Routers report an error status inside the body.
func TestRefusalWithAStatusInTheBody(t *testing.T) {
	for code, want := range map[int]any{401: denied, 402: refused, 429: givenUp, 502: givenUp} {
		synctest.Test(t, func(t *testing.T) {
			step := answer(200, event(fmt.Sprintf(`{"error":{"message":"Sorry","code":%d}}`, code)))
			s := serve(t, step, step, step)
			got := ask(t.Context(), s.configured(provider.Config{Protocol: &openai.Protocol}), question)
			if !isExactly(got.err, want) || (s.requests() == 3) != (want == any(givenUp)) {
				t.Errorf("%d: error %v of type %T after %d requests", code, got.err, got.err, s.requests())
			}
			s.close()
		})
	}
}

// An error inside a body with status 200 has the same meaning as an error response, unless a delta
// has arrived.
func TestRefusalInTheBody(t *testing.T) {
	for _, tt := range []struct {
		text string
		want any
	}{
		{"the input length exceeds the context length", overflow},
		{"parrot does not support tools", noTools},
		{"invalid JSON schema in format", noFormat},
		{"runner has stopped", givenUp},
	} {
		synctest.Test(t, func(t *testing.T) {
			step := answer(200, fmt.Sprintf(`{"error":%q}`, tt.text))
			s := serve(t, step, step, step)
			if got := ask(t.Context(), s.client(), everything); !isExactly(got.err, tt.want) || (s.requests() == 3) != (tt.want == any(givenUp)) {
				t.Errorf("%s: error %v of type %T after %d requests", tt.text, got.err, got.err, s.requests())
			}
			s.close()
		})
		s := serve(t, answer(200, lineOne+fmt.Sprintf(`{"error":%q}`, tt.text)))
		if got := ask(t.Context(), s.client(), everything); !isExactly(got.err, new(*provider.BrokenOffError)) || got.text != "Hel" {
			t.Errorf("%s: error %v of type %T after a piece", tt.text, got.err, got.err)
		}
	}
}
