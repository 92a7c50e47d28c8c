package chat

// An ErrorCode is a reason for a failed call. The list is closed.
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
	Text      string // description for people
	Help      string // advice on how to fix the cause
	Retryable bool   // the same call may succeed later
}

// ErrorCodes documents every error code.
var ErrorCodes = []ErrorCodeDoc{
	{InvalidArguments, "The arguments do not fit the tool's parameters, or name something that was never mentioned.", "Nothing: the model gets the error.", false},
	{UnknownTool, "The run has no tool with that name.", "Enable the tool with --tool if the run needs it.", false},
	{Unauthorized, "The authorization is missing or has expired.", "Renew it as described in the definition's renew key.", false},
	{ScopesMissing, "The run lacks a scope that the tool needs.", "Grant it with --scope.", false},
	{ConnectionInactive, "The run lacks the connection that the tool uses.", "Pass it with --connection.", false},
	{Denied, "The run's policy, or the tool, denies the call.", "See the rule in the run file; --allow or --policy may allow the call.", false},
	{NotFound, "The target of the call does not exist.", "Nothing: the model gets the error.", false},
	{Conflict, "The target of the call has changed since the model read it.", "Run again; the model reads the new state.", false},
	{RateLimited, "The call exceeds a rate limit of the policy or the service.", "Wait, or raise the limit in the policy.", true},
	{Timeout, "The tool did not finish in time.", "Raise timeout in the definition if the tool needs longer.", true},
	{TooLarge, "The input or the output exceeds a size limit.", "Raise limit.bytes in the definition or the policy.", false},
	{Unavailable, "The tool's service cannot be reached.", "Run again later.", true},
	{UnknownOutcome, "It is unknown whether the call took effect; it was not repeated.", "Check whether it did.", false},
	{Failed, "The tool failed for another reason.", "Read the message.", false},
}

// Doc returns the documentation of a code. That of an unknown code has only the code.
func (c ErrorCode) Doc() ErrorCodeDoc {
	for _, d := range ErrorCodes {
		if d.Code == c {
			return d
		}
	}
	return ErrorCodeDoc{Code: c}
}
