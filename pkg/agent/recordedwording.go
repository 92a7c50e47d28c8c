package agent

import (
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// A recordedWording is how a recorded run put what oneshot itself said to the model: the errors of calls that it refused, and
// its findings. A later version can put the same in other words; a replay and a resumed run use the recorded ones, because
// everything after them depends on them.
type recordedWording struct {
	results  map[string]chat.Result // by call ID
	messages []chat.Message         // of the latest conversation
}

func newRecordedWording(log *runfile.Log) recordedWording {
	w := recordedWording{results: map[string]chat.Result{}}
	for _, r := range log.LiveRecords() {
		switch b := r.Body.(type) {
		case runfile.Request:
			if b.System != "" || len(b.Tools) > 0 { // a conversation begins
				w.messages = nil
			}
			w.messages = append(w.messages, b.Messages...)
		case runfile.Result:
			w.results[b.Call] = b.Result
		}
	}
	return w
}

// ofRefusal returns the result of a refused call in the recorded words, if the call was refused for the same reason.
func (w recordedWording) ofRefusal(call string, r chat.Result) chat.Result {
	recorded, ok := w.results[call]
	if !ok || r.Error == nil || recorded.Error == nil || *r.Error == *recorded.Error || r.Error.Code != recorded.Error.Code {
		return r
	}
	failure := *r.Error
	failure.Message = recorded.Error.Message
	r.Error = &failure
	return r
}

// ofMessage returns the text of a user message in the recorded words, if it differs only in the words of findings. The first
// message is the user's own.
func (w recordedWording) ofMessage(index int, text string) string {
	if index == 0 || index >= len(w.messages) || w.messages[index].Role != chat.User {
		return text
	}
	recorded := strings.Split(w.messages[index].Content, "\n")
	lines := strings.Split(text, "\n")
	if len(lines) != len(recorded) {
		return text
	}
	for i, line := range lines {
		if line != recorded[i] && !(isFindingLine(line) && isFindingLine(recorded[i])) {
			return text
		}
	}
	return w.messages[index].Content
}

// isFindingLine reports whether a line of a message is a finding in the list that package prompt writes.
func isFindingLine(line string) bool {
	return strings.HasPrefix(line, `- "`) && strings.HasSuffix(line, `"`)
}
