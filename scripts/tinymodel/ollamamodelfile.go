package main

import "fmt"

// Modelfile returns the Modelfile for a model written by [NewModel]. Its template
// picks the reply: the script is named by the last "script: NAME" in a user
// message, and the turn is one more than the messages the assistant has sent. So a
// conversation whose user said "script: repair" is answered with the replies
// repair.1, repair.2 and so on.
//
// If a template does not mention tools, a server reports that the model does not
// support them. The template with tools writes calls between <tool_call> tags, so a
// server looks for calls there. Its choice of reply also shows whether the
// conversation was sent back completely: once there are calls in it, NAME.TURN is
// followed by a dash and the number of calls with arguments that the assistant has
// made, and another dash and the number of results whose ID is that of a call and
// whose name, if they have one, is the call's. So the reply after one call and its
// result is called repair.2-1-1; if either were lost on the way, the name would be
// another one, for which there is no reply.
//
// The model has one thread, because it is so small that waking others costs more
// than they would save.
func Modelfile(weights string, context uint32, tools bool) string {
	template := fmt.Sprintf(chatTemplate, "", "", "")
	if tools {
		template = fmt.Sprintf(chatTemplate, offeredTools, callsAndResults, afterCalls)
	}
	return fmt.Sprintf("FROM ./%s\nTEMPLATE \"\"\"%s\"\"\"\n%s", weights, template, modelfileParameters(context))
}

func modelfileParameters(context uint32) string {
	return fmt.Sprintf(`PARAMETER stop <|im_end|>
PARAMETER num_ctx %d
PARAMETER num_thread 1
PARAMETER temperature 0
`, context)
}

// chatTemplate counts and searches with the means of text/template: a string grows
// by a dot for each turn, so its length is the turn, and a loop over the length of
// a text looks at every suffix of it. A name ends at the first byte that no name
// has: "-" is 45, "." 46, "0" to "9" 48 to 57, "a" to "z" 97 to 122. It has three
// places for the additions of a template with tools.
const chatTemplate = `{{- $name := "default" }}{{ $turn := "." -}}%s
{{- range .Messages }}<|im_start|>{{ .Role }}
{{ .Content }}%s<|im_end|>
{{ if eq .Role "assistant" }}{{ $turn = print $turn "." }}{{ end -}}
{{- if eq .Role "user" }}{{ $text := .Content -}}
{{- range $i := len $text }}{{ if eq (index $text $i) 115 }}{{ $rest := slice $text $i -}}
{{- if gt (len $rest) 8 }}{{ if eq (slice $rest 0 8) "script: " }}{{ $name = slice $rest 8 -}}
{{- range $j := len $name }}{{ $c := index $name $j -}}
{{- if or (lt $c 45) (eq $c 47) (and (gt $c 57) (lt $c 97)) (gt $c 122) }}{{ $name = slice $name 0 $j }}{{ break }}{{ end -}}
{{- end }}{{ end }}{{ end }}{{ end }}{{ end }}{{ end -}}
{{- end }}<|im_start|>assistant
<|{{ $name }}.{{ len $turn }}%s|>`

// The additions of a template with tools.
const (
	offeredTools = `{{ $calls := "" }}{{ $results := "" -}}
{{- if .Tools }}<|im_start|>system
{{ .Tools }}<|im_end|>
{{ end -}}`

	callsAndResults = `
{{- if .ToolCalls }}<tool_call>
{{- range .ToolCalls }}{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}
{{- if .Function.Arguments }}{{ $calls = print $calls "." }}{{ end }}{{ end }}</tool_call>{{ end -}}
{{- if and (eq .Role "tool") .ToolCallID }}{{ $result := . -}}
{{- range $.Messages }}{{ range .ToolCalls -}}
{{- if and (eq .ID $result.ToolCallID) (or (not $result.ToolName) (eq .Function.Name $result.ToolName)) }}{{ $results = print $results "." }}{{ end -}}
{{- end }}{{ end }}{{ end }}`

	afterCalls = `{{ if or $calls $results }}-{{ len $calls }}-{{ len $results }}{{ end }}`
)
