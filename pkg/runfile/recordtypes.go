package runfile

import (
	"encoding/hex"
	"encoding/json"
	"time"

	"oneshot/pkg/chat"
)

// A Body is the content of a record: a value (not a pointer) of one of the types of this package.
// Strings are stored as JSON strings, so invalid UTF-8 becomes U+FFFD. Raw JSON keeps its digits,
// key order and escapes; only whitespace between tokens is removed.
type Body interface {
	Kind() Kind
}

// Run is the first record: the inputs and settings of the run.
type Run struct {
	Version int       `json:"version"` // set by [Create]
	ID      string    `json:"id"`
	Seed    string    `json:"seed"` // hexadecimal; source of all randomness in the run
	Now     time.Time `json:"now"`  // the clock shown to the model
	Zone    string    `json:"zone"`
	Model   string    `json:"model"`
	// Responder is the model that writes the answer, if it differs from Model.
	Responder string `json:"responder,omitempty"`
	Dialect   string `json:"dialect"`
	// AnswerForm is "text" if the answer is free text, else "json".
	AnswerForm string `json:"answer_form,omitempty"`
	AskUser    bool   `json:"ask_user,omitempty"` // the model could ask the user
	// LeakedCalls reports whether calls in the text count although calls are native.
	LeakedCalls bool   `json:"leaked_calls,omitempty"`
	Prompt      string `json:"prompt,omitempty"` // the user's prompt
	Input       string `json:"input,omitempty"`  // the data given with the prompt
	// InputSources are the origins of the input, in order.
	InputSources []InputSource `json:"input_sources,omitempty"`
	// Attachments are the images and documents that are sent with the prompt. [Attachment] records hold their data.
	Attachments []chat.Attachment `json:"attachments,omitempty"`
	// InputLabels are the labels of the input: see package tool.
	InputLabels []string `json:"input_labels,omitempty"`
	// Agent is the agent file of the run, nil for none. Its values are in Options and Resolved.
	Agent *Agent `json:"agent,omitempty"`
	Dir   string `json:"dir,omitempty"` // the working directory
	// Batch identifies the record of a batch that the run is for; nil for other runs.
	Batch *BatchRecord `json:"batch,omitempty"`
	// Options are the flags of the command line as name=value, except flags that name the
	// destination of the record or the answer, and flags that hold a secret.
	Options       []string        `json:"options,omitempty"`
	SecretOptions []string        `json:"secret_options,omitempty"` // names of flags that hold a secret
	Programs      json.RawMessage `json:"programs,omitempty"`       // access of tool programs, if the run can start any
	// Texts are the prompt texts of the run by name. A replay or a resumed run renders with them.
	Texts    map[string]string          `json:"texts,omitempty"`
	Resolved []Setting                  `json:"resolved,omitempty"` // settings that do not depend on the command line alone
	Digests  Digests                    `json:"digests"`
	Limits   Limits                     `json:"limits"`
	Params   map[string]json.RawMessage `json:"params,omitempty"` // see [chat.Request]
}

// SeedBytes returns the seed; ok is false if it is damaged.
func (r Run) SeedBytes() (seed [32]byte, ok bool) {
	raw, err := hex.DecodeString(r.Seed)
	if err != nil || len(raw) != len(seed) {
		return seed, false
	}
	return [32]byte(raw), true
}

// Clock returns the clock shown to the model, in its zone.
func (r Run) Clock() time.Time { return InZone(r.Now, r.Zone) }

// InZone returns a time in the named zone. If this machine does not know the zone, or knows it with
// another offset, the offset of the time is kept under that name.
func InZone(t time.Time, zone string) time.Time {
	_, offset := t.Zone()
	if loc, err := time.LoadLocation(zone); err == nil {
		if _, here := t.In(loc).Zone(); here == offset {
			return t.In(loc)
		}
	}
	return t.In(time.FixedZone(zone, offset))
}

// An Agent is the agent file of a run as it was when the run started. A resumed run does not read it.
type Agent struct {
	Name   string `json:"name"`
	File   string `json:"file"`
	Digest string `json:"digest"` // "sha256:" and hexadecimal digits of the bytes of the file
}

// A BatchRecord identifies a record of a batch.
type BatchRecord struct {
	Batch  string `json:"batch"`  // ID of the batch
	Record string `json:"record"` // ID of the record
	Index  int    `json:"index"`  // of the record in the input, from 1
	Input  string `json:"input"`  // digest of the record
	Plan   string `json:"plan"`   // digest of everything else that the run depends on
}

// An InputSource is the origin of a block of the input.
type InputSource struct {
	Name   string `json:"name"`   // of the block
	Origin string `json:"origin"` // file, pipe, socket, device or record
	Bytes  int    `json:"bytes"`
}

// Attachment is the data of attachments. Messages of requests refer to it by its digest.
type Attachment struct {
	SHA256 string `json:"sha256"`
	Data   []byte `json:"data"` // base64 in JSON
}

// A Setting is the value of a setting and where it came from: a flag, an environment variable or a default.
// Credentials are masked.
type Setting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"`
}

// Digests identify the inputs of a run, as "sha256:" and hexadecimal digits. A run can be resumed
// only with identical ones.
type Digests struct {
	Prompt string            `json:"prompt,omitempty"`
	Tools  map[string]string `json:"tools,omitempty"` // of the definitions, by name
	Policy string            `json:"policy,omitempty"`
	// Managed is the digest of the administrator's policy, which Policy includes.
	Managed string `json:"managed_policy,omitempty"`
	Schema  string `json:"schema,omitempty"`
}

// Limits are the budgets of a run. Zero means no limit.
type Limits struct {
	Turns     int           `json:"turns,omitempty"`
	Calls     int           `json:"calls,omitempty"`
	Repeats   int           `json:"repeats,omitempty"` // identical calls
	Repairs   int           `json:"repairs,omitempty"` // of the answer
	Tokens    int           `json:"tokens,omitempty"`
	Cost      chat.USD      `json:"cost_usd,omitempty"`
	Wall      time.Duration `json:"wall_ns,omitempty"`
	FirstByte time.Duration `json:"first_byte_ns,omitempty"`
	Idle      time.Duration `json:"idle_ns,omitempty"`
}

// Request is one request to a model. It holds only the messages that are new in it, so a run file
// grows linearly with the run.
type Request struct {
	Turn     int             `json:"turn"`
	Purpose  chat.Purpose    `json:"purpose"`
	System   string          `json:"system,omitempty"` // in the first request
	Tools    []chat.Function `json:"tools,omitempty"`  // in the first request; see [chat.Request]
	Messages []chat.Message  `json:"messages"`         // not in any earlier request
	Format   json.RawMessage `json:"format,omitempty"`
	AnyJSON  bool            `json:"any_json,omitempty"`
	Nonce    string          `json:"nonce,omitempty"` // required in the info string of fences whose calls count
	Digest   string          `json:"digest"`          // of the whole request
	// Waited is how long the run waited for a turn to send the request, because of limits that it shares with others. It does
	// not count as time of the run.
	Waited time.Duration `json:"waited_ns,omitempty"`
	// EstimatedTokens is the estimated input, and By the model that gets it as PROVIDER/NAME, the most expensive one of several.
	// They count if the run is cut off before the next record about the request: see [OpenRequest].
	EstimatedTokens int    `json:"estimated_tokens,omitempty"`
	By              string `json:"by,omitempty"`
}

// Waited returns how long the run waited for a turn before the record: see [Request].
func (r Record) Waited() time.Duration {
	switch b := r.Body.(type) {
	case Request:
		return b.Waited
	case Attempt:
		return b.Waited
	case Response:
		return b.Waited
	case End:
		return b.Waited
	}
	return 0
}

// Attempt is a failed try at the latest request.
type Attempt struct {
	Turn int `json:"turn"`
	chat.Attempt
	// Waited is how long the run waited for a turn between this attempt and the one before: see [Request].
	Waited time.Duration `json:"waited_ns,omitempty"`
}

// Response is the model's response to the latest request.
type Response struct {
	Turn       int          `json:"turn"`
	Content    string       `json:"content"`
	Reasoning  string       `json:"reasoning,omitempty"`
	Calls      []chat.Call  `json:"calls,omitempty"` // native calls
	Native     *chat.Native `json:"native,omitempty"`
	Stop       chat.Stop    `json:"stop"`
	Usage      chat.Usage   `json:"usage"`
	DeltaCount int          `json:"delta_count,omitempty"` // number of stream deltas, if more than the tokens of the usage
	Model      string       `json:"model,omitempty"`
	By         string       `json:"by,omitempty"`         // model that responded, as PROVIDER/NAME
	BrokenOff  string       `json:"broken_off,omitempty"` // why the response broke off; its content is then ignored
	// Waited is how long the run waited for a turn after a failed attempt: see [Request].
	Waited time.Duration `json:"waited_ns,omitempty"`
	// If a long response broke off, the content and the reasoning are truncated to their heads. Tail is the end of the
	// content; Bytes and Digest cover the whole content, a zero byte and the whole reasoning.
	Tail   string `json:"content_tail,omitempty"`
	Bytes  int    `json:"bytes,omitempty"`
	Digest string `json:"digest,omitempty"`
}

// Call is one call of a response and the decision about it. The record of a call that starts early
// precedes the record of its response.
type Call struct {
	Turn      int             `json:"turn"`
	Index     int             `json:"index"` // position in the response, from 0
	ID        string          `json:"id"`    // unique in the run
	Name      string          `json:"name"`
	Proposed  json.RawMessage `json:"proposed,omitempty"`  // arguments as the model gave them
	Effective json.RawMessage `json:"effective,omitempty"` // arguments as executed
	Digest    string          `json:"digest,omitempty"`    // of name and effective arguments: see [CallDigest]
	Effect    string          `json:"effect,omitempty"`
	Verdict   string          `json:"verdict"`
	Rule      string          `json:"rule,omitempty"`
	Why       string          `json:"why,omitempty"`
	Early     bool            `json:"early,omitempty"`
	Labels    []string        `json:"labels,omitempty"` // of its data: see package tool
}

// Approval is the decision about a call for which the policy requires approval.
type Approval struct {
	Call   string `json:"call"`   // its ID
	Digest string `json:"digest"` // of the call submitted for approval
	// Approval identifies the call together with the run and its preview: see [chat.CallPreview].
	Approval string `json:"approval,omitempty"`
	Approved bool   `json:"approved"`
	By       string `json:"by"`           // source of the decision: "tty", "program" or "flag"
	ID       string `json:"id,omitempty"` // the approver's ID for the decision
	Why      string `json:"why,omitempty"`
	// Modified are the arguments of the call if the approver changed them. The members below it then
	// override those of the call's record.
	Modified       json.RawMessage `json:"modified,omitempty"`
	ModifiedDigest string          `json:"modified_digest,omitempty"`
	Rule           string          `json:"rule,omitempty"`
	Labels         []string        `json:"labels,omitempty"`
}

// Intent records that a call is about to change something outside the run.
type Intent struct {
	Call   string       `json:"call"`             // its ID
	Key    string       `json:"key,omitempty"`    // idempotency key
	Before *BeforeImage `json:"before,omitempty"` // for a call that replaces a file
}

// BeforeImage describes the file that a call is about to replace.
type BeforeImage struct {
	State  string `json:"state"` // [chat.FilePresent], [chat.FileMissing], or why the content is not known
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256,omitempty"` // of its content, in hexadecimal digits
	// Text is the file's content, truncated to [MaxBeforeText] bytes; absent if that is not UTF-8 text.
	// Secrets are masked.
	Text      string `json:"text,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
}

// Result is the result of a call. Data longer than [MaxResult] is truncated: it becomes a JSON
// string with the beginning of its JSON text, Truncated is set, and Bytes is the full size.
type Result struct {
	Call      string        `json:"call"`
	Result    chat.Result   `json:"result"`
	Duration  time.Duration `json:"duration_ns"`
	Truncated bool          `json:"truncated,omitempty"`
	Bytes     int           `json:"bytes,omitempty"`
	Labels    []string      `json:"labels,omitempty"` // of its data, in addition to those of its call
	// Cached identifies the earlier call that has this result, if the tool did not run.
	Cached *chat.CacheOrigin `json:"cached,omitempty"`
}

// Discarded records that a call's result did not enter the conversation.
type Discarded struct {
	Call string `json:"call"`
	Why  string `json:"why"`
}

// UnknownOutcome records that the effect of a call cannot be determined.
type UnknownOutcome struct {
	Call string `json:"call"`
	Key  string `json:"key,omitempty"`
}

// Answer is the checked answer of the run.
type Answer struct {
	JSON       json.RawMessage `json:"json"`
	FormatMode string          `json:"format_mode"` // how the schema was enforced
	Repairs    int             `json:"repairs"`     // number of repair requests
}

// UserInput is the user's reply to a tool that needs input: values by field name.
type UserInput struct {
	Tool   string            `json:"tool"`
	Values map[string]string `json:"values"`
}

// A Retry is the condition under which a failed command can succeed later.
type Retry string

// The values of Retry. The work can still be completed after all but RetryNo.
const (
	RetryNo          Retry = "no"           // only a different command helps
	RetryLater       Retry = "later"        // the same command may succeed later
	RetryWithMore    Retry = "with_more"    // needs a higher limit
	RetryWithInput   Retry = "with_input"   // needs information or an approval
	RetryAfterRepair Retry = "after_repair" // credentials, disk or similar must be fixed first
	RetryByHand      Retry = "by_hand"      // a person must check the effects first
)

// Retries returns all values of [Retry].
func Retries() []Retry {
	return []Retry{RetryNo, RetryLater, RetryWithMore, RetryWithInput, RetryAfterRepair, RetryByHand}
}

// End is the last record.
type End struct {
	Agent     string     `json:"agent,omitempty"` // name of the agent of the run
	Exit      int        `json:"exit"`            // exit code
	Name      string     `json:"name"`            // of the exit code
	Retry     Retry      `json:"retry,omitempty"`
	Retryable bool       `json:"retryable"`        // the identical command may be run again
	Resume    string     `json:"resume,omitempty"` // command line that resumes the run
	Why       string     `json:"why,omitempty"`
	Hint      string     `json:"hint,omitempty"` // how to fix it
	Usage     chat.Usage `json:"usage"`
	Cost      chat.Cost  `json:"cost_usd"`
	// Models are the parts of usage and cost by model, those used first first.
	Models []chat.ModelUsage `json:"models,omitempty"`
	// Tools are the outcomes of the calls by tool, in alphabetical order.
	Tools []ToolCount `json:"tools,omitempty"`
	Turns int         `json:"turns"`
	Calls int         `json:"calls"`
	// Duration is how long the run was active; see [ActiveTime]. The writer sets it.
	Duration time.Duration `json:"duration_ns,omitempty"`
	// Waited is how long the run waited for a request or an attempt that was not sent: see [Request].
	Waited time.Duration `json:"waited_ns,omitempty"`
	// Labels are the labels of the data that the run has read: see package tool.
	Labels []string `json:"labels,omitempty"`
	// Warnings are the reasons why the answer needs care, and why another output, such as the events, is incomplete.
	Warnings []string `json:"warnings,omitempty"`
}

// A ToolCount counts the calls of a tool by outcome.
type ToolCount struct {
	Tool  string `json:"tool"`
	Calls int    `json:"calls"`
	OK    int    `json:"ok"`
	Needs int    `json:"needs,omitempty"` // asked for information
	// Failures counts the other calls by reason: an error code, or the status of a call that was not run.
	Failures map[string]int `json:"failures,omitempty"`
}

// Add counts a call by its outcome: "ok", "needs" or a reason.
func (c *ToolCount) Add(outcome string) {
	switch c.Calls++; outcome {
	case "ok":
		c.OK++
	case "needs":
		c.Needs++
	default:
		if c.Failures == nil {
			c.Failures = map[string]int{}
		}
		c.Failures[outcome]++
	}
}

// ModelSetting is the name of the setting with a model; a run with fallbacks has several.
const ModelSetting = "model"

// PriceSetting begins the name of the setting with the price of a model, whose name follows. Its value is JSON, see package
// pricing, or another text if the price is unknown.
const PriceSetting = "price "

// Resumed records that the run was resumed after it ended or was interrupted. The records after KeptThrough and before this
// one are void: see [Log.LiveRecords].
type Resumed struct {
	KeptThrough   int      `json:"kept_through"`             // sequence number of the last record kept
	Approve       []string `json:"approve,omitempty"`        // digests of approved calls
	Options       []string `json:"options,omitempty"`        // flags that were given again, as in [Run]
	SecretOptions []string `json:"secret_options,omitempty"` // names of those that hold a secret
	// Resolved are the settings of the resumed run, as in [Run].
	Resolved []Setting `json:"resolved,omitempty"`
}

// Kind returns [KindRun].
func (Run) Kind() Kind { return KindRun }

// Kind returns [KindAttachment].
func (Attachment) Kind() Kind { return KindAttachment }

// Kind returns [KindRequest].
func (Request) Kind() Kind { return KindRequest }

// Kind returns [KindAttempt].
func (Attempt) Kind() Kind { return KindAttempt }

// Kind returns [KindResponse].
func (Response) Kind() Kind { return KindResponse }

// Kind returns [KindCall].
func (Call) Kind() Kind { return KindCall }

// Kind returns [KindApproval].
func (Approval) Kind() Kind { return KindApproval }

// Kind returns [KindIntent].
func (Intent) Kind() Kind { return KindIntent }

// Kind returns [KindResult].
func (Result) Kind() Kind { return KindResult }

// Kind returns [KindDiscarded].
func (Discarded) Kind() Kind { return KindDiscarded }

// Kind returns [KindUnknownOutcome].
func (UnknownOutcome) Kind() Kind { return KindUnknownOutcome }

// Kind returns [KindAnswer].
func (Answer) Kind() Kind { return KindAnswer }

// Kind returns [KindUserInput].
func (UserInput) Kind() Kind { return KindUserInput }

// Kind returns [KindEnd].
func (End) Kind() Kind { return KindEnd }

// Kind returns [KindResumed].
func (Resumed) Kind() Kind { return KindResumed }
