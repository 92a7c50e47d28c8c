package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/quote"
	"oneshot/pkg/schema"
)

// A requestFormat is the output format that a request asks the server to enforce.
type requestFormat struct {
	mode            FormatMode
	schema, anyJSON bool
}

// requestFormats are tried in order until the server supports one.
var requestFormats = []requestFormat{{mode: FormatSchema, schema: true}, {mode: FormatJSON, anyJSON: true}, {mode: FormatPrompt}}

// An answerFormat is the form that the answer must have.
type answerFormat struct {
	schema      *schema.Schema
	isDefault   bool   // the caller gave no schema
	text        bool   // the model answers in text
	description string // of the answer, for the model
}

func newAnswerFormat(cfg Config) (answerFormat, error) {
	f := answerFormat{schema: cfg.Schema, isDefault: cfg.Schema == nil, text: cfg.TextAnswer, description: cfg.AnswerDescription}
	if !f.isDefault {
		return f, nil
	}
	var err error
	f.schema, err = defaultAnswer()
	return f, err
}

// defaultAnswer is the schema of the answer of a run without one. All runs of a process share it.
var defaultAnswer = sync.OnceValues(func() (*schema.Schema, error) {
	const text = `{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"],"additionalProperties":false}`
	s, findings := schema.Compile("answer", []byte(text))
	if s == nil {
		return nil, fmt.Errorf("answer schema: %v", findings)
	}
	return s, nil
})

// requestFormats returns the formats to try, in order.
func (f answerFormat) requestFormats() []requestFormat {
	if f.text {
		return requestFormats[len(requestFormats)-1:]
	}
	return requestFormats
}

// isUnrequestedAnswer reports whether text is a valid answer before the model is asked for one. A text
// answer counts only if calls are native: there the model ends its work with it.
func (f answerFormat) isUnrequestedAnswer(text string, native bool) bool {
	text = strings.TrimSpace(text)
	if f.text {
		return text != "" && native && f.description == ""
	}
	return text != "" && len(f.schema.Check([]byte(text))) == 0
}

// A parsedAnswer is an answer, or its faults.
type parsedAnswer struct {
	json      json.RawMessage
	tolerated []diag.Finding
	faults    []diag.Finding // nil for a valid answer
}

// parseAnswer parses an answer. It removes a code fence around the whole answer and reasoning before it;
// both are tolerated.
func (f answerFormat) parseAnswer(text string) parsedAnswer {
	if f.text {
		return parseFinalTextAnswer(text)
	}
	whole := f.parseStrippingFence(text, text)
	if whole.faults == nil {
		return whole
	}
	if rest, hasReasoning := dialect.StripReasoningBeforeJSON(text); hasReasoning {
		if a := f.parseStrippingFence(text, rest); a.faults == nil {
			a.tolerated = append(a.tolerated, newReasoningBeforeAnswerFinding(text))
			return a
		}
	}
	return whole
}

// parseFinalTextAnswer returns the JSON of a text answer. It removes reasoning before it.
func parseFinalTextAnswer(text string) (a parsedAnswer) {
	rest, hasReasoning := dialect.StripReasoning(text)
	if rest = strings.TrimSpace(rest); rest == "" {
		a.faults = []diag.Finding{diag.New(diag.SchemaMismatch, diag.Bytes(0, len(text)), "the answer contains only reasoning")}
		return a
	}
	if hasReasoning {
		a.tolerated = []diag.Finding{newReasoningBeforeAnswerFinding(text)}
	}
	a.json = slices.Concat([]byte(`{"answer":`), quote.Encoded(rest), []byte("}"))
	return a
}

// parseStrippingFence parses the JSON in part, a part of text, without a code fence around it.
func (f answerFormat) parseStrippingFence(text, part string) (a parsedAnswer) {
	bare := strings.TrimSpace(part)
	inner, fenced := unfence(bare)
	if findings := f.schema.Check([]byte(inner)); len(findings) > 0 {
		return parsedAnswer{faults: findings}
	}
	if fenced {
		a.tolerated = []diag.Finding{newAnswerFinding(diag.FencedAnswer, text, bare, "removed the code fence around the answer")}
	}
	a.json = json.RawMessage(inner)
	return a
}

func newReasoningBeforeAnswerFinding(text string) diag.Finding {
	return newAnswerFinding(diag.ReasoningBeforeAnswer, text, strings.TrimSpace(text), "removed the reasoning before the answer")
}

// newAnswerFinding returns a finding about an answer at the position of part in text.
func newAnswerFinding(code diag.Code, text, part, message string) diag.Finding {
	at := max(0, strings.Index(text, part))
	f := diag.New(code, diag.Bytes(at, at+len(part)), "%s", message)
	f.Span = diag.NewLines([]byte(text)).Locate(f.Span)
	return f
}

// unfence returns the body of a text that consists of one backtick fence with no info string or
// "json".
func unfence(text string) (body string, fenced bool) {
	open, rest, ok := strings.Cut(text, "\n")
	ticks := len(open) - len(strings.TrimLeft(open, "`"))
	info := strings.TrimSpace(open[ticks:])
	last := strings.LastIndexByte(rest, '\n')
	if !ok || ticks < 3 || last < 0 || info != "" && !strings.EqualFold(info, "json") {
		return text, false
	}
	if rest[last+1:] != open[:ticks] {
		return text, false
	}
	return strings.TrimSpace(rest[:last]), true
}

// isQuestion reports whether an answer without a schema ends in a question mark.
func (f answerFormat) isQuestion(answer json.RawMessage) bool {
	var said struct{ Answer string }
	if !f.isDefault || json.Unmarshal(answer, &said) != nil {
		return false
	}
	text := strings.TrimRight(said.Answer, " \t\r\n\"'*_)")
	last, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune("?？؟", last)
}
