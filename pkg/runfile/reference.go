package runfile

import (
	"encoding/json"
	"fmt"
)

// A run file holds each result, response, argument and input once. A later record that repeats one of these texts
// has a list of parts in its place: strings, and references to the earlier record. References are plain copies of
// bytes, so a reader needs neither the prompt texts nor the rules by which a result was rendered.

// A part of a text is a string, or a reference.
type part struct {
	text string
	ref  *reference
}

// A reference is a copy of bytes of an earlier text: all of it, or [From, To).
type reference struct {
	Result   string `json:"result,omitempty"`   // id of a call: the envelope of its result
	Call     string `json:"call,omitempty"`     // id of a call: its arguments as proposed
	Response int    `json:"response,omitempty"` // turn: the content of its response
	Native   int    `json:"native,omitempty"`   // turn: the body of its response in the form of the server
	Input    bool   `json:"input,omitempty"`    // the input of the run
	// Quoted says that the offsets count, and the copy is taken from, the text as it is inside a JSON string.
	Quoted bool `json:"quoted,omitempty"`
	From   int  `json:"from,omitempty"`
	To     int  `json:"to,omitempty"` // 0: to the end
}

func (p part) MarshalJSON() ([]byte, error) {
	if p.ref == nil {
		return quote(p.text), nil
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

// whole returns the reference to the whole text.
func (r reference) whole() reference {
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
	return "nothing"
}

// mostCopied limits what references may copy, beyond copiedFactor bytes for each byte read: a short file must not
// expand to fill the memory.
const (
	mostCopied   = 256 << 20
	copiedFactor = 16
)

// earlier are the texts that a record can refer to: those since the latest request that was answered, and the input. A
// resumed run repeats the requests after that, and no others.
type earlier struct {
	input    string
	turn     texts // since the latest request, or since the first of several without an answer
	before   texts // those before, until that request is answered
	answered bool

	budget int64 // bytes that can still be copied
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

func newEarlier() *earlier { return &earlier{turn: newTexts(), budget: mostCopied} }

// take returns a decoded body, of a line of a size, with whole texts, and adds these.
func (e *earlier) take(body Body, size int) (Body, error) {
	e.budget += copiedFactor * int64(size)
	body, err := e.whole(body)
	if err == nil {
		e.add(body)
	}
	return body, err
}

// whole returns a decoded body with whole texts.
func (e *earlier) whole(body Body) (Body, error) {
	if s, ok := body.(stored); ok {
		return s.whole(e)
	}
	return body, nil
}

// add adds the texts of a record as it is in the file.
func (e *earlier) add(body Body) {
	switch b := body.(type) {
	case Run:
		e.input = b.Input
	case Request:
		if e.answered {
			e.before, e.turn, e.answered = e.turn, newTexts(), false
		}
	case Result:
		e.turn.results[b.Call] = b
	case Call:
		e.turn.calls[b.ID] = b
	case Response:
		e.turn.responses[b.Turn] = b
		if b.Broken == "" {
			e.before, e.answered = texts{}, true
		}
	}
}

// lookup returns the text of a reference without its range, or false if no such record was added.
func (e *earlier) lookup(r reference) (text string, ok bool, err error) {
	if r.Input {
		text, ok = e.input, true
	} else if text, ok, err = e.turn.lookup(r); !ok {
		text, ok, err = e.before.lookup(r)
	}
	if r.Quoted {
		text = quotedText(text)
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

// quotedText returns a text as it is inside a JSON string.
func quotedText(text string) string {
	quoted := quote(text)
	return string(quoted[1 : len(quoted)-1])
}

// resolve returns the bytes of a reference.
func (e *earlier) resolve(r reference) (string, error) {
	if whole := r.whole(); whole != e.latest || whole == (reference{}) {
		text, ok, err := e.lookup(whole)
		switch {
		case err != nil:
			return "", err
		case !ok:
			return "", fmt.Errorf("it refers to %s, which no record before it has", r)
		}
		e.latest, e.text = whole, text
		e.budget -= int64(len(text))
	}
	to := r.To
	if to == 0 {
		to = len(e.text)
	}
	if r.From < 0 || r.From > to || to > len(e.text) {
		return "", fmt.Errorf("it refers to the bytes %d to %d of %s, which has %d", r.From, to, r, len(e.text))
	}
	if e.budget -= int64(to - r.From); e.budget < 0 {
		return "", fmt.Errorf("its references copy too much: over %d bytes, and %d for each byte of the file", mostCopied, copiedFactor)
	}
	return e.text[r.From:to], nil
}

// join returns the text that parts stand for.
func (e *earlier) join(parts []part) (string, error) {
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
