package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"oneshot/pkg/agent"
	"oneshot/pkg/redact"
	"oneshot/pkg/runfile"
)

// A redactingRecorder masks secrets in records. The replay of a conversation with a secret therefore differs.
type redactingRecorder struct {
	agent.Recorder
	secrets *redact.Set
}

// Append records a body with secrets masked. Every body survives a round trip through JSON.
func (r redactingRecorder) Append(body runfile.Body) error {
	hidden, err := maskBody(r.secrets, body)
	if err != nil {
		return err
	}
	return r.Recorder.Append(hidden)
}

// An appendTrackingRecorder sets a flag when something is recorded.
type appendTrackingRecorder struct {
	agent.Recorder
	news *bool
}

// Append records a body.
func (r appendTrackingRecorder) Append(body runfile.Body) error {
	*r.news = true
	return r.Recorder.Append(body)
}

// A batchRecorder does not wait until the answer is on disk: a batch delivers it after the end of the run, which is synced.
type batchRecorder struct {
	agent.Recorder
	answered bool // the latest record is the answer
}

// Append records a body.
func (r *batchRecorder) Append(body runfile.Body) error {
	_, r.answered = body.(runfile.Answer)
	return r.Recorder.Append(body)
}

// Sync makes all records durable, unless the end will.
func (r *batchRecorder) Sync() error {
	if r.answered {
		return nil
	}
	return r.Recorder.Sync()
}

// maskBody masks secrets in a body. In messages for people it also masks anything that looks like a key; the
// conversation stays exact, because replays and resumed runs need it.
func maskBody(s *redact.Set, body runfile.Body) (runfile.Body, error) {
	body = withMaskedData(s, withRedactedMessages(s, body))
	if _, isData := body.(runfile.Attachment); isData || s.IsEmpty() { // data has no secrets: see checkAttachmentSecrets
		return body, nil
	}
	doc, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("run file: %s record: %w", body.Kind(), err)
	}
	hidden := s.HideJSON(doc)
	if bytes.Equal(hidden, doc) {
		return body, nil
	}
	fresh := reflect.New(reflect.TypeOf(body))
	if err := json.Unmarshal(hidden, fresh.Interface()); err != nil {
		return nil, fmt.Errorf("run file: %s record: %w", body.Kind(), err)
	}
	return fresh.Elem().Interface().(runfile.Body), nil
}

// withMaskedData returns a body with its data of the model and of tools masked, which may have secrets in numbers. The other
// numbers of a body are the program's own.
func withMaskedData(s *redact.Set, body runfile.Body) runfile.Body {
	switch b := body.(type) {
	case runfile.Request:
		b.Messages = s.HideMessages(b.Messages)
		return b
	case runfile.Response:
		b.Calls, b.Native = s.HideCalls(b.Calls), s.HideNative(b.Native)
		return b
	case runfile.Call:
		b.Proposed, b.Effective = s.HideData(b.Proposed), s.HideData(b.Effective)
		return b
	case runfile.Approval:
		b.Modified = s.HideData(b.Modified)
		return b
	case runfile.Result:
		b.Result = s.HideResult(b.Result)
		return b
	case runfile.Answer:
		b.JSON = s.HideData(b.JSON)
		return b
	}
	return body
}

// withRedactedMessages returns a body with its messages for people redacted.
func withRedactedMessages(s *redact.Set, body runfile.Body) runfile.Body {
	switch b := body.(type) {
	case runfile.Attempt:
		b.Error = s.Redact(b.Error)
		return b
	case runfile.Response:
		b.BrokenOff = s.Redact(b.BrokenOff)
		return b
	case runfile.End:
		b.Why, b.Hint = s.Redact(b.Why), s.Redact(b.Hint)
		return b
	}
	return body
}
