package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/dialect"
	"oneshot/pkg/quote"
	"oneshot/pkg/runfile"
)

// A Message is a message of a conversation in the form that chat_message.v2 publishes.
type Message struct {
	Role      chat.Role  `json:"role"` // user, assistant or system
	Content   string     `json:"content"`
	ToolCalls []ToolCall `json:"toolCalls,omitempty"` // executed for this message
	Error     *Failure   `json:"error,omitempty"`
	Timestamp time.Time  `json:"timestamp"`
}

// A Failure is the reason why a message is incomplete or missing.
type Failure struct {
	Error   string `json:"error"` // broken_off, the stop reason of the response, or the name of the exit
	Message string `json:"message"`
}

// Messages turns the records of a run into messages: the system prompt, the prompt with its input, later input of the user,
// and each response with its executed calls. The text of a response omits its calls, and the last response is the answer. A
// failed run ends with a message without content.
type Messages struct {
	emit     func(Message)
	prompt   *Message // the user's, until the system prompt is known
	response *Message // the latest one, not emitted yet because its calls may still end
	log      callLog
	purpose  chat.Purpose
	dialect  dialect.Dialect // of written calls; without a name for none
	name     string          // of the dialect on record
	isText   bool            // the form of the answer
}

// NewMessages returns a projection that emits each message when it is complete.
func NewMessages(emit func(Message)) *Messages {
	m := &Messages{emit: emit}
	m.log.reset()
	return m
}

// Add takes the next record. Records that a resumed run voids must be left out.
func (m *Messages) Add(r runfile.Record) {
	switch b := r.Body.(type) {
	case runfile.Run:
		m.name, m.isText = b.Dialect, b.AnswerForm == "text"
		m.prompt = &Message{Role: chat.User, Content: joinParagraphs(b.Prompt, b.Input), Timestamp: r.Time}
	case runfile.Request:
		m.flushResponse()
		m.addRequest(b, r.Time)
		m.Flush()
	case runfile.Response:
		m.addResponse(b, r.Time)
	case runfile.Call:
		m.log.add(b)
	case runfile.Approval:
		m.log.approve(b)
	case runfile.Result, runfile.Discarded, runfile.UnknownOutcome:
		m.addOutcome(b)
	case runfile.UserInput:
		m.Flush()
		m.emit(Message{Role: chat.User, Content: inputText(b.Values), Timestamp: r.Time})
	case runfile.Answer:
		m.addAnswer(b)
	case runfile.End:
		m.Flush()
		if b.Exit != 0 {
			m.emit(Message{Role: chat.Assistant, Error: &Failure{b.Name, b.Why}, Timestamp: r.Time})
		}
	}
}

// Flush emits messages that wait for more records. It is needed at the end of a record without an end.
func (m *Messages) Flush() {
	if m.prompt != nil {
		m.emit(*m.prompt)
		m.prompt = nil
	}
	m.flushResponse()
}

// flushResponse emits the latest response, unless it only ended the work.
func (m *Messages) flushResponse() {
	if r := m.response; r != nil && (r.Content != "" || len(r.ToolCalls) > 0 || r.Error != nil) {
		m.emit(*r)
	}
	m.response = nil
}

// addRequest emits the system prompt that a conversation begins with, and takes the dialect of its calls.
func (m *Messages) addRequest(b runfile.Request, at time.Time) {
	m.log.reset()
	m.purpose = b.Purpose
	if b.System == "" && len(b.Tools) == 0 {
		return
	}
	m.emit(Message{Role: chat.System, Content: b.System, Timestamp: at})
	m.dialect = dialect.Dialect{}
	if len(b.Tools) > 0 {
		return
	}
	name := m.name
	if name == "native" { // the server rejected tools, and the run fell back to the default
		name = "tool"
	}
	m.dialect, _ = dialect.Lookup(name)
	if d, ok := m.dialect.WithNonce(b.Nonce); ok {
		m.dialect = d
	}
}

func (m *Messages) addResponse(b runfile.Response, at time.Time) {
	text := b.Content
	if m.dialect.Name != "" && m.purpose == chat.PurposeTurn {
		text = dialect.Scan(text, dialect.Options{Dialect: m.dialect}).Content
	}
	m.response = &Message{Role: chat.Assistant, Content: strings.TrimSpace(text), Timestamp: at}
	switch {
	case b.BrokenOff != "":
		m.response.Error = &Failure{"broken_off", b.BrokenOff}
	case b.Stop != chat.StopEnd:
		m.response.Error = &Failure{string(b.Stop), fmt.Sprintf("the response ended with the stop reason %q", b.Stop)}
	}
}

func (m *Messages) addOutcome(body runfile.Body) {
	c, result := m.log.outcome(body)
	if c == nil || m.response == nil {
		return
	}
	if done, err := newToolCall(c.name, c.input, result); err == nil {
		m.response.ToolCalls = append(m.response.ToolCalls, done)
	}
}

// addAnswer makes the answer the content of the response that gave it.
func (m *Messages) addAnswer(b runfile.Answer) {
	if m.response == nil {
		return
	}
	var text bytes.Buffer
	if plain, ok := defaultAnswerText(b.JSON); ok && m.isText {
		m.response.Content = plain
	} else if json.Compact(&text, b.JSON) == nil {
		m.response.Content = text.String()
	}
}

// defaultAnswerText returns the text of an answer in the default form; ok is false for any other.
func defaultAnswerText(answer json.RawMessage) (text string, ok bool) {
	var object struct{ Answer *string }
	if json.Unmarshal(answer, &object) != nil || object.Answer == nil {
		return "", false
	}
	return *object.Answer, true
}

// inputText returns the values of a user as lines NAME: VALUE.
func inputText(values map[string]string) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		lines = append(lines, name+": "+values[name])
	}
	return strings.Join(lines, "\n")
}

func joinParagraphs(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// Encode returns the message as a line of JSON.
func (m Message) Encode() ([]byte, error) {
	doc, err := quote.Encode(m)
	return append(doc, '\n'), err
}
