package main

import "fmt"

// Modelfile returns the Modelfile for a model written by [Model]. Its template
// picks the reply: the script is named by the last "script: NAME" in a user
// message, and the turn is one more than the messages the assistant has sent.
// So a conversation whose user said "script: repair" is answered with the
// replies repair.1, repair.2 and so on. The template has no word for tools, so a
// server says that the model does not support them.
//
// One thread, because a model this small loses more by waking others than they
// would help.
func Modelfile(weights string, context uint32) string {
	return fmt.Sprintf("FROM ./%s\nTEMPLATE \"\"\"%s\"\"\"\n%s", weights, chatTemplate, parameters(context))
}

func parameters(context uint32) string {
	return fmt.Sprintf(`PARAMETER stop <|im_end|>
PARAMETER num_ctx %d
PARAMETER num_thread 1
PARAMETER temperature 0
`, context)
}

// chatTemplate counts and searches with what text/template has: a string grows by a
// dot for each turn, so its length is the turn, and a loop over the length of a
// text looks at every suffix of it. A name ends at the first byte that no name
// has: "-" is 45, "." 46, "0" to "9" 48 to 57, "a" to "z" 97 to 122.
const chatTemplate = `{{- $name := "default" }}{{ $turn := "." -}}
{{- range .Messages }}<|im_start|>{{ .Role }}
{{ .Content }}<|im_end|>
{{ if eq .Role "assistant" }}{{ $turn = print $turn "." }}{{ end -}}
{{- if eq .Role "user" }}{{ $text := .Content -}}
{{- range $i := len $text }}{{ if eq (index $text $i) 115 }}{{ $rest := slice $text $i -}}
{{- if gt (len $rest) 8 }}{{ if eq (slice $rest 0 8) "script: " }}{{ $name = slice $rest 8 -}}
{{- range $j := len $name }}{{ $c := index $name $j -}}
{{- if or (lt $c 45) (eq $c 47) (and (gt $c 57) (lt $c 97)) (gt $c 122) }}{{ $name = slice $name 0 $j }}{{ break }}{{ end -}}
{{- end }}{{ end }}{{ end }}{{ end }}{{ end }}{{ end -}}
{{- end }}<|im_start|>assistant
<|{{ $name }}.{{ len $turn }}|>`
