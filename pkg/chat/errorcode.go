package chat

// An ErrorCode names one way a call can fail. The list is closed.
type ErrorCode string

// The error codes of results.
const (
	InvalidArguments   ErrorCode = "INVALID_ARGUMENTS"
	UnknownTool        ErrorCode = "UNKNOWN_TOOL"
	Unauthorized       ErrorCode = "UNAUTHORIZED"
	ScopesMissing      ErrorCode = "SCOPES_MISSING"
	ConnectionInactive ErrorCode = "CONNECTION_INACTIVE"
	Denied             ErrorCode = "DENIED"
	NotFound           ErrorCode = "NOT_FOUND"
	Conflict           ErrorCode = "CONFLICT"
	RateLimited        ErrorCode = "RATE_LIMITED"
	Timeout            ErrorCode = "TIMEOUT"
	TooLarge           ErrorCode = "TOO_LARGE"
	Unavailable        ErrorCode = "UNAVAILABLE"
	UnknownOutcome     ErrorCode = "UNKNOWN_OUTCOME"
	Failed             ErrorCode = "FAILED"
)

// An ErrorCodeDoc documents an error code.
type ErrorCodeDoc struct {
	Code      ErrorCode
	Text      string // what has happened, for people
	Help      string // what they can do
	Retryable bool   // may the same call succeed later?
}

// ErrorCodes lists every error code there is.
var ErrorCodes = []ErrorCodeDoc{
	{InvalidArguments, "The arguments do not fit the tool's parameters, or name something that nobody said.", "Nothing; the model is told what is wrong.", false},
	{UnknownTool, "No tool of that name may be used in this run.", "Name the tool with --tool, if the run is to have it.", false},
	{Unauthorized, "The authorisation is missing or has expired.", "Renew it; the key renew of the definition says how.", false},
	{ScopesMissing, "The run has not been granted a scope that the tool needs.", "Grant it with --scope.", false},
	{ConnectionInactive, "The run has not been given the connection that the tool works through.", "Give it with --connection.", false},
	{Denied, "The policy of this run, or the tool, does not allow the call.", "Look at the rule in the run file; --allow or --policy may allow it.", false},
	{NotFound, "What the call names does not exist.", "Nothing; the model is told.", false},
	{Conflict, "What the call would change is not as the call takes it to be.", "Run again; the model reads the new state.", false},
	{RateLimited, "There were too many calls, for the policy or for the service.", "Wait, or raise the limit in the policy.", true},
	{Timeout, "The tool did not finish in time.", "Raise timeout in the definition, if it needs longer.", true},
	{TooLarge, "The input or the output is over a size limit.", "Raise limit.bytes in the definition or the policy.", false},
	{Unavailable, "The service that the tool talks to cannot be reached.", "Run again later.", true},
	{UnknownOutcome, "It is not known whether the call took effect; it was not repeated.", "Look whether it did.", false},
	{Failed, "The tool failed in some other way.", "Look at the message.", false},
}

// Doc returns the documentation of a code; an unknown code has only its name.
func (c ErrorCode) Doc() ErrorCodeDoc {
	for _, d := range ErrorCodes {
		if d.Code == c {
			return d
		}
	}
	return ErrorCodeDoc{Code: c}
}
