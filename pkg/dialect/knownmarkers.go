package dialect

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Markers returns the markers of all known dialects, including those this package does not read, with role and
// reasoning markers. Words of ordinary text are excluded.
func Markers() []string { return slices.Concat(knownMarkers, tableMarkers()) }

// tableMarkers are the markers of the dialect table that contain no stem, so that a new row needs none. Words
// and mere brackets are excluded.
var tableMarkers = sync.OnceValue(func() []string {
	var all []string
	for i := range Dialects() {
		for _, marker := range Dialects()[i].markerTexts() {
			inert := func(stem string) bool { return strings.Contains(marker, stem) }
			if !isNameByte(marker[0]) && strings.ContainsFunc(marker, unicode.IsLetter) && !slices.ContainsFunc(stems, inert) {
				all = append(all, marker)
			}
		}
	}
	return all
})

var knownMarkers = []string{
	// Fences: tool, toolcalls, Continue, Gemini, command-r-plus. The keys of lists of calls have no quotes, because
	// other quotes or none are accepted, too.
	"```", "~~~", "TOOL_NAME:", "BEGIN_ARG:", "END_ARG", "toolCalls", "tool_calls",
	// JSON in tags: Hermes and its relatives, Granite, Jamba, Nemotron, Apriel.
	"<tool_call>", "</tool_call>", "<tool_call ", "<tool_calls>", "</tool_calls>", "<|tool_call|>", "<function_call>",
	"</function_call>", "<tools>", "</tools>", "<tool>", "</tool>", "<TOOLCALL>", "</TOOLCALL>", "<tool_response>",
	"</tool_response>", "<response>", "</response>", "<answer>", "</answer>", "<json>", "</json>", "<xml>", "</xml>",
	"<longcat_tool_call>", "</longcat_tool_call>", "<longcat_arg_key>", "functools[", "functools{", "[TOOL_CALLS]",
	// Llama, InternLM, Apertus, Cohere, GigaChat, Inkling, Sarashina.
	"<|python_tag|>", "<|eom_id|>", "<|eot_id|>", "<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>",
	"<|action_start|>", "<|plugin|>", "<|action_end|>", "<|tools_prefix|>", "<|tools_suffix|>", "<|inner_prefix|>",
	"<|inner_suffix|>", "<|START_ACTION|>", "<|END_ACTION|>", "<|START_RESPONSE|>", "<|START_TEXT|>", "<|message_sep|>",
	"<|role_sep|>", "<|tool_call:begin|>", "<|tool_call:name|>", "<|tool_call:args|>", "<|tool_call:end|>", "<|calls|>", "<|message_model|>", "<|content_invoke_tool_json|>", "<|end_message|>", "<|tool_calls|>",
	// Name, marker and JSON: Mistral, DeepSeek, Kimi, Harmony, Functionary, Qwen-Agent.
	"[ARGS]", "[CALL_ID]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]",
	"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>",
	"<｜tool▁outputs▁begin｜>", "<｜tool▁output▁begin｜>", "<｜tool_calls_begin｜>", "<｜tool calls begin｜>",
	`<｜tool\_calls\_begin｜>`, "<｜tool▁calls｜>", "<|tool_calls_begin|>", "<|tool_calls_end|>", "<|tool_sep|>",
	"<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>",
	"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_section_begin|>", "<|tool_call_begin|>",
	"<|tool_call_argument_begin|>", "<|tool_call_end|>",
	"<|start|>", "<|channel|>", "<|constrain|>", "<|message|>", "<|end|>", "<|call|>", "<|return|>",
	"<|from|>", "<|recipient|>", "<|content|>", "✿FUNCTION✿", "✿ARGS✿", "✿RESULT✿", "✿RETURN✿",
	"to=functions.", "functions.", "assistantanalysis", "assistantcommentary", "assistantfinal", "<function=", "</function>", ">>>",
	// XML with the key in the tag: Qwen Coder, Seed, MiniMax, DSML, Anthropic, ATEM, Step, MiniCPM, Kimi K3.
	"<parameter=", "</parameter>", "<parameter ", "<seed:tool_call>", "</seed:tool_call>", "<minimax:tool_call>",
	"</minimax:tool_call>", "<invoke ", "<invoke>", "</invoke>", "]<]minimax[>[", "<｜DSML｜", "</｜DSML｜", "<function_calls>",
	"</function_calls>", "<atem:", "</atem:", "<|eom|>", "<steptml:", "</steptml:", "<function ", "<functions>",
	"<param ", "</param>", "<params>", "<![CDATA[", "<|open|>", "<|sep|>", "<|close|>",
	"<cofl:tool_calls>", "</cofl:tool_calls>", "<cofl:tool_call ", "</cofl:tool_call>", "<cofl:value ", "</cofl:value>",
	"<cofl:tool_param ", "</cofl:tool_param>",
	// XML with pairs of key and value: GLM, Hunyuan, Laguna.
	"<user>", "</user>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "<tool_sep>",
	// Python calls: Llama 4, LFM2, Gemini.
	"<|python_start|>", "<|python_end|>", "<|tool_call_start|>", "<|tool_call_end|>", "default_api.",
	// Private quotes: Gemma.
	"<|tool_call>", "<tool_call|>", `<|"|>`, "<start_function_call>", "<end_function_call>", "<escape>", "call:",
	// Agent frameworks: ReAct, SWE-agent.
	"Action:", "Action Input:", "Observation:", "Final Answer:", "<command>", "</command>",
	// Reasoning.
	"<think>", "</think>", "<thinking>", "</thinking>", "<thought>", "</thought>", "<reasoning>", "</reasoning>", "<seed:think>", "</seed:think>", "<mm:think>", "</mm:think>", "◁think▷", "◁/think▷",
	"[THINK]", "[/THINK]", "<|START_THINKING|>", "<|END_THINKING|>", "<|channel>", "<channel|>", "<|content_thinking|>",
	"<scratch_pad>", "</scratch_pad>", "Here is my thought process:", "Here is my response:", "[BEGIN FINAL RESPONSE]", "[END FINAL RESPONSE]", "function call{", "<assistant>", "</assistant>",
	// Roles and other control tokens.
	"<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|system|>", "<|user|>", "<|assistant|>", "<|fim_prefix|>",
	"<|fim_suffix|>", "<|fim_middle|>", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]",
	"<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>", "<s>", "</s>",
	"]~b]", "]~!b[", "[e~[", "<beginning_of_sentence>", "<end_of_sentence>", "<SPECIAL_10>", // MiniMax, Nemotron Nano 2
}

// stems are substrings that cover all markers: wherever a stem occurs in a text, its first character is escaped.
// Every marker contains a stem.
var stems = []string{
	"```", "~~~", "<|", "|>", "<｜", "</｜", "｜>", "<<", "]<]", ">>>", "◁", "<!",
	"<tool", "</tool", "<function", "</function", "<invoke", "</invoke", "<param", "</param", "<arg_", "</arg_",
	"<think", "</think", "<thought", "</thought", "<reasoning", "</reasoning", "<seed:", "</seed:", "<mm:", "</mm:", "<minimax:", "</minimax:", "<atem:", "</atem:",
	"<steptml:", "</steptml:", "<cofl:", "</cofl:", "<user>", "</user>", "<longcat_", "</longcat_", "<scratch_pad", "</scratch_pad", "<response>", "</response>",
	"<answer>", "</answer>", "<json>", "</json>", "<xml>", "</xml>", "<command>", "</command>", "<escape>",
	"<start_", "<begin", "<end_", "<bos>", "<eos>", "<s>", "</s>", "]~", "[e~[", "<SPECIAL_",
	"[TOOL_", "[/TOOL_", "[AVAILABLE_", "[/AVAILABLE_", "[ARGS]", "[CALL_ID]", "[INST]", "[/INST]", "[THINK]", "[/THINK]",
	"[SYSTEM_", "[/SYSTEM_", "[BEGIN FINAL ", "[END FINAL ", "<assistant>", "</assistant>", "functools[", "functools{", "function call{", "toolCalls", "tool_calls", "TOOL_NAME:", "BEGIN_ARG:", "END_ARG",
	"✿FUNCTION✿", "✿ARGS✿", "✿RESULT✿", "✿RETURN✿", "functions.", "call:", "assistantanalysis", "assistantcommentary", "assistantfinal", "default_api.", "Action:", "Action Input:", "Observation:", "Final Answer:",
	"Here is my thought process:", "Here is my response:",
}

// markerTexts returns all markers of a dialect.
func (d *Dialect) markerTexts() []string {
	all := slices.Clone(d.framing.closers)
	for _, m := range d.framing.markers {
		all = append(all, m.text)
	}
	for _, w := range d.reasoningDelimiters() {
		for _, m := range w.markers {
			all = append(all, m.text)
		}
	}
	return all
}
