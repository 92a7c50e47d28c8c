package tool

import (
	"encoding/json"

	"oneshot/pkg/chat"
)

// AskUser is the tool with which a model asks for information only the user has. Every registry contains it. It has no
// backend: the agent loop answers it.
var AskUser = askUser()

func askUser() *Definition {
	text := func(name, description string) Param {
		return Param{Name: name, Type: &Type{Kind: String}, Description: description}
	}
	const name, question = "ask_user", "Which city do you leave from?"
	params := []Param{
		text("question", "One short question."),
		text("key", "A name for the answer: a letter, then letters, digits and _."),
	}
	return &Definition{
		Name:        name,
		Description: "Ask for information that only the user has and the work needs. The run stops here until the user answers.",
		Signature:   Signature{Name: name, Params: params, Returns: &Type{Kind: Object}},
		Schema: json.RawMessage(`{"type":"object","properties":{"question":{"type":"string","minLength":1,"maxLength":500,"description":"` + params[0].Description +
			`"},"key":{"type":"string","pattern":"^[A-Za-z][A-Za-z0-9_]{0,39}$","description":"` + params[1].Description + `"}},"required":["question","key"],"additionalProperties":false}`),
		Returns:        "object",
		PromptExamples: new(int), // a copied example would ask for nothing useful
		Examples: []Example{{
			Call: name + `({question: "` + question + `", key: "city"})`,
			Parsed: chat.Call{
				Name: name, Arguments: json.RawMessage(`{"question":"` + question + `","key":"city"}`), Status: chat.StatusOK, Executable: true,
			},
		}},
		Effect: Read,
	}
}
