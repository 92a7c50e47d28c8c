package diag

// Codes about calls in a model's output.
const (
	InvalidUTF8    Code = "TC001"
	OtherDialect   Code = "TC106"
	QuotedCall     Code = "TC109"
	UnclosedFence  Code = "TC111"
	FenceLine      Code = "TC112"
	NotACall       Code = "TC113"
	PythonLiteral  Code = "TC203"
	RawControl     Code = "TC204"
	BadEscape      Code = "TC205"
	UnescapedQuote Code = "TC206"
	Bracket        Code = "TC211"
	NotANumber     Code = "TC213"
	DuplicateKey   Code = "TC214"
	InexactNumber  Code = "TC215"
	NumberForm     Code = "TC216"
	NotALiteral    Code = "TC217"
	TooDeep        Code = "TC218"
	BadLiteral     Code = "TC220"
	KeywordArgs    Code = "TC221"
	UnknownTool    Code = "TC301"
	MissingArg     Code = "TC302"
	UnknownArg     Code = "TC303"
	WrongType      Code = "TC304"
	NotInEnum      Code = "TC306"
	ExtraArg       Code = "TC307"
	NameNoise      Code = "TC309"
	ArgConstraint  Code = "TC310"
	DuplicateCall  Code = "TC401"
	CutCall        Code = "TC404"
)

// callRules documents the TC codes.
var callRules = []Rule{}
