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
	Text      string // for people
	Retryable bool   // may the same call succeed later?
}

// ErrorCodes lists every error code there is.
var ErrorCodes = []ErrorCodeDoc{
	{InvalidArguments, "The arguments do not fit the tool's parameters.", false},
	{UnknownTool, "No tool of that name may be used in this run.", false},
	{Unauthorized, "The authorisation is missing or has expired.", false},
	{ScopesMissing, "The run has not been granted a scope that the tool needs.", false},
	{ConnectionInactive, "The connection that the tool works through is switched off.", false},
	{Denied, "The policy of this run does not allow the call.", false},
	{NotFound, "What the call names does not exist.", false},
	{Conflict, "What the call would change has changed meanwhile.", false},
	{RateLimited, "The tool may not be called again yet.", true},
	{Timeout, "The tool did not finish in time.", true},
	{TooLarge, "The input or output is over the tool's size limit.", false},
	{Unavailable, "The service that the tool talks to cannot be reached.", true},
	{UnknownOutcome, "It is not known whether the call took effect; it was not repeated.", false},
	{Failed, "The tool failed.", false},
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
