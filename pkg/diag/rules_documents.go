package diag

// Codes about JSON documents and answers (TA), schemas (TS) and run files (TR).
const (
	NotJSON      Code = "TA001"
	SchemaFit    Code = "TA002" // a value does not fit its schema
	BadSchema    Code = "TS001"
	RunDamaged   Code = "TR001" // damage in the middle
	RunTorn      Code = "TR002" // torn tail
	RunSequence  Code = "TR003" // a record out of sequence or of another run
	RunVersion   Code = "TR004"
	RunUnordered Code = "TR005" // a record that cannot stand where it stands
)

// documentRules documents the TA, TS and TR codes.
var documentRules = []Rule{}
