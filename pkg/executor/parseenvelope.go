package executor

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/subprocess"
)

// A resultEnvelope is a result as printed by a program.
type resultEnvelope struct {
	OK       *bool           `json:"ok"`
	Data     jsontext.Value  `json:"data"`
	Needs    map[string]bool `json:"needs"`
	Question string          `json:"question"`
	Error    *envelopeError  `json:"error"`
}

type envelopeError struct {
	Code      chat.ErrorCode `json:"code"`
	Message   string         `json:"message"`
	Retryable *bool          `json:"retryable"` // absent: the default of the code
}

// resultFromEnvelope returns the result that a program printed itself. If the program failed, for the reason why, a
// printed result counts only if it reports a failure, too.
func resultFromEnvelope(t task, out subprocess.Outcome, why *chat.Result) chat.Result {
	text, err := printedJSON(out.Stdout)
	var r chat.Result
	if err == nil {
		r, err = parseEnvelope(t, text)
	}
	switch {
	case why != nil && (err != nil || r.OK() || out.Signal != "" || out.Flooded || out.TooManyProcesses):
		return *why
	case out.Stdout.Truncated():
		return chat.Failure(chat.TooLarge, "%v%s", err, mayHaveTakenEffect)
	case err != nil:
		return chat.Failure(chat.Failed, "%v", err)
	}
	return r
}

// parseEnvelope parses an envelope strictly.
func parseEnvelope(t task, text []byte) (chat.Result, error) {
	s, err := decodeStrict[resultEnvelope](text)
	switch {
	case err != nil:
		return chat.Result{}, fmt.Errorf("expected an envelope as output (see oneshot schema result.v1): %w", jsonKindError(err))
	case s.OK == nil:
		return chat.Result{}, errors.New(`expected an envelope as output, but "ok" is missing`)
	case *s.OK && (s.Error != nil || s.Needs != nil || s.Question != ""):
		return chat.Result{}, errors.New("its envelope says both ok and failed")
	case *s.OK:
		return chat.Result{Data: []byte(s.Data)}, nil
	case s.Data != nil || (s.Error == nil) == (s.Needs == nil):
		return chat.Result{}, errors.New("its envelope is not ok and must have either error or needs")
	case s.Error != nil:
		return s.Error.result()
	}
	return s.inputRequest(t)
}

// jsonKindError rewords the error for a value of the wrong JSON kind.
func jsonKindError(err error) error {
	var e *json.SemanticError
	if !errors.As(err, &e) || errors.Is(err, json.ErrUnknownName) || e.JSONPointer == "" {
		return err
	}
	return fmt.Errorf("unexpected %s at %.80s", kindNames[e.JSONKind], e.JSONPointer)
}

// kindNames are the kinds of JSON values.
var kindNames = map[jsontext.Kind]string{'n': "null", 't': "boolean", 'f': "boolean", '"': "string", '0': "number", '{': "object", '[': "array"}

// result returns the failure that a program printed. UNKNOWN_TOOL is reserved for this program.
func (e envelopeError) result() (chat.Result, error) {
	known := slices.ContainsFunc(chat.ErrorCodes, func(d chat.ErrorCodeDoc) bool { return d.Code == e.Code })
	switch {
	case !known || e.Code == chat.UnknownTool:
		return chat.Result{}, fmt.Errorf("its envelope has the error code %.40q, which a tool cannot use", e.Code)
	case e.Message == "":
		return chat.Result{}, errors.New("the error in its envelope has no message")
	}
	r := chat.Failure(e.Code, "%s", e.Message)
	if e.Retryable != nil {
		r.Error.Retryable = *e.Retryable
	}
	return r, nil
}

// inputRequest returns a request for input: for parameters of the tool.
func (s resultEnvelope) inputRequest(t task) (chat.Result, error) {
	r := chat.Result{Question: s.Question}
	for name, needed := range s.Needs {
		if !needed || !slices.Contains(t.def.ParameterNames(), name) {
			return chat.Result{}, fmt.Errorf("its envelope needs %.40q, which is not a parameter of %s", name, t.def.Name)
		}
		r.Needs = append(r.Needs, name)
	}
	slices.Sort(r.Needs)
	if len(r.Needs) == 0 {
		return r, errors.New("its envelope needs nothing")
	}
	return r, nil
}
