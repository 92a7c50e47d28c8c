package agent

import (
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// A recordedWording holds the texts that oneshot itself wrote to the model in a recorded run: the errors of refused calls,
// and the findings. A later version may word them differently. A replay and a resumed run use the recorded wording, because
// all later requests contain it.
type recordedWording struct {
	calls    map[string]runfile.Call // by ID
	results  map[string]chat.Result  // by call ID
	messages []chat.Message          // of the latest conversation
}

func newRecordedWording(log *runfile.Log) recordedWording {
	w := recordedWording{calls: map[string]runfile.Call{}, results: map[string]chat.Result{}}
	for _, r := range log.LiveRecords() {
		switch b := r.Body.(type) {
		case runfile.Request:
			if b.System != "" || len(b.Tools) > 0 { // a conversation begins
				w.messages = nil
			}
			w.messages = append(w.messages, b.Messages...)
		case runfile.Call:
			w.calls[b.ID] = b
		case runfile.Result:
			w.results[b.Call] = b.Result
		}
	}
	return w
}

// isSameDecision reports whether the record has the same decision about a call with the same arguments.
func (w recordedWording) isSameDecision(c runfile.Call) bool {
	recorded, ok := w.calls[c.ID]
	return ok && recorded.Digest == c.Digest && recorded.Verdict == c.Verdict && recorded.Rule == c.Rule
}

// ofRefusal returns the result of a refused call in the recorded words. The decision about the call must be the same.
func (w recordedWording) ofRefusal(call string, r chat.Result) chat.Result {
	recorded := w.results[call].Error
	if r.Error == nil || recorded == nil || recorded.Code != r.Error.Code || recorded.Retryable != r.Error.Retryable {
		return r
	}
	r.Error = recorded
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
		if line != recorded[i] && !isFindingAtSamePlace(line, recorded[i]) {
			return text
		}
	}
	return w.messages[index].Content
}

// isFindingAtSamePlace reports whether two lines of messages are findings at the same place.
func isFindingAtSamePlace(a, b string) bool {
	place, ok := findingPlace(a)
	other, isFinding := findingPlace(b)
	return ok && isFinding && place == other
}

// findingPlace returns the place in a finding of the list that package prompt writes: "line 3", a path, or "" without one.
func findingPlace(line string) (place string, isFinding bool) {
	text, ok := strings.CutPrefix(line, `- "`)
	if !ok || !strings.HasSuffix(text, `"`) {
		return "", false
	}
	place, _, hasPlace := strings.Cut(text, ": ")
	if number, ok := strings.CutPrefix(place, "line "); hasPlace && (ok && !strings.Contains(number, " ") || !strings.ContainsAny(place, ` "`)) {
		return place, true
	}
	return "", true
}
