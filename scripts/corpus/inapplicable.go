package main

import "strings"

// inapplicableKinds are the kinds and labels of rows about
// something that oneshot does not do, with the reason.
var inapplicableKinds = map[string]string{
	"closeTag":                         "makes a closing tag of an opening one for a prompt: nothing is read",
	"splitAtCodeblocksAndNewLines":     "cuts a text at fences and line ends, a step inside another parser",
	"getStringArg":                     "asks for one argument of a call that has been read; here a schema says what arguments must be",
	"getOptionalStringArg":             "asks for one argument of a call that has been read; here a schema says what arguments must be",
	"getBooleanArg":                    "asks for one argument of a call that has been read; here a schema says what arguments must be",
	"getNumberArg":                     "asks for one argument of a call that has been read; here a schema says what arguments must be",
	"swe_agent:ActionParser":           "the whole reply is one shell command: there are no calls",
	"swe_agent:Identity":               "the whole reply is the action: there are no calls",
	"swe_agent:ThoughtActionParser":    "the last fence holds a shell command: there are no calls",
	"swe_agent:XMLThoughtActionParser": "the <command> tags hold a shell command: there are no calls",
	"partial-json":                     "completes JSON that was cut off (partial_json_parser, vercel_fixjson, langchainjs_json): here a cut call is reported and never completed",
	"extract-json":                     "cuts JSON out of a text (instructor): here only calls are taken out of text",
	"swe_agent:JsonParser":             "the call is a member of an object that says more; a call nested in another object is never one here",
}

// inapplicableReason returns why a row does not apply to oneshot.
func inapplicableReason(r *row) (why string, ok bool) {
	if r.Dialect == "swe_agent:FunctionCallingParser" && r.Error != nil && !strings.Contains(textOf(r.Error), "not valid JSON") {
		return "the program wants exactly one call, of its own commands: a rule of a run, not of reading", true
	}
	switch r.Kind {
	case "json-repair":
		return repairInapplicable(r)
	}
	if why, ok := inapplicableKinds[r.Dialect]; ok {
		return why, true
	}
	why, ok = inapplicableKinds[r.Kind]
	return why, ok
}

// repairInapplicable returns why a row about repairs has nothing to repair.
func repairInapplicable(r *row) (why string, ok bool) {
	failure := textOf(r.Error)
	switch {
	case r.Schema != nil:
		return "a schema decides what the value is: here a schema only checks it", true
	case strings.Contains(failure, "cannot be used together"), strings.Contains(failure, "requires schema"):
		return "the arguments of the tested function contradict each other", true
	case r.Input == "" && r.Value != nil:
		return "the text is in a file that the row does not have", true
	case r.Value == nil && r.JSON == nil && r.Error == nil:
		return "nothing is expected", true
	case strings.Contains(failure, "nested too deep") || strings.Contains(failure, "recursion"):
		return "the schema that is refused is not in the row", true
	}
	return "", false
}
