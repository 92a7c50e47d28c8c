package tool

// A Signature is the call interface of a tool. It is equivalent to the JSON Schema of the parameters, apart from
// bounds and patterns.
type Signature struct {
	Name    string
	Params  []Param
	Returns *Type // nil if unknown
}

// parseSignature parses a signature in either spelling and returns the offset of each parameter:
//
//	wget(uri: string, timeoutMs?: number): string
//	wget(string uri, number timeoutMs): string
//
// Types are those of TypeScript that JSON has, and integer. A name without a type has type any.
func parseSignature(src string) (Signature, []int, *SignatureError) {
	lexemes, err := lex(src)
	if err != nil {
		return Signature{}, nil, err
	}
	p := parser{src: src, rest: lexemes}
	s, starts, err := p.parseSignature()
	if err == nil {
		err = checkDepth(&Type{Kind: Struct, Fields: s.Params}, s.Returns)
	}
	if err != nil {
		return Signature{}, nil, err
	}
	return s, starts, nil
}

// ParseType parses a type as in a signature, for example {messages: {id, threadId}[], nextPageToken?}.
func ParseType(src string) (*Type, *SignatureError) {
	lexemes, err := lex(src)
	if err != nil {
		return nil, err
	}
	p := parser{src: src, rest: lexemes}
	t, err := p.parseUnion()
	if err == nil {
		err = p.expect(0, "the end of the type")
	}
	if err == nil {
		err = checkDepth(t)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// checkDepth rejects types nested deeper than [maxTypeDepth].
func checkDepth(types ...*Type) *SignatureError {
	for _, t := range types {
		if t != nil && t.depth() > maxTypeDepth+1 {
			return errorAt(0, "types are nested deeper than %d levels", maxTypeDepth)
		}
	}
	return nil
}

// String returns the signature in TypeScript syntax.
func (s Signature) String() string {
	text := s.Name + "(" + joinParams(s.Params) + ")"
	if s.Returns != nil {
		text += ": " + s.Returns.String()
	}
	return text
}
