package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"oneshot/pkg/quote"
)

// A Result is the result of a call: exactly one of data, needs and error. Its JSON
// form is the envelope that a model reads.
type Result struct {
	Data     json.RawMessage // set when the call succeeded
	Needs    []string        // names of parameters that only the user can supply
	Question string          // with Needs: the question for the user
	Error    *ToolError      // set when the call failed
	Labels   []string        // of the data, in addition to the call's; not in the envelope
	Cached   *CacheOrigin    // of a result from the cache; not in the envelope
}

// A CacheOrigin identifies the call that produced a cached result.
type CacheOrigin struct {
	Run string    `json:"run,omitempty"` // the ID of its run
	At  time.Time `json:"at"`            // when it ended
}

// A ToolError is an error that the model reads and may correct.
type ToolError struct {
	Code      ErrorCode `json:"code"`
	Message   string    `json:"message"`
	Retryable bool      `json:"retryable"`
}

// OK reports whether the call succeeded.
func (r Result) OK() bool { return r.Error == nil && len(r.Needs) == 0 }

// Success returns a result with v as its data. A value that does not marshal to JSON is
// a bug in the tool and becomes a [Failed] result.
func Success(v any) Result {
	data, err := quote.Encode(v)
	if err != nil {
		return Failure(Failed, "the tool's result does not marshal to JSON: %v", err)
	}
	return Result{Data: data}
}

// Failure returns a failed result. The message is formatted as by [fmt.Sprintf].
func Failure(code ErrorCode, format string, args ...any) Result {
	return Result{Error: &ToolError{Code: code, Message: fmt.Sprintf(format, args...), Retryable: code.Doc().Retryable}}
}

// MarshalJSON returns the envelope: {"ok":true,"data":…},
// {"ok":false,"needs":{…},"question":…} or {"ok":false,"error":{…}}.
func (r Result) MarshalJSON() ([]byte, error) {
	switch {
	case r.Error != nil:
		return quote.Encode(struct {
			OK    bool       `json:"ok"`
			Error *ToolError `json:"error"`
		}{false, r.Error})
	case len(r.Needs) > 0:
		needs := make(map[string]bool, len(r.Needs))
		for _, name := range r.Needs {
			needs[name] = true
		}
		return quote.Encode(struct {
			OK       bool            `json:"ok"`
			Needs    map[string]bool `json:"needs"`
			Question string          `json:"question,omitempty"`
		}{false, needs, r.Question})
	}
	data := r.Data
	if data == nil {
		data = json.RawMessage("null")
	}
	return quote.Encode(struct {
		OK   bool            `json:"ok"`
		Data json.RawMessage `json:"data"`
	}{true, data})
}

// UnmarshalJSON reads an envelope.
func (r *Result) UnmarshalJSON(b []byte) error {
	var env struct {
		OK       bool            `json:"ok"`
		Data     json.RawMessage `json:"data"`
		Needs    map[string]bool `json:"needs"`
		Question string          `json:"question"`
		Error    *ToolError      `json:"error"`
	}
	if err := json.Unmarshal(b, &env); err != nil {
		return err
	}
	if env.OK != (env.Error == nil && len(env.Needs) == 0) {
		return errors.New(`result envelope: "ok" contradicts the other members`)
	}
	*r = Result{Data: env.Data, Question: env.Question, Error: env.Error}
	for name := range env.Needs {
		r.Needs = append(r.Needs, name)
	}
	slices.Sort(r.Needs)
	return nil
}
