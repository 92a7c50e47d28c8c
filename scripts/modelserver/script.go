package modelserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A Reply is the server's response to one request: actions, in order.
type Reply struct {
	actions []action
	early   bool // the connection is reset before the request's body is read
}

// An action is one step of a reply.
type action func(*player)

// A ScriptError reports an invalid line of a file.
type ScriptError struct {
	File string
	Line int // from 1; 0 where the whole file is meant
	Why  string
}

func (e *ScriptError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Why
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Why)
}

// ReadScript reads the replies of a folder: the file N.EXT is the reply to the
// Nth request, N-M.EXT that to each from the Nth to the Mth, and EXT is the
// kind of file:
//
//	N.txt     a text, then a clean stop
//	N.length  a text, then a stop at the token limit
//	N.cut     a text, then the body breaks off
//	N.hang    a text, then silence until the client goes away
//	N.raw     the body, unchanged
//	N.http    a status line, header lines, an empty line, and the body
//	N.play    actions, one a line; see [ParsePlay]
//
// ADDRESS in a file is replaced by the server's address.
func ReadScript(dir, address string) (map[int]Reply, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.*"))
	if err != nil {
		return nil, err
	}
	script := map[int]Reply{}
	for _, file := range files {
		reply, err := readReply(file, address)
		if err != nil {
			return nil, err
		}
		first, last, ok := requestRange(file)
		if !ok {
			return nil, &ScriptError{File: file, Why: "its name is not the number of a request"}
		}
		for n := first; n <= last; n++ {
			if _, twice := script[n]; twice {
				return nil, &ScriptError{File: file, Why: "another file is the reply to the same request"}
			}
			script[n] = reply
		}
	}
	if len(script) == 0 {
		return nil, &ScriptError{File: dir, Why: "there is no reply"}
	}
	return script, nil
}

// requestRange returns the numbers of the requests that a file replies to.
func requestRange(file string) (first, last int, ok bool) {
	stem, _, _ := strings.Cut(filepath.Base(file), ".")
	from, to, several := strings.Cut(stem, "-")
	if !several {
		to = from
	}
	first, err := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	return first, last, err == nil && err2 == nil && 0 < first && first <= last && last < 100
}

func readReply(file, address string) (Reply, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return Reply{}, err
	}
	text := strings.TrimSuffix(strings.ReplaceAll(string(content), "ADDRESS", address), "\n")
	switch filepath.Ext(file) {
	case ".txt":
		return Text(text), nil
	case ".length":
		return newReply(textAction(text), stopAction("length")), nil
	case ".cut":
		return newReply(textAction(text), (*player).cutConnection), nil
	case ".hang":
		return newReply(textAction(text), (*player).hang), nil
	case ".raw":
		return newReply(rawAction(text)), nil
	case ".http":
		return parseHTTP(file, text)
	case ".play":
		return ParsePlay(file, text)
	}
	return Reply{}, &ScriptError{File: file, Why: "no reply has this extension"}
}

func newReply(actions ...action) Reply { return Reply{actions: actions} }

// Text returns a reply with a text and a clean end.
func Text(text string) Reply { return newReply(textAction(text), stopAction("")) }

// parseHTTP parses a whole response: status, headers, body.
func parseHTTP(file, text string) (Reply, error) {
	head, body, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	code, _, _ := strings.Cut(lines[0], " ")
	first, err := parseStatus(code)
	if err != nil {
		return Reply{}, &ScriptError{file, 1, err.Error()}
	}
	reply := newReply(first)
	for i, line := range lines[1:] {
		header, err := parseHeader(line)
		if err != nil {
			return Reply{}, &ScriptError{file, i + 2, err.Error()}
		}
		reply.actions = append(reply.actions, header)
	}
	reply.actions = append(reply.actions, rawAction(body))
	return reply, nil
}

// verbs are the actions of a script, by the first word of their line. Contents
// are encoded in the protocol of the request.
var verbs = map[string]func(argument string) (action, error){
	"status": parseStatus, // first, if it is not 200
	"header": parseHeader, // NAME: VALUE

	"whole":  withoutArgument((*player).answerWhole), // one JSON body, although the client asked for a stream
	"pieces": parsePieces,                            // characters a piece, 0 for all in one; 5 otherwise
	"usage":  parseUsage,                             // INPUT OUTPUT: tokens; 100 and 20 otherwise
	"drip":   withDuration((*player).setPause),       // from here on each byte by itself, after a pause

	"think":  withText(reasoningAction),                  // reasoning
	"sign":   withText(signatureAction),                  // ends the reasoning with its signature
	"text":   withText(textAction),                       // two in a row are one text
	"with":   parseMembers,                               // JSON members that the next text or call has, too
	"call":   parseCall((*player).addCall),               // ID NAME JSON: a native call; "-" for no ID
	"open":   parseCall((*player).addOpenCall),           // the same, without its end
	"stop":   withText(stopAction),                       // the clean end; "length", or a reason to send unchanged
	"error":  withText(errorAction),                      // an error of the server
	"splice": withoutArgument((*player).beginNewMessage), // another response begins in the same body
	"raw":    parseRaw,                                   // bytes, unchanged

	"socket": withText(socketWriteAction), // bytes on the connection, instead of all HTTP; then it is closed

	"wait":  withDuration((*player).wait),              // a pause; the text before it has been sent
	"mark":  withoutArgument((*player).reportSendTime), // reports the time to the owner of the server
	"mute":  withDuration((*player).sendKeepAlives),    // nothing but keep-alives with this pause, for ever
	"hang":  withoutArgument((*player).hang),           // silence, until the client goes away
	"cut":   withoutArgument((*player).cutConnection),  // the body breaks off
	"reset": withoutArgument((*player).reset),          // the connection is reset
}

// ParsePlay parses a script of actions, one per line: a verb, a space and its
// argument. Empty lines and lines that begin with "#" are ignored. The line
// "early" resets the connection before the body of the request is read.
//
// Text may be quoted as in Go, for line breaks and invalid
// bytes. {64MB} or {10KB} anywhere means that many "x", and {in 3s} in
// a header means the time three seconds later in the format of headers.
func ParsePlay(file, text string) (Reply, error) {
	var reply Reply
	for i, line := range strings.Split(text, "\n") {
		verb, argument, _ := strings.Cut(strings.TrimSpace(line), " ")
		if verb == "" || strings.HasPrefix(verb, "#") {
			continue
		}
		if verb == "early" {
			reply.early = true
			continue
		}
		parse, known := verbs[verb]
		if !known {
			return Reply{}, &ScriptError{file, i + 1, fmt.Sprintf("%q is no action", verb)}
		}
		a, err := parse(expandFillers(argument))
		if err != nil {
			return Reply{}, &ScriptError{file, i + 1, err.Error()}
		}
		reply.actions = append(reply.actions, a)
	}
	return reply, nil
}

var filler = regexp.MustCompile(`\{(\d+)(KB|MB)\}`)

// expandFillers replaces each filler by as many "x" as it states.
func expandFillers(argument string) string {
	return filler.ReplaceAllStringFunc(argument, func(text string) string {
		size := filler.FindStringSubmatch(text)
		n, err := strconv.Atoi(size[1])
		if err != nil || n > 1024 {
			return text
		}
		return strings.Repeat("x", n*map[string]int{"KB": 1 << 10, "MB": 1 << 20}[size[2]])
	})
}

var delay = regexp.MustCompile(`\{in (\d+)s\}`)

// expandDates replaces each delay by the time after it, in the format of headers.
func expandDates(value string) string {
	return delay.ReplaceAllStringFunc(value, func(text string) string {
		d, err := time.ParseDuration(delay.FindStringSubmatch(text)[1] + "s")
		if err != nil {
			return text
		}
		return time.Now().Add(d).UTC().Format(http.TimeFormat)
	})
}

// unquote returns a text that may be quoted.
func unquote(text string) (string, error) {
	if !strings.HasPrefix(text, `"`) {
		return text, nil
	}
	return strconv.Unquote(text)
}

func withText(make func(string) action) func(string) (action, error) {
	return func(argument string) (action, error) {
		text, err := unquote(argument)
		return make(text), err
	}
}

func withoutArgument(a action) func(string) (action, error) {
	return func(argument string) (action, error) {
		if argument != "" {
			return nil, fmt.Errorf("nothing belongs after it: %q", argument)
		}
		return a, nil
	}
}

func withDuration(do func(*player, time.Duration)) func(string) (action, error) {
	return func(argument string) (action, error) {
		d, err := time.ParseDuration(argument)
		return func(p *player) { do(p, d) }, err
	}
}

func parseStatus(argument string) (action, error) {
	code, err := strconv.Atoi(argument)
	return func(p *player) { p.status = code }, err
}

func parseHeader(argument string) (action, error) {
	name, value, found := strings.Cut(argument, ":")
	if !found {
		return nil, fmt.Errorf("%q is no header", argument)
	}
	return func(p *player) { p.w.Header().Add(name, expandDates(strings.TrimSpace(value))) }, nil
}

func parsePieces(argument string) (action, error) {
	n, err := strconv.Atoi(argument)
	return func(p *player) { p.pieces = n }, err
}

func parseUsage(argument string) (action, error) {
	var input, output int
	_, err := fmt.Sscan(argument, &input, &output)
	return func(p *player) { p.message.input, p.message.output = input, output }, err
}

func parseMembers(argument string) (action, error) {
	var members map[string]json.RawMessage
	err := json.Unmarshal([]byte(argument), &members)
	return func(p *player) { p.members = members }, err
}

// parseCall parses the ID, the name and the arguments of a call. The arguments need not
// be JSON.
func parseCall(do func(*player, item)) func(string) (action, error) {
	return func(argument string) (action, error) {
		id, rest, _ := strings.Cut(argument, " ")
		name, arguments, _ := strings.Cut(rest, " ")
		if name == "" {
			return nil, fmt.Errorf("%q is not ID NAME JSON", argument)
		}
		if id == "-" {
			id = ""
		}
		call := item{kind: called, id: id, name: name, text: arguments}
		return func(p *player) { do(p, call) }, nil
	}
}

// parseRaw parses bytes: those in quotes, or the line with its line break.
func parseRaw(argument string) (action, error) {
	text, err := unquote(argument)
	if text == argument {
		text += "\n"
	}
	return rawAction(text), err
}
