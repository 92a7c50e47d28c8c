// Package agent runs the agent loop: it sends a request to a model, parses the calls in the
// response, checks them against the policy, executes them and feeds the results back, until the
// model gives an answer that fits its schema or a limit is reached.
//
// It is the API for programs that embed oneshot: one call of [Run] does the whole loop. The package
// knows no concrete model and no concrete tool, prints nothing and keeps no state outside a run.
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
	"oneshot/pkg/policy"
	"oneshot/pkg/prompt"
	"oneshot/pkg/provider"
	"oneshot/pkg/runfile"
	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
)

// A Model answers one request. Deltas arrive in the calling goroutine while the response streams,
// and their contents add up to the content of the response. An attempt is retried only before its
// first delta; every failed attempt is reported as a delta. Reply returns soon after its context
// ends.
type Model interface {
	Reply(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error)
}

// A Runner executes one permitted call. A failure of the tool is part of the result, for the model
// to read; an error ends the run. Run returns soon after its context ends.
type Runner interface {
	Run(ctx context.Context, x chat.Execution) (chat.Result, error)
}

// A Recorder writes the records of a run. Append may buffer; after Sync all appended records are
// durable. The run calls both from one goroutine, and neither again after an error, which ends the
// run. [runfile.Writer] is a Recorder.
type Recorder interface {
	Append(body runfile.Body) error
	Sync() error
}

// Config is everything a run depends on. Model, Texts and Prompt are required, and Runner if there
// are tools.
type Config struct {
	Model       Model
	AnswerModel Model // gives the final answer; nil: Model
	Runner      Runner
	Tools       *tool.Registry // nil for no tools
	Texts       fs.FS          // prompt texts: those of package prompts or the caller's own
	// Native makes the model call through the tool-call field of its server. If the server rejects
	// tools before the first call, the run falls back to the dialect.
	Native     bool
	NativeOnly bool            // no fallback: a server that rejects tools is an error
	Dialect    dialect.Dialect // of written calls; the zero value is the dialect "tool"
	// Nonce restricts written calls to fences that carry a random word of the run, known only to the
	// model. It needs a dialect whose fences can be marked.
	Nonce bool

	ID string // of the run; part of its idempotency keys

	System string // base of the system prompt
	Prompt string // the user's prompt
	Input  string // data for the prompt
	// TrustInput declares the input to be the caller's own words: it gets no untrusted label, and calls
	// spelled out in it are not denied as echoes.
	TrustInput        bool
	Schema            *schema.Schema // of the answer; nil for {"answer": string}
	TextAnswer        bool           // the model answers in text, which becomes {"answer": text}; only without a schema
	AnswerDescription string         // describes the answer to the model

	Params map[string]json.RawMessage // sampling and server options, in the server's names
	Limits Limits
	Policy policy.Policy
	// Resolve returns the real path of a file, with symbolic links resolved; nil if no tool touches
	// files.
	Resolve func(path string) (string, error)
	// Preview returns the effects of a call. Approvers see them, and an approval is bound to them. Nil
	// if there are no previews.
	Preview func(ctx context.Context, def *tool.Definition, args json.RawMessage) chat.Preview
	// FileBefore describes the file that a call is about to replace, for the record of the intent; it
	// returns nil if the call replaces no file. FileBefore may be nil.
	FileBefore func(def *tool.Definition, args json.RawMessage) *runfile.Before
	// ContinueDenied continues the run after a denied write; otherwise the first one ends it.
	ContinueDenied bool
	// ReportUnknownOutcome makes a resumed run report a change with an unknown outcome to the model;
	// otherwise such a change ends the run. A policy rule takes precedence.
	ReportUnknownOutcome bool
	// Approver decides on calls for which the policy requires approval; nil if there is no approver.
	Approver Approver
	// UserAnswers are the user's values for fields that tools need, by field name.
	UserAnswers map[string]string
	// AskUser offers the model [tool.AskUser] beside its tools. Without an answer the run ends at once.
	AskUser bool
	// PromptUser asks the user for needed fields that have no value in UserAnswers; ok is false without
	// an answer. PromptUser may be nil.
	PromptUser func(ctx context.Context, n Needs) (values map[string]string, ok bool)
	// Replay marks a replay with the recorded results: no call waits for its rate limit.
	Replay bool
	// RecordedUserInput are the user's values in the replayed run, in order. They take precedence over
	// UserAnswers.
	RecordedUserInput []runfile.UserInput
	// ResumePoints are the turns at which the run ended and was resumed: see [ResumePoints].
	ResumePoints []int
	// History are the records of the run that is resumed: see [History].
	History []runfile.Record
	// Elapsed is the part of Limits.Wall used before the run was resumed.
	Elapsed time.Duration
	// RequiredTools names tools that must each have a successful call before the run may answer.
	RequiredTools []string

	Now  time.Time // the date and time that the model sees, in the run's time zone
	Seed [32]byte  // of all random values of the run

	Recorder Recorder    // nil for no record
	Observe  func(Event) // receives the events of the run, in order; may be nil
}

// An Outcome is the result of a run. It is complete even if the run failed.
type Outcome struct {
	Answer     json.RawMessage // nil if there is no answer; it fits the schema
	Model      string          // that replied last, as PROVIDER/NAME, if its client reports it
	Turns      int             // requests sent
	Usage      chat.Usage
	Calls      []CallReport
	Findings   []diag.Finding // faults tolerated or rejected in the model's output
	Repairs    int            // invalid answers sent back
	FormatMode FormatMode     // how the format of the answer was enforced
	Aborted    bool           // cancelled or timed out
	Effects    Effects        // what the run may have changed, including before it was resumed
	Labels     []tool.Label   // of the data the run has read: private, untrusted
}

// Effects says what a run may have changed.
type Effects int

// Values of [Effects].
const (
	NoEffects      Effects = iota
	KeyedEffects           // each change has an idempotency key, with which a resumed run can repeat it
	UnkeyedEffects         // at least one change has no key
)

// A CallStatus is the final status of a call.
type CallStatus string

// Statuses of calls.
const (
	CallOK        CallStatus = "ok"
	CallError     CallStatus = "error"
	CallNeeds     CallStatus = "needs"
	CallDenied    CallStatus = "denied"
	CallDiscarded CallStatus = "discarded" // started, but its result is not in the conversation
	CallSkipped   CallStatus = "skipped"   // not run
)

// A CallReport describes a call and its outcome.
type CallReport struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Effect    tool.Effect     `json:"effect,omitempty"`
	Status    CallStatus      `json:"status"`
	Code      chat.ErrorCode  `json:"code,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// Run executes one run to its end. The outcome holds everything known even if the error is not nil.
// Errors are those of this package, of the model and of the recorder, wrapped; if the context
// ended, its cause is returned unwrapped.
func Run(ctx context.Context, cfg Config) (Outcome, error) {
	if err := cfg.validate(); err != nil {
		return Outcome{}, err
	}
	r, err := newRun(cfg)
	if err != nil {
		return Outcome{}, err
	}
	ctx, cancel := withWallLimit(ctx, cfg.Limits.Wall, cfg.Elapsed)
	defer cancel() // also ends running calls if the model or the observer panics
	err = r.rootCause(r.loop(ctx))
	r.out.Labels = r.journal.state.Labels()
	for _, report := range r.reports {
		r.out.Calls = append(r.out.Calls, *report)
	}
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, cause) {
		r.out.Aborted = true
		err = cause
	}
	return r.out, err
}

// withWallLimit returns a context that ends when the rest of the wall-clock limit is used up; 0 is
// no limit.
func withWallLimit(ctx context.Context, wall, spent time.Duration) (context.Context, context.CancelFunc) {
	if wall > 0 {
		return context.WithTimeoutCause(ctx, wall-spent, &TimeoutError{wall, spent})
	}
	return context.WithCancel(ctx)
}

// validate rejects a configuration without a field that every run needs.
func (c Config) validate() error {
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

// InputLabels returns the labels of the run's input; nil without an input.
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

// FirstRequest returns the first request of a run with this configuration.
func (c Config) FirstRequest() (chat.Request, error) {
	r, err := newRun(c)
	if err != nil {
		return chat.Request{}, err
	}
	if !r.startConversation() {
		return r.request(chat.PurposeAnswer, r.answerFormats()[0]), nil
	}
	return r.request(chat.PurposeTurn, answerFormat{}), nil
}

// run is the state of one run.
type run struct {
	cfg           Config
	recordedCalls recordedCalls
	journal       journal
	texts         *prompt.Texts
	defs          []*tool.Definition
	native        bool   // calls come through the tool-call field of the server
	ending        string // name of the tool that ends the work; "" if calls are native
	answerSchema  *schema.Schema
	system        string
	functions     []chat.Function // sent with each request if calls are native
	boundary      string          // delimits data in messages; unguessable
	nonce         nonce           // word of the fences of calls, with Config.Nonce

	messages           []chat.Message
	chain              provider.Chain // digest chain of the redacted messages
	recordedMessages   int            // number of messages in the record
	budget             budget
	responseStarted    bool                         // the latest response sent at least one delta
	repairs            int                          // answers sent back, counted from the last resume point
	uselessReplies     int                          // in a row: empty, cut or broken off
	repliesWithoutCall int                          // in a row
	repliesWithLeak    int                          // in a row: with a call in the text although calls are native
	remindedOfRequired bool                         // the model was reminded of the required tools
	callIDs            map[string]bool              // in use
	succeeded          map[string]bool              // tools with a successful call
	needs              map[string]*Needs            // by tool, until a call of it succeeds
	userValues         map[string]map[string]string // values the user gave for them, by tool
	userInputCount     int                          // number of user inputs
	// unauthorized holds the tools whose authorization is missing, until a call of them succeeds.
	unauthorized   map[string]*UnauthorizedError
	untrustedText  dialect.SeenText // untrusted data read so far: the input and the results of tools
	untrustedInput dialect.SeenText // the untrusted input alone
	knownLinks     map[string]bool  // URLs in the data read so far; nil if the run read none
	reports        []*CallReport
	out            Outcome
}

func newRun(cfg Config) (*run, error) {
	texts, err := prompt.Load(cfg.Texts)
	if err != nil {
		return nil, err
	}
	if cfg.Dialect.Name == "" {
		cfg.Dialect, _ = dialect.Lookup("tool")
	}
	if cfg.Observe == nil {
		cfg.Observe = func(Event) {}
	}
	r := &run{cfg: cfg, journal: journal{to: cfg.Recorder}, texts: texts, answerSchema: cfg.Schema, boundary: newBoundary(cfg.Seed),
		needs: map[string]*Needs{}, userValues: map[string]map[string]string{}, callIDs: map[string]bool{}, succeeded: map[string]bool{},
		unauthorized: map[string]*UnauthorizedError{}}
	r.budget = newBudget(cfg.Limits)
	if err := r.loadHistory(); err != nil {
		return nil, err
	}
	if cfg.Tools != nil {
		r.defs = cfg.Tools.All()
	}
	if cfg.AskUser && len(r.defs) > 0 {
		r.defs = append(r.defs, tool.AskUser)
	}
	r.journal.state.Apply(cfg.Now, runfile.Run{InputLabels: policy.LabelNames(cfg.InputLabels())})
	r.seedUntrustedText()
	if r.answerSchema == nil {
		if r.answerSchema, err = defaultSchema(); err != nil {
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

// seedUntrustedText sets up the detection of echoed calls with the prompt and the input. A trusted
// input counts as the user's own words.
func (r *run) seedUntrustedText() {
	for _, h := range []*dialect.SeenText{&r.untrustedInput, &r.untrustedText} {
		h.AddUserText(r.cfg.Prompt)
		switch {
		case r.cfg.TrustInput:
			h.AddUserText(r.cfg.Input)
		case r.cfg.Input != "":
			h.Add([]byte(r.cfg.Input))
		}
	}
}

// newBoundary derives the boundary of the run from its seed: 128 bits in hex.
func newBoundary(seed [32]byte) string {
	var b [16]byte
	rand.NewChaCha8(seed).Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// defaultSchema returns the schema of answers if the caller gave none.
func defaultSchema() (*schema.Schema, error) {
	const text = `{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"],"additionalProperties":false}`
	s, findings := schema.Compile("answer", []byte(text))
	if s == nil {
		return nil, fmt.Errorf("answer schema: %v", findings)
	}
	return s, nil
}
