package tool

// A Signature is what a call of a tool looks like. It says the same as the JSON
// Schema of the parameters, apart from bounds and patterns.
type Signature struct {
	Name    string
	Params  []Param
	Returns *Type // nil if it is not said
}

// ParseSignature reads a signature in either spelling:
//
//	wget(uri: string, timeoutMs?: number): string
//	wget(string uri, number timeoutMs): string
//
// Types are those of TypeScript as far as JSON has them, and integer. A name
// without a type is of any type.
func ParseSignature(src string) (Signature, *SignatureError) {
	s, _, err := parseSignature(src)
	return s, err
}

// parseSignature also returns where each parameter begins.
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

// ParseType reads a type as it stands in a signature, for example
// {messages: {id, threadId}[], nextPageToken?}.
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

// checkDepth refuses types that are nested deeper than [maxTypeDepth].
func checkDepth(types ...*Type) *SignatureError {
	for _, t := range types {
		if t != nil && t.depth() > maxTypeDepth+1 {
			return errorAt(0, "types are nested deeper than %d levels", maxTypeDepth)
		}
	}
	return nil
}

// String returns the signature in the spelling of TypeScript.
func (s Signature) String() string {
	text := s.Name + "(" + params(s.Params) + ")"
	if s.Returns != nil {
		text += ": " + s.Returns.String()
	}
	return text
}
