package provider

import (
	"slices"

	"github.com/tidwall/gjson"

	"oneshot/pkg/provider/anthropic"
	"oneshot/pkg/provider/bedrock"
	"oneshot/pkg/provider/cohere"
	"oneshot/pkg/provider/gemini"
	"oneshot/pkg/provider/ollama"
	"oneshot/pkg/provider/openai"
	"oneshot/pkg/provider/responses"
	"oneshot/pkg/provider/wire"
)

// protocols are the protocols in the order of lists.
var protocols = []*wire.Protocol{
	&openai.Protocol,
	&responses.Protocol,
	&anthropic.Protocol,
	&gemini.Protocol,
	&ollama.Protocol,
	&bedrock.Protocol,
	&cohere.Protocol,
}

// Protocols returns the protocols in the order of lists.
func Protocols() []*wire.Protocol { return slices.Clone(protocols) }

// ProtocolNamed returns the protocol with the name of a response format, or nil.
func ProtocolNamed(name string) *wire.Protocol {
	return findProtocol(func(p *wire.Protocol) bool { return p.Name == name })
}

// APIs returns the names of the protocols for which there is a client.
func APIs() []string {
	var names []string
	for _, p := range protocols {
		if p.API != "" {
			names = append(names, p.API)
		}
	}
	return names
}

// Compatible returns the protocol that most servers implement.
func Compatible() *wire.Protocol { return &openai.Protocol }

// ProtocolOf returns the protocol of a client with the name of an API, or nil.
func ProtocolOf(api string) *wire.Protocol {
	return findProtocol(func(p *wire.Protocol) bool { return p.API == api && api != "" })
}

func findProtocol(matches func(*wire.Protocol) bool) *wire.Protocol {
	if i := slices.IndexFunc(protocols, matches); i >= 0 {
		return protocols[i]
	}
	return nil
}

// ProtocolNames returns the names of all response formats.
func ProtocolNames() []string {
	var names []string
	for _, p := range protocols {
		names = append(names, p.Name)
	}
	return names
}

// DetectProtocol returns the protocol of a captured body by its first message. It returns nil for
// a message of no protocol and for text that is not a JSON object. A body that is only an error
// has a protocol whose servers report such errors.
func DetectProtocol(src []byte) *wire.Protocol {
	first, ok := wire.ReadFirst(src)
	if !ok {
		return nil
	}
	members := wire.SelectMembers(first.Message, messageMembers)
	p := findProtocol(func(p *wire.Protocol) bool { return p.Matches(members) })
	if p == nil && (first.IsFailed || first.IsWhole) {
		p = errorProtocol(first)
	}
	return p
}

// messageMembers are the members that identify messages of any protocol.
var messageMembers = func() (names []string) {
	for _, p := range protocols {
		names = append(names, p.Members...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}()

// errorProtocol returns the protocol of a message that is an error body, or nil.
func errorProtocol(first wire.First) *wire.Protocol {
	holds := func(f func(gjson.Result) bool) bool { return f != nil && f(first.Message) }
	if p := findProtocol(func(p *wire.Protocol) bool { return holds(p.IsError) }); p != nil {
		return p
	}
	if !first.IsFailed && !wire.IsErrorBody(first.Message) {
		return nil
	}
	if p := findProtocol(func(p *wire.Protocol) bool { return holds(p.HasStyle) }); p != nil {
		return p
	}
	return Compatible()
}
