package main

import "strings"

// An envelope is the text around a payload in a response.
type envelope struct{ before, after string }

// envelopes hold the text around a payload, for the labels of the corpus that end
// in "#inner" (a list of calls, or one) and "#params" (the arguments of a call of
// the tool "f").
var envelopes = map[string]envelope{
	"cogito#inner":             {"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>", "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"},
	"deepseek_v31#inner":       {"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>", "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"},
	"functiongemma#inner":      {"<start_function_call>", "<end_function_call>"},
	"gemma4#inner":             {"<|tool_call>", "<tool_call|>"},
	"glm47_moe#inner":          {"<tool_call>", "</tool_call>"},
	"hermes#inner":             {"<tool_call>\n", "\n</tool_call>"},
	"kimi_k2#inner":            {"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"},
	"lfm2#inner":               {"<|tool_call_start|>", "<|tool_call_end|>"},
	"longcat#inner":            {"<longcat_tool_call>", "</longcat_tool_call>"},
	"minimax_m2#inner":         {"<minimax:tool_call>\n", "\n</minimax:tool_call>"},
	"mistral_args#inner":       {"[TOOL_CALLS]", ""},
	"olmo3#inner":              {"<function_calls>", "</function_calls>"},
	"qwen3_coder_xml#inner":    {"<tool_call>\n", "\n</tool_call>"},
	"cohere_command4#params":   {`<cofl:tool_calls><cofl:tool_call id="0" name="f">`, "</cofl:tool_call></cofl:tool_calls>"},
	"deepseek_dsml_v32#params": {`<｜DSML｜function_calls><｜DSML｜invoke name="f">`, "</｜DSML｜invoke></｜DSML｜function_calls>"},
	"glm47_moe#params":         {"<tool_call>f", "</tool_call>"},
	"minimax_m2#params":        {`<minimax:tool_call><invoke name="f">`, "</invoke></minimax:tool_call>"},
	"qwen3_coder_xml#params":   {"<tool_call>\n<function=f>\n", "\n</function>\n</tool_call>"},
}

// wrap returns a payload in its envelope, without repeating text that it
// already contains.
func (e envelope) wrap(payload string) string {
	before, after := e.before, e.after
	if strings.HasPrefix(payload, strings.TrimSpace(before)) {
		before = ""
	}
	if strings.HasSuffix(payload, strings.TrimSpace(after)) {
		after = ""
	}
	return before + payload + after
}

// dialects maps labels that are no dialect to one: those of reasoning
// parsers, which are tested without calls, and of models with another dialect.
var dialects = map[string]string{
	"reasoning_only":              "hermes",
	"thinking_tags":               "hermes",
	"cohere_command4#params":      "cohere_command5",
	"reasoning:deepseekr1":        "deepseek_v3",
	"reasoning:ernie45":           "ernie45",
	"reasoning:glm4_moe":          "glm4_moe",
	"reasoning:gptoss":            "harmony",
	"reasoning:granite":           "granite",
	"reasoning:holo2":             "hermes",
	"reasoning:hunyuan":           "hunyuan_a13b",
	"reasoning:minimax_m2":        "minimax_m2",
	"reasoning:minimax_m2_append": "minimax_m2",
	"reasoning:mistral":           "mistral",
	"reasoning:olmo3":             "olmo3",
	"reasoning:qwen3":             "hermes",
	"reasoning:seedoss":           "seed_oss",
	"reasoning:step3p5":           "step3p5",
}

// templates maps the text of a template before calls to its dialect, for a
// parser that is generated from the template.
var templates = map[string]string{
	"<tool_call>":          "hermes",
	"[TOOL_CALLS] [":       "mistral",
	"<|tool▁calls▁begin|>": "deepseek_v3",
	"{":                    "json_generic",
	"[":                    "json_generic",
}

// dialectName returns the name or alias of the dialect in which a row is read.
func (r *row) dialectName() string {
	if name, ok := templates[r.ToolTag]; ok {
		return name
	}
	if name, ok := dialects[r.Dialect]; ok {
		return name
	}
	name, _, _ := strings.Cut(r.Dialect, "#")
	return name
}

// wrappedText returns the text to read: the input in its envelope.
func (r *row) wrappedText() string { return envelopes[r.Dialect].wrap(r.Input) }

// chunks returns the chunks of a row, or nil.
func (r *row) chunks() []string {
	if strings.Join(r.Chunks, "") != r.wrappedText() {
		return nil
	}
	return r.Chunks
}
