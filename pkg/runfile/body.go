package runfile

import (
	"encoding/json"
	"time"

	"oneshot/pkg/chat"
)

// A Body is the content of a record: one of the types of this package, as a
// value and not a pointer. Strings are kept as JSON strings, so bytes that are
// not UTF-8 become U+FFFD. Raw JSON keeps its digits, its key order and its
// escapes; only space between tokens is removed.
type Body interface {
	Kind() Kind
}

// Run is the first record: what the run was started with.
type Run struct {
	Version int       `json:"version"` // set by [Create]
	ID      string    `json:"id"`
	Seed    string    `json:"seed"` // hexadecimal; all randomness of the run
	Now     time.Time `json:"now"`  // the clock as the model sees it
	Zone    string    `json:"zone"`
	Model   string    `json:"model"`
	// Responder is the model that is asked for the answer, if it is another one.
	Responder string `json:"responder,omitempty"`
	Dialect   string `json:"dialect"`
	// AnswerForm is "text" if the model was asked for text, else "json".
	AnswerForm string `json:"answer_form,omitempty"`
	AskUser    bool   `json:"ask_user,omitempty"` // the model could ask the user
	Prompt     string `json:"prompt,omitempty"`   // the user's words
	Input      string `json:"input,omitempty"`    // the data that goes with them
	// InputSources are where the input came from, in its order.
	InputSources []InputSource `json:"input_sources,omitempty"`
	// InputLabels are those of the input: see package tool.
	InputLabels []string `json:"input_labels,omitempty"`
	Dir         string   `json:"dir,omitempty"` // the working directory
	// Options are the flags of the command line, as name=value, but for those that say where
	// the record and the answer go, and those that hold a secret.
	Options  []string        `json:"options,omitempty"`
	Withheld []string        `json:"secret_options,omitempty"` // names of flags that hold a secret
	Programs json.RawMessage `json:"programs,omitempty"`       // what programs of tools may have, if one can be run
	// Texts are the prompt texts of the run, by their names. A replay or a resumed run renders with them.
	Texts    map[string]string          `json:"texts,omitempty"`
	Resolved []Setting                  `json:"resolved,omitempty"` // what does not depend on the command line alone
	Digests  Digests                    `json:"digests"`
	Limits   Limits                     `json:"limits"`
	Params   map[string]json.RawMessage `json:"params,omitempty"` // see [chat.Request]
}

// An InputSource is the origin of a block of the input.
type InputSource struct {
	Name   string `json:"name"`   // of the block
	Origin string `json:"origin"` // file, pipe, socket or device
	Bytes  int    `json:"bytes"`
}

// A Setting is the value of a setting and where it came from: a flag, an environment variable or a default.
// Credentials are masked.
type Setting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"`
}

// Digests identify what a run was given, as "sha256:" and hexadecimal digits. A
// run can be continued only with the same.
type Digests struct {
	Prompt string            `json:"prompt,omitempty"`
	Tools  map[string]string `json:"tools,omitempty"` // of the definitions, by name
	Policy string            `json:"policy,omitempty"`
	// Managed is that of the policy of the administrator, which Policy includes.
	Managed string `json:"managed_policy,omitempty"`
	Schema  string `json:"schema,omitempty"`
}

// Limits are the budgets of a run. Zero means that there is none.
type Limits struct {
	Turns     int           `json:"turns,omitempty"`
	Calls     int           `json:"calls,omitempty"`
	Repeats   int           `json:"repeats,omitempty"` // identical calls
	Repairs   int           `json:"repairs,omitempty"` // of the answer
	Tokens    int           `json:"tokens,omitempty"`
	Wall      time.Duration `json:"wall_ns,omitempty"`
	FirstByte time.Duration `json:"first_byte_ns,omitempty"`
	Idle      time.Duration `json:"idle_ns,omitempty"`
}

// Request is one request to a model. It holds only what is new in it, so that a
// run file grows linearly with the run.
type Request struct {
	Turn     int             `json:"turn"`
	Purpose  chat.Purpose    `json:"purpose"`
	System   string          `json:"system,omitempty"` // in the first request
	Tools    []chat.Function `json:"tools,omitempty"`  // in the first request; see [chat.Request]
	Messages []chat.Message  `json:"messages"`         // those that no earlier request had
	Format   json.RawMessage `json:"format,omitempty"`
	AnyJSON  bool            `json:"any_json,omitempty"`
	Nonce    string          `json:"nonce,omitempty"` // the word behind the info string of fences in which calls count
	Digest   string          `json:"digest"`          // of the whole request
}

// Attempt is one try at the latest request that failed.
type Attempt struct {
	Turn int `json:"turn"`
	chat.Attempt
}

// Response is what the model said to the latest request.
type Response struct {
	Turn      int          `json:"turn"`
	Content   string       `json:"content"`
	Reasoning string       `json:"reasoning,omitempty"`
	Calls     []chat.Call  `json:"calls,omitempty"` // native calls
	Native    *chat.Native `json:"native,omitempty"`
	Stop      chat.Stop    `json:"stop"`
	Usage     chat.Usage   `json:"usage"`
	Pieces    int          `json:"delta_count,omitempty"` // it came in, where they are more than the tokens of the usage
	Model     string       `json:"model,omitempty"`
	By        string       `json:"by,omitempty"`         // who said it, as PROVIDER/NAME
	Broken    string       `json:"broken_off,omitempty"` // why it broke off; nothing in it counts then
	// Of a long response that broke off, the content and the reasoning are cut down to their heads. Tail is the end of the
	// content; Bytes and Digest are of the whole content, a zero byte and the whole reasoning.
	Tail   string `json:"content_tail,omitempty"`
	Bytes  int    `json:"bytes,omitempty"`
	Digest string `json:"digest,omitempty"`
}

// Call is one call of a response and what was decided about it. When a call is
// started early it stands before its response.
type Call struct {
	Turn      int             `json:"turn"`
	Index     int             `json:"index"` // place in the response, from 0
	ID        string          `json:"id"`    // unique in the run
	Name      string          `json:"name"`
	Proposed  json.RawMessage `json:"proposed,omitempty"`  // arguments as the model gave them
	Effective json.RawMessage `json:"effective,omitempty"` // arguments as they were run
	Digest    string          `json:"digest,omitempty"`    // of name and effective arguments: see [CallDigest]
	Effect    string          `json:"effect,omitempty"`
	Verdict   string          `json:"verdict"`
	Rule      string          `json:"rule,omitempty"`
	Why       string          `json:"why,omitempty"`
	Early     bool            `json:"early,omitempty"`
	Labels    []string        `json:"labels,omitempty"` // of its data: see package tool
}

// Approval is what was said about a call that the policy asks about.
type Approval struct {
	Call   string `json:"call"`   // its ID
	Digest string `json:"digest"` // of what was asked about
	// Approval identifies that together with the run and with what the call came to: see [chat.Preview].
	Approval string `json:"approval,omitempty"`
	Approved bool   `json:"approved"`
	By       string `json:"by"`           // who was asked: "tty", "program" or "flag"
	ID       string `json:"id,omitempty"` // that they gave their decision
	Why      string `json:"why,omitempty"`
	// Modified are the arguments with which the call is made, where they are not those that
	// were asked about; the members behind it are what the record of the call would then say.
	Modified       json.RawMessage `json:"modified,omitempty"`
	ModifiedDigest string          `json:"modified_digest,omitempty"`
	Rule           string          `json:"rule,omitempty"`
	Labels         []string        `json:"labels,omitempty"`
}

// Intent says that a call is about to change something outside the run.
type Intent struct {
	Call   string  `json:"call"`             // its ID
	Key    string  `json:"key,omitempty"`    // idempotency key
	Before *Before `json:"before,omitempty"` // of a call that replaces a file
}

// Before is the file that a call is about to replace.
type Before struct {
	State  string `json:"state"` // [chat.FileThere], [chat.FileMissing], or why its content is not known
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256,omitempty"` // of its content, in hexadecimal digits
	// Text is the file's content, or the first bytes of it if it is longer than [MaxBefore]; absent where that is
	// not text in UTF-8. Secrets are masked.
	Text      string `json:"text,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
}

// Result is what a call gave back. Data longer than [MaxResult] is kept cut: a
// JSON string with the beginning of its JSON text, Truncated set, and its full
// size in Bytes.
type Result struct {
	Call      string        `json:"call"`
	Result    chat.Result   `json:"result"`
	Duration  time.Duration `json:"duration_ns"`
	Truncated bool          `json:"truncated,omitempty"`
	Bytes     int           `json:"bytes,omitempty"`
	Labels    []string      `json:"labels,omitempty"` // of what it shows, beside those of its call
}

// Discarded says that a call's result did not enter the conversation.
type Discarded struct {
	Call string `json:"call"`
	Why  string `json:"why"`
}

// UnknownOutcome says that it cannot be found out whether a call took effect.
type UnknownOutcome struct {
	Call string `json:"call"`
	Key  string `json:"key,omitempty"`
}

// Answer is the checked answer of the run.
type Answer struct {
	JSON       json.RawMessage `json:"json"`
	FormatMode string          `json:"format_mode"` // how the model was held to the schema
	Repairs    int             `json:"repairs"`     // how often it had to be asked again
}

// UserInput is what the user said when a tool needed it: values by the names of what it needs.
type UserInput struct {
	Tool   string            `json:"tool"`
	Values map[string]string `json:"values"`
}

// A Retry says what has to happen before a command that failed can succeed.
type Retry string

// What has to happen first. After anything but RetryNo the work can still be done.
const (
	RetryNo          Retry = "no"           // nothing helps but another command
	RetryLater       Retry = "later"        // time has to pass
	RetryWithMore    Retry = "with_more"    // it needs a higher limit
	RetryWithInput   Retry = "with_input"   // it needs information or an approval
	RetryAfterRepair Retry = "after_repair" // credentials, disk or the like have to be put in order
	RetryByHand      Retry = "by_hand"      // somebody has to look at what has happened
)

// Retries returns all values of [Retry].
func Retries() []Retry {
	return []Retry{RetryNo, RetryLater, RetryWithMore, RetryWithInput, RetryAfterRepair, RetryByHand}
}

// End is the last record.
type End struct {
	Exit      int        `json:"exit"` // exit code
	Name      string     `json:"name"` // of the exit code
	Retry     Retry      `json:"retry,omitempty"`
	Retryable bool       `json:"retryable"`        // the identical command may be run again
	Resume    string     `json:"resume,omitempty"` // the command line that continues the run
	Why       string     `json:"why,omitempty"`
	Usage     chat.Usage `json:"usage"`
	Turns     int        `json:"turns"`
	Calls     int        `json:"calls"`
	// Labels are those of the data that the run has read: see package tool.
	Labels []string `json:"labels,omitempty"`
}

// Resumed says that the run goes on after it had ended or was cut off. The records behind
// the first Keep and before this one are void: see [Log.Standing].
type Resumed struct {
	Keep     int      `json:"kept_through"`
	Approve  []string `json:"approve,omitempty"`        // digests of calls that may be made
	Options  []string `json:"options,omitempty"`        // flags that were given anew, as in [Run]
	Withheld []string `json:"secret_options,omitempty"` // and those of them that hold a secret
	// Resolved are the settings of the resumed run, as in [Run].
	Resolved []Setting `json:"resolved,omitempty"`
}

// Kind returns [KindRun].
func (Run) Kind() Kind { return KindRun }

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
