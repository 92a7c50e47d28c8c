package markup

import "sync"

// A Syntax describes how a dialect writes the tags of one call. The zero value of a field is the
// behaviour of most dialects.
type Syntax struct {
	Delimiters              // default "<", "</", ">"
	Prefix         string   // before tag names; the whole call may omit it
	Token          string   // before every tag; the whole call may omit it
	CallTags       []string // tag names of a call; the first is used for writing
	NameAttr       string   // attribute of the tool name, [InTag] or [InText]
	NameEndTag     string   // tag that ends a name that is text
	ParamTags      []string // tag names of a parameter; the first is used for writing
	ElementParams  bool     // a parameter can be a tag with its own name
	KeyAttr        string   // attribute of the parameter name, or [InTag]
	KeyTag         string   // tag around the parameter name, instead of ParamTags and KeyAttr
	ValueTag       string   // tag around the value, with KeyTag
	ValueAttr      string   // attribute that can contain the value of a parameter
	GroupTags      []string // tags around parameters, without a meaning
	WrapperTags    []string // tag names of the wrappers, which may close instead of a call
	EndMarkers     []string // other markers that end a call
	Padding        Padding  // around values, not part of them
	IDAttr         string   // attribute of a call's id
	TypeAttrs               // of a parameter
	Untyped        Untyped  // decoding of values without a known type
	IgnoredAttrs   []string // attributes without a meaning
	ObjectArgs     bool     // the arguments may be one JSON object instead of parameters
	Escapes                 // of XML
	NestedTags     bool     // objects and arrays are nested tags, and a repeated tag makes an array
	DoubledName    bool     // a tool name may be doubled, as NAME.NAME
	GluedAttr      bool     // the space before the name attribute may be missing
	Compact        bool     // no line ends are written between tags
	OptionalEnd    bool     // a stop sequence may cut the end of the call's closing tag
	EscapedNewline bool     // the characters \n may replace a line end between tags

	known vocabulary // cache of [Syntax.markerWords]
}

// Delimiters are the delimiters of a tag.
type Delimiters struct {
	Open, Close string // before the name of an opening and a closing tag
	End         string // after the tag
}

// TypeAttrs are the names of the attributes that declare the type of a value.
type TypeAttrs struct {
	FormAttr   string // "raw" for text, "json", or "dict" and "list" for parameter tags
	StringAttr string // "true" for text, "false" for JSON
	TypeAttr   string // the JSON type
}

// Escapes are the escapes of XML that a syntax has.
type Escapes struct {
	Entities     bool // values have XML entities
	AttrEntities bool // attributes have XML entities
	CDATA        bool // values may be CDATA sections
}

// Positions of a name outside attributes.
const (
	InTag  = "="   // <function=NAME>
	InText = "..." // <tool_call>NAME
)

// Untyped selects the decoding of a value whose type neither a definition nor its tag declares.
// It is JSON only if all of it is strictly valid.
type Untyped int

// The decodings of a value without a known type.
const (
	Containers Untyped = iota // a JSON object or array, otherwise text
	Text                      // always text, as the model's servers do
	JSON                      // any JSON but a string, otherwise text, for syntaxes with NestedTags
)

// A Padding is the whitespace around a value that is not part of it.
type Padding int

// The paddings.
const (
	Verbatim Padding = iota // none
	Newline                 // one line end on each side
	Blanks                  // all whitespace
)

// delimiters returns the delimiters or their defaults.
func (s *Syntax) delimiters() Delimiters {
	if s.Open == "" {
		return Delimiters{"<", "</", ">"}
	}
	return s.Delimiters
}

// Tag returns the opening tag with this name up to its attributes, its end, and the closing tag.
func (s *Syntax) Tag(name string) (opening, end, closing string) {
	d := s.delimiters()
	return d.Open + s.Prefix + name, d.End, d.Close + s.Prefix + name + d.End
}

type markerKind uint8

const (
	noMarker markerKind = iota
	callOpen
	callClose
	paramOpen  // of a parameter, or of a key with its own tag
	paramClose // of a parameter, or of a value with its own tag
	keyClose
	valueOpen
	nameEnd
	group
	groupClose
	wrapperOpen
	wrapperClose
	elementOpen
	elementClose
)

// A tail is the required text after the name in a marker.
type tail uint8

const (
	endTail         tail = iota // the end of the tag
	optionalEndTail             // the end of the tag, optional before a line end or marker
	anyTail                     // the end of the tag, always optional
	equalsTail                  // "="
	attrTail                    // whitespace or the end of the tag
	noTail
)

// A markerWord is a marker up to the end of its name.
type markerWord struct {
	text      string
	kind      markerKind
	tail      tail
	qualified bool // with the prefix
}

// A vocabulary holds the words of a syntax: all, and by their second byte.
type vocabulary struct {
	once sync.Once
	all  []markerWord
	by   [256][]markerWord
}

// markerWords returns the vocabulary of the syntax.
func (s *Syntax) markerWords() *vocabulary {
	s.known.once.Do(func() {
		s.known.all = s.buildWords()
		for c := range s.known.by {
			for _, w := range s.known.all {
				if len(w.text) < 2 || w.text[1] == byte(c) {
					s.known.by[c] = append(s.known.by[c], w)
				}
			}
		}
	})
	return &s.known
}

// candidateWords returns the words that can be at the start of a text.
func (v *vocabulary) candidateWords(text []byte) []markerWord {
	switch {
	case v == nil:
		return nil
	case len(text) < 2:
		return v.all
	}
	return v.by[text[1]]
}

func (s *Syntax) buildWords() []markerWord {
	d := s.delimiters()
	var words []markerWord
	add := func(kind markerKind, tail tail, before string, names ...string) {
		for _, name := range names {
			if s.Prefix != "" {
				words = append(words, markerWord{before + s.Prefix + name, kind, tail, true})
			}
			words = append(words, markerWord{before + name, kind, tail, false})
		}
	}
	add(callOpen, s.callTail(), d.Open, s.CallTags...)
	closes := optionalEndTail
	if s.OptionalEnd {
		closes = anyTail
	}
	add(callClose, closes, d.Close, s.CallTags...)
	add(paramOpen, tailBeforeName(s.KeyAttr), d.Open, s.ParamTags...)
	add(paramClose, optionalEndTail, d.Close, s.ParamTags...)
	if s.KeyTag != "" {
		add(paramOpen, endTail, d.Open, s.KeyTag)
		add(keyClose, optionalEndTail, d.Close, s.KeyTag)
		add(valueOpen, endTail, d.Open, s.ValueTag)
		add(paramClose, optionalEndTail, d.Close, s.ValueTag)
	}
	add(group, endTail, d.Open, s.GroupTags...)
	add(groupClose, endTail, d.Close, s.GroupTags...)
	add(wrapperOpen, endTail, d.Open, s.WrapperTags...)
	add(wrapperClose, endTail, d.Close, s.WrapperTags...)
	for _, text := range s.EndMarkers {
		words = append(words, markerWord{text, wrapperClose, noTail, true})
	}
	if s.NameEndTag != "" {
		add(nameEnd, endTail, d.Open, s.NameEndTag)
	}
	return words
}

func (s *Syntax) callTail() tail {
	if s.NameAttr == InText {
		return endTail
	}
	return tailBeforeName(s.NameAttr)
}

func tailBeforeName(name string) tail {
	if name == InTag {
		return equalsTail
	}
	return attrTail
}
