package diag

import (
	"slices"
	"strings"
)

// A Family is a group of codes with a common subject. There are no others than
// those in [Families].
type Family struct {
	Name     string
	Title    string
	Begins   []string // how its codes begin
	Examples string   // how the examples of its codes are read
}

// Families lists the families, in the order of the codes.
var Families = []Family{
	{"input", "The bytes of a response, and the body of a server that holds it", []string{"TC0"}, response},
	{"envelope", "What stands around calls: marks, fences, reasoning, other text", []string{"TC1"}, response},
	{"literal", "The values that a call is written with", []string{"TC2"}, response},
	{"schema", "A call and the definition of its tool", []string{"TC3"},
		response + " The tools are `search(query: string, limit?: integer, sort?: \"date\" | \"rank\")`, `file_put(path: string, content: string)`, " +
			"`wget(uri: string, timeoutMs?: integer)` and `gmail_list(maxResults?: integer)`, at most 500."},
	{"integrity", "Calls that belong together, or are cut", []string{"TC4"}, response},
	{"security", "Calls that are not what they look like", []string{"TC5"}, response},
	{"limits", "What is too much to be read or shown", []string{"TC9"}, response},
	{"definitions", "Tool definitions", []string{"TD"}, "The examples are parts of a definition of a tool wget, which is good otherwise."},
	{"documents", "JSON and YAML documents, answers and schemas", []string{"TA", "TS"}, "The examples are documents."},
	{"runfiles", "Run files", []string{"TR"}, "The examples are records of a run file, shortened."},
	{"messages", "Messages, and the records of calls in them", []string{"TM"}, "The examples are records of calls."},
	{"events", "Events of a run, as a program reads them", []string{"TE"}, "The examples are events, one on a line."},
	{"policies", "Policies", []string{"TP"}, "The examples are policies."},
	{"baselines", "Baselines", []string{"TB"}, "The examples are said in words."},
}

const response = "The examples are responses; a statement alone stands in a fence with the word `tool`."

// Family returns the family of a code; the zero value if there is none.
func (c Code) Family() Family {
	i := slices.IndexFunc(Families, func(f Family) bool { return f.has(c) })
	if i < 0 {
		return Family{}
	}
	return Families[i]
}

func (f Family) has(c Code) bool {
	return slices.ContainsFunc(f.Begins, func(begin string) bool { return strings.HasPrefix(string(c), begin) })
}
