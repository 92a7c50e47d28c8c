package runfile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"oneshot/pkg/quote"
)

// A run file stores each result, response, argument and input once. A later record that repeats one of these texts
// stores a list of parts instead: strings, and references to the earlier record. References are plain copies of
// bytes, so a reader needs neither the prompt texts nor the rules that rendered a result.

// A part of a text is a string or a reference.
type part struct {
	text string
	ref  *reference
}

// A reference is a copy of bytes of an earlier text: all of it, or the range [From, To).
type reference struct {
	Result   string `json:"result,omitempty"`   // call ID: the envelope of its result
	Call     string `json:"call,omitempty"`     // call ID: its arguments as proposed
	Response int    `json:"response,omitempty"` // turn: the content of its response
	Native   int    `json:"native,omitempty"`   // turn: the native body of its response
	Input    bool   `json:"input,omitempty"`    // the input of the run
	// Quoted means that the offsets and the copy refer to the text as it is inside a JSON string.
	Quoted bool `json:"quoted,omitempty"`
	From   int  `json:"from,omitempty"`
	To     int  `json:"to,omitempty"` // 0: to the end
}

func (p part) MarshalJSON() ([]byte, error) {
	if p.ref == nil {
		return quote.Encoded(p.text), nil
	}
	return json.Marshal(p.ref)
}

func (p *part) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, &p.text)
	}
	p.ref = new(reference)
	return json.Unmarshal(b, p.ref)
}

func (r reference) withoutRange() reference {
	r.From, r.To = 0, 0
	return r
}

func (r reference) String() string {
	switch {
	case r.Result != "":
		return fmt.Sprintf("the result of call %q", r.Result)
	case r.Call != "":
		return fmt.Sprintf("the arguments of call %q", r.Call)
	case r.Response > 0:
		return fmt.Sprintf("the response of turn %d", r.Response)
	case r.Native > 0:
		return fmt.Sprintf("the native response of turn %d", r.Native)
	case r.Input:
		return "the input"
	}
	return "an empty reference"
}

// References may copy at most maxCopied bytes, plus maxCopiedPerByte for each byte read: a short file must not
// expand to fill the memory.
const (
	maxCopied        = 256 << 20
	maxCopiedPerByte = 16
)

// earlierTexts are the texts that a record can refer to: those since the latest request that was answered, the input and the
// attachments. A resumed run repeats only the requests after that.
type earlierTexts struct {
	input        string
	attachments  map[string][]byte // data by SHA-256
	turn         texts             // since the latest request, or since the first of several unanswered ones
	previousTurn texts             // those before, until that request is answered
	answered     bool

	budget int64 // bytes that may still be copied
	latest reference
	text   string // of latest
}

type texts struct {
	results   map[string]Result
	calls     map[string]Call
	responses map[int]Response
}

func newTexts() texts {
	return texts{map[string]Result{}, map[string]Call{}, map[int]Response{}}
}

func newEarlierTexts() *earlierTexts {
	return &earlierTexts{attachments: map[string][]byte{}, turn: newTexts(), budget: maxCopied}
}

// expandAndAdd expands the references of a decoded body and adds its texts. Size is the length of its line.
func (e *earlierTexts) expandAndAdd(body Body, size int) (Body, error) {
	e.budget += maxCopiedPerByte * int64(size)
	body, err := e.expand(body)
	if err == nil {
		e.addTexts(body)
	}
	return body, err
}

// expand returns a decoded body with its references expanded.
func (e *earlierTexts) expand(body Body) (Body, error) {
	switch b := body.(type) {
	case storedBody:
		return b.expand(e)
	case Attachment:
		if sum := sha256.Sum256(b.Data); hex.EncodeToString(sum[:]) != b.SHA256 {
			return nil, fmt.Errorf("its data does not have the digest %s", b.SHA256)
		}
	}
	return body, nil
}

// addTexts adds the texts of a record.
func (e *earlierTexts) addTexts(body Body) {
	switch b := body.(type) {
	case Run:
		e.input = b.Input
	case Attachment:
		e.attachments[b.SHA256] = b.Data
	case Request:
		if e.answered {
			e.previousTurn, e.turn, e.answered = e.turn, newTexts(), false
		}
	case Result:
		e.turn.results[b.Call] = b
	case Call:
		e.turn.calls[b.ID] = b
	case Response:
		e.turn.responses[b.Turn] = b
		if b.BrokenOff == "" {
			e.previousTurn, e.answered = texts{}, true
		}
	}
}

// lookup returns the text of a reference, ignoring its range, or false if no such record was added.
func (e *earlierTexts) lookup(r reference) (text string, ok bool, err error) {
	if r.Input {
		text, ok = e.input, true
	} else if text, ok, err = e.turn.lookup(r); !ok {
		text, ok, err = e.previousTurn.lookup(r)
	}
	if r.Quoted {
		text = jsonEscapedText(text)
	}
	return text, ok, err
}

func (t texts) lookup(r reference) (text string, ok bool, err error) {
	switch {
	case r.Result != "":
		var result Result
		if result, ok = t.results[r.Result]; ok {
			var envelope []byte
			envelope, err = result.Result.MarshalJSON()
			text = string(envelope)
		}
	case r.Call != "":
		var call Call
		call, ok = t.calls[r.Call]
		text = string(call.Proposed)
	case r.Response > 0:
		var response Response
		response, ok = t.responses[r.Response]
		text = response.Content
	case r.Native > 0:
		if response := t.responses[r.Native]; response.Native != nil {
			text, ok = string(response.Native.Body), true
		}
	}
	return text, ok, err
}

// jsonEscapedText returns a text as it is inside a JSON string.
func jsonEscapedText(text string) string {
	quoted := quote.Encoded(text)
	return string(quoted[1 : len(quoted)-1])
}

// resolve returns the bytes of a reference.
func (e *earlierTexts) resolve(r reference) (string, error) {
	if whole := r.withoutRange(); whole != e.latest || whole == (reference{}) {
		text, ok, err := e.lookup(whole)
		switch {
		case err != nil:
			return "", err
		case !ok:
			return "", fmt.Errorf("it refers to %s, which is in no earlier record", r)
		}
		e.latest, e.text = whole, text
		e.budget -= int64(len(text))
	}
	to := r.To
	if to == 0 {
		to = len(e.text)
	}
	if r.From < 0 || r.From > to || to > len(e.text) {
		return "", fmt.Errorf("it refers to bytes %d to %d of %s, which has only %d", r.From, to, r, len(e.text))
	}
	if e.budget -= int64(to - r.From); e.budget < 0 {
		return "", fmt.Errorf("its references copy too much: more than %d bytes plus %d per byte of the file", maxCopied, maxCopiedPerByte)
	}
	return e.text[r.From:to], nil
}

// joinParts returns the text that parts encode.
func (e *earlierTexts) joinParts(parts []part) (string, error) {
	var all []byte
	for _, p := range parts {
		text := p.text
		if p.ref != nil {
			var err error
			if text, err = e.resolve(*p.ref); err != nil {
				return "", err
			}
		}
		all = append(all, text...)
	}
	return string(all), nil
}
