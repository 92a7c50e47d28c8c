package agent

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/dialect"
	"oneshot/pkg/prompt"
	"oneshot/pkg/provider"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// defaultDialect is the dialect of a run that names none.
const defaultDialect = "tool"

// A conversation holds everything that the model reads: the system prompt, the tools and the
// messages.
type conversation struct {
	cfg       Config
	texts     *prompt.Texts
	defs      []*tool.Definition
	answer    answerFormat
	native    bool            // calls come through the tool-call field of the server
	dialect   dialect.Dialect // of written calls
	system    string
	functions []chat.Function // sent with each request if calls are native
	boundary  string          // delimits data in messages; unguessable
	nonce     nonce           // word of the fences of calls, with Config.Nonce
	messages  []chat.Message
	chain     provider.MessageDigest // digest chain of the redacted messages
	recorded  int                    // number of messages in the record
}

func newConversation(cfg Config) (*conversation, error) {
	texts, err := prompt.Load(cfg.Texts)
	if err != nil {
		return nil, err
	}
	c := &conversation{cfg: cfg, texts: texts, dialect: cfg.Dialect, boundary: newBoundary(cfg.Seed)}
	if c.answer, err = newAnswerFormat(cfg); err != nil {
		return nil, err
	}
	if c.dialect.Name == "" {
		c.dialect, _ = dialect.Lookup(defaultDialect)
	}
	if cfg.Tools != nil {
		c.defs = cfg.Tools.All()
	}
	if cfg.AskUser && len(c.defs) > 0 {
		c.defs = append(c.defs, tool.AskUser)
	}
	if err := c.drawNonce(cfg.System, cfg.Prompt, cfg.Input); err != nil {
		return nil, err
	}
	if cfg.Native {
		c.useNative()
	} else {
		c.useDialect()
	}
	return c, nil
}

// newBoundary derives the boundary of the run from its seed: 128 bits in hex.
func newBoundary(seed [32]byte) string {
	var b [16]byte
	rand.NewChaCha8(seed).Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// useNative publishes the tools as functions of the server.
func (c *conversation) useNative() {
	c.native, c.functions = true, prompt.Functions(c.defs)
	c.system = c.texts.NativeSystem(c.cfg.System, c.defs)
}

// useDialect makes the model write its calls as text.
func (c *conversation) useDialect() {
	c.native, c.functions = false, nil
	c.system = c.texts.System(c.cfg.System, c.defs, c.dialect)
	c.recorded = 0 // the conversation restarts
}

// endingTool returns the name of the tool that ends the work; "" if calls are native.
func (c *conversation) endingTool() string {
	if c.native {
		return ""
	}
	return c.dialect.Ending
}

// hasTool reports whether the run has a tool with a matching name.
func (c *conversation) hasTool(matches func(name string) bool) bool {
	return slices.ContainsFunc(c.defs, func(def *tool.Definition) bool { return matches(def.Name) })
}

// addPrompt appends the user's prompt. Without tools it asks for the answer at once and returns false.
func (c *conversation) addPrompt() bool {
	question := c.texts.User(prompt.UserMessage{Prompt: c.cfg.Prompt, Input: c.cfg.Input, Now: c.cfg.Now, Boundary: c.boundary})
	if len(c.defs) == 0 {
		question += "\n\n" + c.answerRequest()
	}
	c.addUser(question)
	c.messages[len(c.messages)-1].Attachments = c.cfg.Attachments
	return len(c.defs) > 0
}

// answerRequest returns the text that asks for the answer and describes its format.
func (c *conversation) answerRequest() string {
	if c.answer.text {
		return c.texts.TextAnswer(c.answer.description)
	}
	return c.texts.Answer(c.answer.schema.Raw(), c.answer.description)
}

// addUser appends a user message without secrets: it may quote one model to another.
func (c *conversation) addUser(text string) {
	text = c.cfg.recordedWording.ofMessage(len(c.messages), c.cfg.Policy.Secrets.Hide(text))
	c.messages = append(c.messages, chat.Message{Role: chat.User, Content: text})
}

// addAssistant appends a response with its native calls. It neutralises role tokens in the text,
// because a tool result may have made the model write them.
func (c *conversation) addAssistant(p chat.Response, calls []chat.Call) {
	m := chat.Message{Role: chat.Assistant, Content: dialect.NeutraliseRoles(p.Content), Native: provider.ChangeNative(p.Native, dialect.NeutraliseRoles), By: p.By}
	if c.native {
		m.Calls = calls
	}
	c.messages = append(c.messages, m)
}

// addNativeResult appends the result of a native call.
func (c *conversation) addNativeResult(inv *Invocation) {
	content := prompt.Result(inv.envelope, c.boundary, inv.maxModelBytes())
	if changed := c.texts.ChangedArguments(inv.call.Name, inv.promptResult(), c.boundary); changed != "" {
		content += "\n\n" + changed
	}
	c.messages = append(c.messages, chat.Message{Role: chat.Tool, CallID: inv.call.ID, Name: inv.call.Name, Content: content})
}

// callFormatReminder returns the text that tells the model how to call a tool.
func (c *conversation) callFormatReminder() string {
	return c.texts.Reminder(c.reminderExample(), c.endingTool())
}

// reminderExample returns the example call of a reminder. It skips examples with markers, which
// could be misread, and those that the dialect cannot express.
func (c *conversation) reminderExample() string {
	for _, def := range c.defs {
		for _, e := range def.Examples {
			text, ok := c.dialect.Render(e.Parsed, c.toolset())
			if args := e.Parsed.Arguments; ok && bytes.Equal(dialect.Neutralise(args), args) {
				return text
			}
		}
	}
	text, _ := c.dialect.Render(chat.Call{Name: c.endingTool(), Arguments: []byte("{}")}, nil) // every dialect can write it
	return text
}

// toolset returns the types of the tools of the run, which some dialects need to read and write calls.
func (c *conversation) toolset() dialect.Toolset {
	tools := dialect.Toolset{c.dialect.Ending: tool.LookupEndingTool(c.dialect.Ending).Shape}
	for _, def := range c.defs {
		tools[def.Name] = def.Shape
	}
	return tools
}

// drawNonce marks the fences of the run with a new nonce that occurs in none of the texts, if
// Config.Nonce is set.
func (c *conversation) drawNonce(texts ...string) error {
	if !c.cfg.Nonce {
		return nil
	}
	c.nonce = c.nonce.next(c.cfg.Seed, texts...)
	var ok bool
	if c.dialect, ok = c.dialect.WithNonce(c.nonce.word); !ok {
		return &NonceError{Dialect: c.dialect.Name}
	}
	return nil
}

// renewLeakedNonce replaces the nonce if a result contains it, because the author of that data could write
// calls. It returns the message for the model, or "".
func (c *conversation) renewLeakedNonce(results []string) (string, error) {
	if !c.cfg.Nonce || !c.nonce.occursIn(results...) {
		return "", nil
	}
	if err := c.drawNonce(results...); err != nil {
		return "", err
	}
	return c.texts.Fence(c.dialect.FenceInfo()), nil
}

// trustedText returns the text of the user and of the definitions.
func (c *conversation) trustedText() string {
	all := []string{c.cfg.System, c.cfg.Prompt, c.cfg.AnswerDescription, string(c.answer.schema.Raw())}
	for _, def := range c.defs {
		all = append(all, def.Description, string(def.Schema))
	}
	return strings.Join(all, "\n")
}

// newRequest builds the next request, which allows at most maxCalls native calls.
func (c *conversation) newRequest(purpose chat.Purpose, f requestFormat, maxCalls int) chat.Request {
	req := chat.Request{
		Purpose: purpose, System: c.system, Messages: c.messages, Tools: c.functions,
		AnyJSON: f.anyJSON, Params: c.cfg.Params, MaxCalls: maxCalls,
	}
	if f.schema {
		req.Format = c.answer.schema.Raw()
	}
	req.Digest = c.requestDigest(req)
	return req
}

// requestDigest returns the digest of a request without its secrets, so that the request can be verified
// from the record.
func (c *conversation) requestDigest(req chat.Request) string {
	c.chain.Add(c.cfg.Policy.Secrets.HideMessages(req.Messages[c.chain.Count():])...)
	req.System = c.cfg.Policy.Secrets.Hide(req.System)
	return c.chain.RequestDigest(req)
}

// requestRecord returns the record of a request with only its new messages: a record with all of them would
// grow quadratically.
func (c *conversation) requestRecord(req chat.Request, turn int) runfile.Request {
	body := runfile.Request{
		Turn: turn, Purpose: req.Purpose, Messages: req.Messages[c.recorded:],
		Format: req.Format, AnyJSON: req.AnyJSON, Digest: req.Digest,
	}
	if c.recorded == 0 {
		body.System, body.Tools = req.System, req.Tools
	}
	if !c.native {
		body.Nonce = c.nonce.word
	}
	c.recorded = len(req.Messages)
	return body
}
