package dialect

import (
	"bytes"
	"strings"
	"sync"
)

// controlTokens begin and end messages, or the whole text. In the text of a prompt, a server could read them as
// control tokens. Words of ordinary text and HTML are excluded.
var controlTokens = []string{
	"<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|system|>", "<|user|>", "<|assistant|>",
	"<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>",
	"<start_of_turn>", "<end_of_turn>", "<<SYS>>", "<</SYS>>",
	"<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>",
	"[INST]", "[/INST]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]",
}

// ControlToken returns the first token in a text that begins or ends a message for some model, and its offset;
// or "".
func ControlToken(text []byte) (token string, at int) {
	at = len(text)
	for _, first := range "<[" {
		for from := 0; from < at; {
			i := bytes.IndexByte(text[from:at], byte(first))
			if i < 0 {
				break
			}
			if found := controlTokenAt(text[from+i:]); found != "" {
				token, at = found, from+i
				break
			}
			from += i + 1
		}
	}
	return token, at
}

// controlTokenAt returns the token at the start of a text, or "".
func controlTokenAt(text []byte) string {
	for _, t := range controlTokens {
		if len(text) >= len(t) && string(text[:len(t)]) == t {
			return t
		}
	}
	return ""
}

// roleTokens are controlTokens and the message delimiters of further templates. A reply in a dialect with message
// headers keeps its own "<|start|>assistant" and "<|end|>", so only headers of others are inert.
var roleTokens = append([]string{
	"<|observation|>", "<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "<|SYSTEM_TOKEN|>", "<|USER_TOKEN|>", "<|CHATBOT_TOKEN|>",
	"<|im_system|>", "<|im_user|>", "<|im_assistant|>", "<|im_middle|>", "<|start_of_role|>", "<|end_of_role|>", "<|turn>", "<turn|>",
	"<|start|>user", "<|start|>system", "<|start|>developer", "<|start|>tool", "<|start|>functions.",
	"]~b]", "]~!b[", "[e~[", "<beginning_of_sentence>", "<end_of_sentence>", "<SPECIAL_",
	"<bos>", "<eos>",
}, controlTokens...)

// escapeRoles escapes the first character of each role token.
var escapeRoles = sync.OnceValue(func() *strings.Replacer {
	var pairs []string
	for _, token := range roleTokens {
		pairs = append(pairs, token, string(appendEscape(nil, rune(token[0])))+token[1:])
	}
	return strings.NewReplacer(pairs...)
})

// NeutraliseRoles makes role tokens inert in a text that goes back to the model that wrote it. Markers of calls
// and reasoning stay.
func NeutraliseRoles(text string) string { return escapeRoles().Replace(text) }
