// Package agent drives one run: it asks a model, reads the calls in what the
// model says, decides, executes, and goes on until there is an answer that
// isValidAnswer its schema, or a limit.
//
// It is the API for programs that embed oneshot: one call to [Run] does the
// whole loop. The package does not know which model or which tools it works
// with, prints nothing and has no state outside a run.
package agent

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/model"
	"oneshot/pkg/policy"
	"oneshot/pkg/prompt"
	"oneshot/pkg/runfile"
	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
)

// A Model answers one request. Deltas arrive, in the calling goroutine, while
// the response is written, and their contents add up to the response's. An
// attempt is repeated only before its first delta, and every attempt that
// failed is reported as a delta. A reply ends soon after its context.
type Model interface {
	Reply(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error)
}

// A Runner executes one permitted call. What the tool got wrong is in the
// result, for the model to read; an error means that the run cannot go on. A
// runner returns soon after its context ends.
type Runner interface {
	Run(ctx context.Context, x chat.Execution) (chat.Result, error)
}

// A Recorder keeps the records of a run. Append may buffer; after Sync
// everything appended is durable. Both are called from one goroutine, and
// neither again after an error, which ends the run. [runfile.Writer] is one.
type Recorder interface {
	Append(body runfile.Body) error
	Sync() error
}

// Config is everything a run depends on. Model, Texts and Prompt are required,
// and Runner when there are tools.
type Config struct {
	Model     Model
	Responder Model // is asked for the answer; nil: Model
	Runner    Runner
	Tools     *tool.Registry // what the model may call; nil for no tools
	Texts     fs.FS          // the texts of package prompts, or the program's own
	// Native says that the model calls through its server's own field for calls.
	// When the server refuses to, before any call was made, the run goes on in
	// the dialect.
	Native     bool
	NativeOnly bool            // such a refusal is an error instead
	Writes     dialect.Dialect // how the model writes calls otherwise; the zero value is the dialect "tool"
	// Nonce lets calls that are written count only in fences that are marked with a word of
	// the run, which nobody but the model knows. The dialect has to be one that can be marked.
	Nonce bool

	ID string // of the run: the keys of its calls are made of it

	System string // base of the system prompt
	Prompt string // what the user asks
	Input  string // data that goes with it
	// TrustInput says that the input is the caller's own words: it is not untrusted data, and calls that it
	// spells out may be made.
	TrustInput bool
	Schema     *schema.Schema // of the answer; nil for {"answer": string}
	TextAnswer bool           // the model is asked for text, which becomes {"answer": text}; without a schema only
	Format     string         // the answer in words, for the model

	Params map[string]json.RawMessage // sampling and server options, by the server's names
	Limits Limits
	Policy policy.Policy
	// Resolve returns where a path of a file leads, links followed; nil where tools touch
	// no files.
	Resolve func(path string) (string, error)
	// Preview returns what a call comes to, which those who approve it are shown and an approval is bound to; nil
	// where nobody can tell.
	Preview func(ctx context.Context, def *tool.Definition, args json.RawMessage) chat.Preview
	// Before describes the file that a call is about to replace, for the record of its intent; it returns nil for a
	// call that replaces none. It may be nil.
	Before func(def *tool.Definition, args json.RawMessage) *runfile.Before
	// ContinueDenied lets a run go on after a write was denied; otherwise the
	// first such denial ends it.
	ContinueDenied bool
	// ReportUnknown lets a run that goes on tell the model of a change whose outcome nobody knows;
	// otherwise that ends it. A rule of the policy that says which wins.
	ReportUnknown bool
	// Approver is asked about calls that the policy asks about; nil where nobody is there.
	Approver Approver
	// Answers are what the user says when a tool needs it, by the names of what it needs.
	Answers map[string]string
	// AskUser offers the model [tool.AskUser] beside its tools. Without an answer the run ends at once.
	AskUser bool
	// Ask asks somebody who is there what is in no answer; false: there is no answer. It may be nil.
	Ask func(ctx context.Context, n Needs) (values map[string]string, ok bool)
	// Played says that the run is one that is played again, with the results that its calls had: none
	// waits for its rate.
	Played bool
	// RecordedUserInput is what the user said in that run, in its order. It comes before Answers.
	RecordedUserInput []runfile.UserInput
	// Restarts are the turns in which the run ended before it was resumed: see [Restarts].
	Restarts []int
	// Past is what the run did before it ended or was cut off: see [Continue].
	Past []runfile.Record
	// Spent is what of Limits.Wall has gone by then.
	Spent time.Duration
	// Require names tools of which a call must have succeeded before the run can
	// have an answer.
	Require []string

	Now  time.Time // the run's clock as the model sees it, in the run's zone
	Seed [32]byte  // all randomness of the run comes from it

	Record  Recorder    // nil keeps no record
	Observe func(Event) // hears of what happens, in order; may be nil
}

// An Outcome is what a run came to. It is complete also when the run failed.
type Outcome struct {
	Answer     json.RawMessage // nil when there is none; it fits the schema
	Model      string          // who replied last, as PROVIDER/NAME, if its client says so
	Turns      int             // requests made
	Usage      chat.Usage
	Calls      []CallReport
	Findings   []diag.Finding // what was tolerated or refused in the model's output
	Repairs    int            // answers that did not fit and were sent back
	FormatMode FormatMode     // how the answer's form was enforced
	Aborted    bool           // cancelled or out of time
	Effects    Effects        // what the run may have changed, also before it was resumed
	Labels     []tool.Label   // of the data that the run has read: private, untrusted
}

// Effects says what a run may have changed.
type Effects int

// What a run may have changed.
const (
	NoEffects      Effects = iota
	KeyedEffects           // each change has an idempotency key, under which a resumed run repeats it
	UnkeyedEffects         // a change has no key
)

// A CallStatus says what became of a call.
type CallStatus string

// What becomes of calls.
const (
	CallOK        CallStatus = "ok"
	CallError     CallStatus = "error"
	CallNeeds     CallStatus = "needs"
	CallDenied    CallStatus = "denied"
	CallDiscarded CallStatus = "discarded" // it was started, but its result did not enter the conversation
	CallSkipped   CallStatus = "skipped"   // it was not run
)

// A CallReport says what became of one call.
type CallReport struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Effect    tool.Effect     `json:"effect,omitempty"`
	Status    CallStatus      `json:"status"`
	Code      chat.ErrorCode  `json:"code,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// Run drives one run to its end. The outcome holds as much as is known when
// the error is not nil. Errors are those of this package, of the model and of
// the recorder, wrapped; the cause of an ended context is returned as it is.
func Run(ctx context.Context, cfg Config) (Outcome, error) {
	if err := cfg.check(); err != nil {
		return Outcome{}, err
	}
	r, err := newRun(cfg)
	if err != nil {
		return Outcome{}, err
	}
	ctx, cancel := bounded(ctx, cfg.Limits.Wall, cfg.Spent)
	defer cancel() // what runs ends also when the model or the observer panics
	err = r.rootCause(r.loop(ctx))
	r.out.Labels = r.record.state.Labels()
	for _, report := range r.reports {
		r.out.Calls = append(r.out.Calls, *report)
	}
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, cause) {
		r.out.Aborted = true
		err = cause
	}
	return r.out, err
}

// bounded returns a context that ends after the wall-clock limit, if there is one, of which some was spent before.
func bounded(ctx context.Context, wall, spent time.Duration) (context.Context, context.CancelFunc) {
	if wall > 0 {
		return context.WithTimeoutCause(ctx, wall-spent, &TimeoutError{wall, spent})
	}
	return context.WithCancel(ctx)
}

// check refuses a configuration that lacks what every run needs.
func (c Config) check() error {
	switch {
	case c.Model == nil:
		return &ConfigError{"Model"}
	case c.Texts == nil:
		return &ConfigError{"Texts"}
	case c.Tools != nil && c.Runner == nil:
		return &ConfigError{"Runner"}
	}
	return nil
}

// InputLabels returns the labels of the run's input; nil if there is none.
func (c Config) InputLabels() []tool.Label {
	if c.Input == "" {
		return nil
	}
	return c.Policy.InputLabels(c.TrustInput)
}

// SystemPrompt renders the system prompt of a run with this configuration.
func (c Config) SystemPrompt() (string, error) {
	r, err := newRun(c)
	if err != nil {
		return "", err
	}
	return r.system, nil
}

// FirstRequest returns the first request of a run with this configuration, as
// its model is sent it.
func (c Config) FirstRequest() (chat.Request, error) {
	r, err := newRun(c)
	if err != nil {
		return chat.Request{}, err
	}
	if !r.open() {
		return r.request(chat.PurposeAnswer, r.answerFormats()[0]), nil
	}
	return r.request(chat.PurposeTurn, answerFormat{}), nil
}

// run is the state of one run.
type run struct {
	cfg      Config
	past     recorded
	record   journal
	texts    *prompt.Texts
	defs     []*tool.Definition
	native   bool           // calls come through the server's own field for them
	ending   string         // name of the tool that ends the work; "" when calls are native
	answers  *schema.Schema // what the answer must fit
	system   string
	tools    []chat.Function // published with each request when calls are native
	boundary string          // delimits data in messages; unguessable
	nonce    nonce           // marks fences of calls, if that is asked for

	messages []chat.Message
	chain    model.Chain // of the messages, without secrets
	recorded int         // messages that are in the record already
	budget   budget
	begun    bool                         // something of the latest response has arrived
	repairs  int                          // answers sent back since the run was resumed
	unusable int                          // replies in a row that were empty, cut or broken off
	reminded int                          // replies in a row without a call
	leaked   int                          // replies in a row with a call in their text although calls are native
	urged    bool                         // the model was told of tools that it has to use
	ids      map[string]bool              // of all calls
	worked   map[string]bool              // tools of which a call succeeded
	needs    map[string]*Needs            // by tool, until a call of it succeeds
	said     map[string]map[string]string // what the user has said to that, by tool
	supplied int                          // how often the user has said something
	// unauthorized are the tools that lack an authorisation, until a call of them succeeds.
	unauthorized  map[string]*UnauthorizedError
	untrustedText dialect.Heard   // what the run was given to read so far: the input, and what tools returned
	input         dialect.Heard   // the input alone
	links         map[string]bool // addresses in what the run was given to read; nil if that is nothing
	reports       []*CallReport
	out           Outcome
}

func newRun(cfg Config) (*run, error) {
	texts, err := prompt.Load(cfg.Texts)
	if err != nil {
		return nil, err
	}
	if cfg.Writes.Name == "" {
		cfg.Writes, _ = dialect.Named("tool")
	}
	if cfg.Observe == nil {
		cfg.Observe = func(Event) {}
	}
	r := &run{cfg: cfg, record: journal{to: cfg.Record}, texts: texts, answers: cfg.Schema, boundary: newBoundary(cfg.Seed),
		needs: map[string]*Needs{}, said: map[string]map[string]string{}, ids: map[string]bool{}, worked: map[string]bool{},
		unauthorized: map[string]*UnauthorizedError{}}
	r.budget = newBudget(cfg.Limits)
	if err := r.replayRecorded(); err != nil {
		return nil, err
	}
	if cfg.Tools != nil {
		r.defs = cfg.Tools.All()
	}
	if cfg.AskUser && len(r.defs) > 0 {
		r.defs = append(r.defs, tool.AskUser)
	}
	r.record.state.Apply(cfg.Now, runfile.Run{InputLabels: policy.LabelNames(cfg.InputLabels())})
	r.recordUserText()
	if r.answers == nil {
		if r.answers, err = defaultSchema(); err != nil {
			return nil, err
		}
	}
	if err := r.drawNonce(cfg.System, cfg.Prompt, cfg.Input); err != nil {
		return nil, err
	}
	if cfg.Native {
		r.useNative()
	} else {
		r.useDialect()
	}
	return r, nil
}

// recordUserText takes in what calls must not be echoes of, and what the user says. An input that its caller vouches
// for is the user's words.
func (r *run) recordUserText() {
	for _, h := range []*dialect.Heard{&r.input, &r.untrustedText} {
		h.Vouch(r.cfg.Prompt)
		switch {
		case r.cfg.TrustInput:
			h.Vouch(r.cfg.Input)
		case r.cfg.Input != "":
			h.Add([]byte(r.cfg.Input))
		}
	}
}

// boundary draws the run's delimiter, 128 bits in hex, from its seed.
func newBoundary(seed [32]byte) string {
	var b [16]byte
	rand.NewChaCha8(seed).Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// defaultSchema is the schema of an answer that the caller gave none for.
func defaultSchema() (*schema.Schema, error) {
	const text = `{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"],"additionalProperties":false}`
	s, findings := schema.Compile("answer", []byte(text))
	if s == nil {
		return nil, fmt.Errorf("answer schema: %v", findings)
	}
	return s, nil
}
