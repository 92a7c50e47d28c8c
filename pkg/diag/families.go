package diag

import (
	"slices"
	"strings"
)

// A Family is a group of codes with a common subject: one of [Families].
type Family struct {
	Name     string
	Title    string
	Prefixes []string // of its codes
	Examples string   // explains the examples of its codes
}

// Families lists the families, in the order of the codes.
var Families = []Family{
	{"input", "The bytes of a response, and the server's body around it", []string{"TC0"}, responseExamples},
	{"envelope", "Markers, fences, reasoning and text around calls", []string{"TC1"}, responseExamples},
	{"literal", "The values in a call", []string{"TC2"}, responseExamples},
	{"schema", "A call and its tool's definition", []string{"TC3"},
		responseExamples + " The tools are `search(query: string, limit?: integer, sort?: \"date\" | \"rank\")`, `file_put(path: string, content: string)`, " +
			"`wget(uri: string, timeoutMs?: integer)` and `gmail_list(maxResults?: integer)`, at most 500."},
	{"integrity", "Related and truncated calls", []string{"TC4"}, responseExamples},
	{"security", "Deceptive calls", []string{"TC5"}, responseExamples},
	{"limits", "Limits", []string{"TC9"}, responseExamples},
	{"definitions", "Tool definitions", []string{"TD"}, "The examples are parts of an otherwise valid definition of a tool wget."},
	{"documents", "JSON and YAML documents, answers and schemas", []string{"TA", "TS"}, "The examples are documents."},
	{"runfiles", "Run files", []string{"TR"}, "The examples are shortened records of a run file."},
	{"messages", "Messages and their call records", []string{"TM"}, "The examples are call records."},
	{"events", "Events of a run", []string{"TE"}, "The examples are events, one per line."},
	{"policies", "Policies", []string{"TP"}, "The examples are policies."},
	{"baselines", "Baselines", []string{"TB"}, "The examples are described in words."},
}

const responseExamples = "The examples are responses; single statements go in a fence with the info string `tool`."

// Family returns the family of a code; the zero value for an unknown code.
func (c Code) Family() Family {
	i := slices.IndexFunc(Families, func(f Family) bool { return f.hasCode(c) })
	if i < 0 {
		return Family{}
	}
	return Families[i]
}

func (f Family) hasCode(c Code) bool {
	return slices.ContainsFunc(f.Prefixes, func(begin string) bool { return strings.HasPrefix(string(c), begin) })
}
