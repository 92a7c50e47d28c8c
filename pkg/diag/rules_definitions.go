package diag

// Codes about tool definitions.
const (
	DefSyntax     Code = "TD001"
	DefUnknownKey Code = "TD002"
	DefDuplicate  Code = "TD003" // duplicate key
	DefType       Code = "TD004" // wrong type of a value
	DefMissing    Code = "TD005" // required key missing
	DefValue      Code = "TD006" // right type, wrong value
	DefExamples   Code = "TD007" // fewer than three
	DefExample    Code = "TD008" // an example does not fit the parameters
	DefSignature  Code = "TD009" // signature does not parse
	DefDisagree   Code = "TD010" // signature and parameters disagree
	DefName       Code = "TD011" // two definitions of one name
	DefImpl       Code = "TD012" // no implementation, several, or one that does not exist
)

// definitionRules documents the TD codes.
var definitionRules = []Rule{}
