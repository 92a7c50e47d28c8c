package agent

import (
	"context"
	"encoding/json"
	"io/fs"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/dialect"
	"oneshot/pkg/policy"
	"oneshot/pkg/runfile"
	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
)

// A Model answers one request. Deltas arrive in the calling goroutine while the response streams,
// and their contents add up to the content of the response. An attempt is retried only before its
// first delta; every failed attempt is reported as a delta, and its retry as another one when it
// is sent. Reply returns soon after its context ends.
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

// A GateConfig is everything the calls of a [Gate] depend on. Runner is required if there are tools.
type GateConfig struct {
	Runner Runner
	Tools  *tool.Registry // nil for no tools
	ID     string         // of the run; part of its idempotency keys
	Seed   [32]byte       // of all random values of the run
	Limits Limits
	Policy policy.Policy
	// Trusted means that a person wrote the calls, not a model.
	Trusted bool
	// AskUser offers [tool.AskUser] beside the tools. Without an answer the run ends at once.
	AskUser bool
	// Resolve returns the real path of a file, with symbolic links resolved; nil if no tool touches
	// files.
	Resolve func(path string) (string, error)
	// Preview returns the effects of a call. Approvers see them, and an approval is bound to them. Nil
	// if there are no previews.
	Preview func(def *tool.Definition, args json.RawMessage) chat.CallPreview
	// BeforeImage describes the file that a call is about to replace, for the record of the intent; it
	// returns nil if the call replaces no file. BeforeImage may be nil.
	BeforeImage func(def *tool.Definition, args json.RawMessage) *runfile.BeforeImage
	// ContinueDenied continues the run after a denied write; otherwise the first one ends it.
	ContinueDenied bool
	// ReportUnknownOutcome makes a resumed run report a change with an unknown outcome to the model;
	// otherwise such a change ends the run. A policy rule takes precedence.
	ReportUnknownOutcome bool
	// Approver decides on calls for which the policy requires approval; nil if there is no approver.
	Approver Approver
	// Replay marks a replay with the recorded results: no call waits for its rate limit.
	Replay   bool
	Recorder Recorder    // nil for no record
	Observe  func(Event) // receives the events of the run, in order; may be nil

	recordedWording recordedWording // of the run that is replayed or resumed, set by [Restore]
}

// A Config is everything a run depends on. Model, Texts and Prompt are required.
type Config struct {
	GateConfig
	Model       Model
	AnswerModel Model // gives the final answer; nil: Model
	// Limiter limits the requests of this run together with those of other runs; nil if there is none.
	Limiter RequestLimiter
	Texts   fs.FS // prompt texts: those of package prompts or the caller's own
	// Native makes the model call through the tool-call field of its server. If the server rejects
	// tools before the first call, the run falls back to the dialect.
	Native bool
	// RunLeakedCalls reads calls in the text of a reply without native calls, in any dialect, under the rules of written
	// calls, because some servers pass them on as text. Nonce takes precedence.
	RunLeakedCalls bool
	NativeOnly     bool            // no fallback: a server that rejects tools is an error
	Dialect        dialect.Dialect // of written calls; the zero value is the dialect "tool"
	// Nonce restricts written calls to fences that carry a random word of the run, known only to the
	// model. It needs a dialect whose fences can be marked.
	Nonce bool

	System string // base of the system prompt
	Prompt string // the user's prompt
	Input  string // data for the prompt
	// Attachments are images and documents that are sent with the prompt. They are data, as Input is.
	Attachments []chat.Attachment
	// TrustInput declares the input to be the caller's own words: it gets no untrusted label, and calls
	// spelled out in it are not denied as echoes.
	TrustInput        bool
	Schema            *schema.Schema // of the answer; nil for {"answer": string}
	TextAnswer        bool           // the model answers in text, which becomes {"answer": text}; only without a schema
	AnswerDescription string         // describes the answer to the model
	ObserveContent    bool           // Observe receives the content outside calls and reasoning while it arrives

	Prices Prices                     // required if Limits.Cost is set
	Params map[string]json.RawMessage // sampling and server options, in the server's names
	Now    time.Time                  // the date and time that the model sees, in the run's time zone
	// UserAnswers are the user's values for fields that tools need, by field name.
	UserAnswers map[string]string
	// PromptUser asks the user for needed fields that have no value in UserAnswers; ok is false without
	// an answer. PromptUser may be nil.
	PromptUser func(ctx context.Context, n Needs) (values map[string]string, ok bool)
	// RecordedUserInput are the user's values in the replayed run, in order. They take precedence over
	// UserAnswers.
	RecordedUserInput []runfile.UserInput
	// RequiredTools names tools that must each have a successful call before the run may answer.
	RequiredTools []string

	// ResumePoints are the turns at which the run ended and was resumed: see [Resume]. There, useless
	// replies and repairs are counted anew.
	ResumePoints []int
	// History are the records that a resumed run repeats: see [Resume].
	History []runfile.Record
	// Spent is the usage of each earlier request that the resumed or replayed run does not repeat: see [Resume] and [Restore].
	Spent []chat.ModelUsage
	// Elapsed is the part of Limits.Wall used before the run was resumed.
	Elapsed time.Duration
}

// validate rejects a configuration without a field that every run needs.
func (c Config) validate() error {
	_, isUnpriced := c.UnknownPrice()
	switch {
	case c.Model == nil:
		return &ConfigError{"Model"}
	case c.Texts == nil:
		return &ConfigError{"Texts"}
	case c.Tools != nil && c.Runner == nil:
		return &ConfigError{"Runner"}
	case c.Limits.Cost > 0 && (isUnpriced || len(c.Prices.Turn) == 0):
		return &ConfigError{"Prices"}
	}
	return nil
}

// inputLabels returns the labels of the run's input; nil without an input.
func (c Config) inputLabels() []tool.Label {
	if c.Input == "" && len(c.Attachments) == 0 {
		return nil
	}
	return c.Policy.InputLabels(c.TrustInput)
}
