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

// A told is a result as a program prints it.
type told struct {
	OK       *bool           `json:"ok"`
	Data     jsontext.Value  `json:"data"`
	Needs    map[string]bool `json:"needs"`
	Question string          `json:"question"`
	Error    *toldError      `json:"error"`
}

type toldError struct {
	Code      chat.ErrorCode `json:"code"`
	Message   string         `json:"message"`
	Retryable *bool          `json:"retryable"` // absent: as the code is
}

// envelope is the result that a program printed itself. Where the program did not end well, as
// why says, it stands only if it says so, too.
func envelope(t task, out subprocess.Outcome, why *chat.Result) chat.Result {
	text, err := printedJSON(out.Stdout)
	var r chat.Result
	if err == nil {
		r, err = toldResult(t, text)
	}
	switch {
	case why != nil && (err != nil || r.OK() || out.Signal != "" || out.Flooded || out.TooManyProcesses):
		return *why
	case out.Stdout.Truncated():
		return chat.Failure(chat.TooLarge, "%v%s", err, mayHave)
	case err != nil:
		return chat.Failure(chat.Failed, "%v", err)
	}
	return r
}

// toldResult reads an envelope strictly.
func toldResult(t task, text []byte) (chat.Result, error) {
	s, err := decode[told](text)
	switch {
	case err != nil:
		return chat.Result{}, fmt.Errorf("it has to print an envelope, as oneshot schema result.v1 says: %w", misplaced(err))
	case s.OK == nil:
		return chat.Result{}, errors.New(`it has to print an envelope, and "ok" is missing`)
	case *s.OK && (s.Error != nil || s.Needs != nil || s.Question != ""):
		return chat.Result{}, errors.New("its envelope says ok, and that the call failed")
	case *s.OK:
		return chat.Result{Data: []byte(s.Data)}, nil
	case s.Data != nil || (s.Error == nil) == (s.Needs == nil):
		return chat.Result{}, errors.New("its envelope says not ok, and has to have either error or needs")
	case s.Error != nil:
		return s.Error.result()
	}
	return s.needs(t)
}

// misplaced says in the words of JSON which value an envelope cannot have, if one is all that is wrong.
func misplaced(err error) error {
	var e *json.SemanticError
	if !errors.As(err, &e) || errors.Is(err, json.ErrUnknownName) || e.JSONPointer == "" {
		return err
	}
	return fmt.Errorf("no %s can stand at %.80s", kindNames[e.JSONKind], e.JSONPointer)
}

// kindNames are the kinds of JSON values.
var kindNames = map[jsontext.Kind]string{'n': "null", 't': "boolean", 'f': "boolean", '"': "string", '0': "number", '{': "object", '[': "array"}

// result returns the failure that a program tells. That there is no such tool only this program
// can say.
func (e toldError) result() (chat.Result, error) {
	known := slices.ContainsFunc(chat.ErrorCodes, func(d chat.ErrorCodeDoc) bool { return d.Code == e.Code })
	switch {
	case !known || e.Code == chat.UnknownTool:
		return chat.Result{}, fmt.Errorf("its envelope has the error code %.40q, which no tool can say", e.Code)
	case e.Message == "":
		return chat.Result{}, errors.New("the error in its envelope has no message")
	}
	r := chat.Failure(e.Code, "%s", e.Message)
	if e.Retryable != nil {
		r.Error.Retryable = *e.Retryable
	}
	return r, nil
}

// needs returns what a program asks for: parameters that the call can then have.
func (s told) needs(t task) (chat.Result, error) {
	r := chat.Result{Question: s.Question}
	for name, needed := range s.Needs {
		if !needed || !slices.Contains(t.def.ParameterNames(), name) {
			return chat.Result{}, fmt.Errorf("its envelope needs %.40q, which is no parameter of %s", name, t.def.Name)
		}
		r.Needs = append(r.Needs, name)
	}
	slices.Sort(r.Needs)
	if len(r.Needs) == 0 {
		return r, errors.New("its envelope needs nothing")
	}
	return r, nil
}
