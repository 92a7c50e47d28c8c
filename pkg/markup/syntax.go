package markup

import "sync"

// A Syntax says how a dialect writes the tags of one call. It is data; the zero
// value of a field is what most dialects do.
type Syntax struct {
	Delimiters           // "<", "</", ">" if they are empty
	Prefix      string   // stands before the names of tags; it may be missing in the whole call
	Token       string   // stands before every tag; it may be missing in the whole call
	Calls       []string // names of the tag of a call; the first is the one that is written
	Name        string   // the attribute with the name of the tool; [InTag] or [InText]
	NameEnd     string   // a tag that ends a name that is text
	Parameters  []string // names of the tag of a parameter; the first is the one that is written
	Elements    bool     // a parameter can be a tag with its own name
	Key         string   // the attribute with the name of a parameter, or [InTag]
	KeyTag      string   // instead of Parameters and Key: the tag around the name of a parameter
	ValueTag    string   // and the one around its value
	ValueAttr   string   // an attribute that can hold the value of a parameter
	Groups      []string // tags around the parameters that mean nothing
	Wrappers    []string // names of the tags around calls, which may close instead of a call
	Ends        []string // other marks that end a call
	Framing     Framing  // what stands around a value and is no part of it
	ID          string   // an attribute of a call: its id
	FormAttr    string   // an attribute of a parameter: "raw" if the value is text, "json", or "dict" and "list" if it is tags of parameters
	Untyped     Untyped  // what a value without a known type is
	StringAttr  string   // an attribute of a parameter: "true" if the value is text, "false" if it is JSON
	TypeAttr    string   // an attribute of a parameter that names the JSON type of the value
	Ignored     []string // attributes that say nothing
	Bare        bool     // the arguments may be one JSON object instead of parameters
	Entities    bool     // values have the entities of XML
	AttrEscapes bool     // attributes have the entities of XML
	CDATA       bool     // values may be CDATA sections
	Nested      bool     // objects and arrays are tags in tags, and a tag that comes again makes an array
	Doubled     bool     // the name of a tool can stand twice, as NAME.NAME
	Glued       bool     // the blank before the attribute with a name can be missing
	Compact     bool     // nothing is written between tags, and otherwise a line end
	Stopped     bool     // the text may end before the end of the mark that closes the call, where a sequence stops the model
	Backslash   bool     // the characters \n may stand for a line end between tags

	once  sync.Once
	known vocabulary // what [Syntax.words] returns, made the first time
}

// Delimiters are what stands around the name of a tag.
type Delimiters struct {
	Open, Close string // before the name of an opening and of a closing tag
	End         string // behind the tag
}

// Where a name stands that is not in an attribute.
const (
	InTag  = "="   // <function=NAME>
	InText = "..." // <tool_call>NAME
)

// An Untyped says what a value is whose type is not known: no definition gives it, nor
// does the tag. It is JSON only where all of it is strictly valid.
type Untyped int

// What a value without a known type can be.
const (
	Containers Untyped = iota // an object or array of JSON, or text: the rule
	Text                      // always text, where the model's servers read it so
	JSON                      // any JSON but a string, or text, where objects and arrays are tags
)

// A Framing is what stands around a value and is no part of it.
type Framing int

// The framings.
const (
	Verbatim Framing = iota // nothing
	Newline                 // one line end on each side
	Blanks                  // all blanks
)

// delimiters returns the delimiters, the usual ones for a zero value.
func (s *Syntax) delimiters() Delimiters {
	if s.Open == "" {
		return Delimiters{"<", "</", ">"}
	}
	return s.Delimiters
}

// A kind is a kind of mark.
type kind uint8

const (
	noMark kind = iota
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

// A tail says what must stand behind the name in a mark.
type tail uint8

const (
	endTail         tail = iota // the end of the tag
	optionalEndTail             // the end of the tag, which may be missing
	anyTail                     // the same, whatever follows
	equalsTail                  // "="
	attrTail                    // a blank, or the end of the tag
	noTail                      // nothing
)

// A markWord is a mark up to the end of its name.
type markWord struct {
	text      string
	kind      kind
	tail      tail
	qualified bool // with the prefix
}

// A vocabulary is the words of a syntax: all of them, and those that can stand where
// the second byte is known.
type vocabulary struct {
	all []markWord
	by  [256][]markWord
}

// words returns the words of the syntax.
func (s *Syntax) words() *vocabulary {
	s.once.Do(func() {
		s.known.all = s.makeWords()
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

// at returns the words that can stand at the start of a text.
func (v *vocabulary) at(text []byte) []markWord {
	switch {
	case v == nil:
		return nil
	case len(text) < 2:
		return v.all
	}
	return v.by[text[1]]
}

// makeWords makes the words.
func (s *Syntax) makeWords() []markWord {
	d := s.delimiters()
	var words []markWord
	add := func(kind kind, tail tail, before string, names ...string) {
		for _, name := range names {
			if s.Prefix != "" {
				words = append(words, markWord{before + s.Prefix + name, kind, tail, true})
			}
			words = append(words, markWord{before + name, kind, tail, false})
		}
	}
	add(callOpen, s.callTail(), d.Open, s.Calls...)
	closes := optionalEndTail
	if s.Stopped {
		closes = anyTail
	}
	add(callClose, closes, d.Close, s.Calls...)
	add(paramOpen, tailOf(s.Key), d.Open, s.Parameters...)
	add(paramClose, optionalEndTail, d.Close, s.Parameters...)
	if s.KeyTag != "" {
		add(paramOpen, endTail, d.Open, s.KeyTag)
		add(keyClose, optionalEndTail, d.Close, s.KeyTag)
		add(valueOpen, endTail, d.Open, s.ValueTag)
		add(paramClose, optionalEndTail, d.Close, s.ValueTag)
	}
	add(group, endTail, d.Open, s.Groups...)
	add(groupClose, endTail, d.Close, s.Groups...)
	add(wrapperOpen, endTail, d.Open, s.Wrappers...)
	add(wrapperClose, endTail, d.Close, s.Wrappers...)
	for _, text := range s.Ends {
		words = append(words, markWord{text, wrapperClose, noTail, true})
	}
	if s.NameEnd != "" {
		add(nameEnd, endTail, d.Open, s.NameEnd)
	}
	return words
}

func (s *Syntax) callTail() tail {
	if s.Name == InText {
		return endTail
	}
	return tailOf(s.Name)
}

func tailOf(name string) tail {
	if name == InTag {
		return equalsTail
	}
	return attrTail
}
