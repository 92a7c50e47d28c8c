package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"oneshot/pkg/agent"
	"oneshot/pkg/runfile"
)

// A hidingRecorder replaces secrets before they are on record. The replay of a
// conversation that held one differs from it, and says so.
type hidingRecorder struct {
	agent.Recorder
	secrets *secrets
}

// Append records a body without secrets. Every body has a JSON form that is
// read back as the same body: that is what a run file is.
func (r hidingRecorder) Append(body runfile.Body) error {
	hidden, err := r.secrets.hideBody(body)
	if err != nil {
		return err
	}
	return r.Recorder.Append(hidden)
}

func (s *secrets) hideBody(body runfile.Body) (runfile.Body, error) {
	if s.none() {
		return body, nil
	}
	doc, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("run file: %s record: %w", body.Kind(), err)
	}
	hidden := s.hideJSON(doc)
	if bytes.Equal(hidden, doc) {
		return body, nil
	}
	fresh := reflect.New(reflect.TypeOf(body))
	if err := json.Unmarshal(hidden, fresh.Interface()); err != nil {
		return nil, fmt.Errorf("run file: %s record: %w", body.Kind(), err)
	}
	return fresh.Elem().Interface().(runfile.Body), nil
}
