package dialect

import (
	"bytes"

	"oneshot/pkg/dialect/markup"
)

// Lookaheads of markers that several dialects share.
var (
	thenFunction = then("<function")
	thenInvoke   = then("<invoke", "<｜DSML｜invoke")
)

// thenTool matches a plain name, at once or on its own line, followed by a line end or a marker. After a blank
// on the same line it needs an argument: words about the tag in a sentence are not a call.
func thenTool(text []byte) verdict {
	following := trimLeft(text)
	n := 0
	for n < len(following) && isNameByte(following[n]) && (n > 0 || following[0] != '.' && following[0] != '-') {
		n++
	}
	rest := bytes.TrimLeft(following[n:], " \t")
	switch {
	case len(rest) == 0:
		return undecided
	case n == 0:
		return no
	case len(text) > 0 && (text[0] == ' ' || text[0] == '\t') && !bytes.ContainsAny(text[:len(text)-len(following)], "\r\n"):
		return thenArguments(rest)
	}
	return verdictOf(isNewline(rest[0]) || rest[0] == '<' || rest[0] == '\\' || rest[0] == '{')
}

// thenArguments matches the marker of the first argument.
var thenArguments = then("<arg_key>", "<tool_sep>")

// nameThenLine matches a single-word name followed by a line end.
func nameThenLine(text []byte) verdict {
	text = trimLeft(text)
	n := 0
	for n < len(text) && isNameByte(text[n]) {
		n++
	}
	rest := bytes.TrimLeft(text[n:], " \t")
	if len(rest) == 0 {
		return undecided
	}
	return verdictOf(n > 0 && (isNewline(rest[0]) || rest[0] == '\\'))
}

// withoutObject excludes an object after the name: dialects of pairs write none, except for "laguna".
func withoutObject(next lookahead) lookahead {
	object := nameThen(blankThen("{"))
	return func(text []byte) verdict {
		switch object(text) {
		case yes:
			return no
		case undecided:
			if next(text) == no {
				return no
			}
			return undecided
		}
		return next(text)
	}
}

// maxTagLookahead bounds the part of a call that is inspected to tell its form by its tags.
const maxTagLookahead = 256

// thenElement matches the rest of a tag and the opening tag of something other than a parameter.
var thenElement = within(maxTagLookahead, func(text []byte) verdict {
	tag, following, closed := bytes.Cut(text, []byte{'>'})
	following = trimLeft(following)
	switch {
	case bytes.LastIndexByte(trimLeft(tag), '<') > 0, closed && bytes.HasSuffix(tag, []byte{'/'}), closed && len(following) > 0 && following[0] != '<', len(following) > 1 && !isNameByte(following[1]):
		return no
	case len(following) < 2:
		return undecided
	}
	return not(anyCase("<parameter"))(following)
})

// thenCallOfElements matches a call whose arguments are elements.
func thenCallOfElements(text []byte) verdict {
	if v := then("<invoke")(text); v != yes {
		return v
	}
	return thenElement(text)
}

// thenForm matches a call whose parameters declare the form of their values.
var thenForm = within(maxTagLookahead, func(text []byte) verdict {
	v := thenInvoke(text)
	call, _, closed := bytes.Cut(text, []byte("</invoke>"))
	switch {
	case v != yes || containsWord(call, ` string="`) || containsWord(call, "<｜DSML｜"):
		return v
	case closed:
		return no
	}
	return undecided
})

// emptyCall is an element without a name, which is not a call.
var emptyCall = marker{text: "<tool_call>", role: ignore, lookahead: then("</tool_call>")}

// markupDialects write calls as tags with text between them.
func markupDialects() []Dialect {
	return []Dialect{
		{
			Name:     "qwen3_coder_xml",
			Title:    "<function=NAME> with <parameter=KEY> in <tool_call> tags",
			Families: []string{"Qwen3 Coder", "Qwen 3.5 and 3.6", "MiMo", "Nemotron 3", "Step 3.5"},
			Aliases:  []string{"qwen3_coder", "step3p5", "nemotron3", "mimo"},
			Example:  "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>\n",
			Doc: `Each call is a tag <function=NAME> that holds a tag <parameter=KEY> for each argument, all in
<tool_call> tags. Values are text without escapes. The first and the last line end of each are not
part of it, and its type comes from the definition of the tool.`,
			framing: framing{
				markers: []marker{
					{text: "<tool_call>", role: listOpen, lookahead: thenFunction},
					{text: "<function=", role: openKeep},
					{text: "</tool_call>", role: listClose},
					{text: "</function>", role: listClose},
					{text: "</parameter>", role: continuation},
					{text: "<|im_end|>", role: ignore},
				},
				affixes: [2]string{"<tool_call>\n", "\n</tool_call>"},
			},
			grammar: tagged(markup.Qwen3Coder),
		},
		{
			Name:     "seed_oss",
			Title:    "<function=NAME> with <parameter=KEY> in <seed:tool_call> tags",
			Families: []string{"Seed-OSS"},
			Example:  "<seed:tool_call>\n<function=get_weather>\n<parameter=city>Oslo</parameter>\n</function>\n</seed:tool_call>\n",
			Doc:      `As "qwen3_coder_xml", in <seed:tool_call> tags.`,
			framing: framing{
				markers: []marker{
					{text: "<seed:tool_call>", role: listOpen},
					{text: "<function=", role: openKeep},
					{text: "</seed:tool_call>", role: listClose},
					{text: "</function>", role: listClose},
					{text: "</parameter>", role: continuation},
				},
				reasoning: []*delimiters{newDelimiters("<seed:think>", "</seed:think>")},
				affixes:   [2]string{"<seed:tool_call>\n", "\n</seed:tool_call>"},
			},
			grammar: tagged(markup.SeedOSS),
		},
		{
			Name:    "openhands_xml",
			Title:   "<function=NAME> with <parameter=KEY>",
			Aliases: []string{"openhands"},
			Example: "<function=get_weather>\n<parameter=city>Oslo</parameter>\n</function>\n",
			Doc:     `As "qwen3_coder_xml", without tags around the call. The text often ends before the last ">".`,
			framing: framing{
				markers: []marker{{text: "<function=", role: openKeep}, {text: "</function>", role: listClose}, {text: "</parameter>", role: continuation}},
			},
			grammar: tagged(markup.OpenHands),
		},
		{
			Name:     "minimax_m3",
			Title:    "<invoke> with a tag for each argument, after a token",
			Families: []string{"MiniMax M3"},
			Example:  "]<]minimax[>[<tool_call>]<]minimax[>[<invoke name=\"get_weather\">]<]minimax[>[<city>Oslo]<]minimax[>[</city>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>\n",
			Doc: `As "minimax_m2", with the token ]<]minimax[>[ before every tag. An argument is a tag with its
name, and objects and arrays are tags in tags. Servers may drop the token.`,
			framing: framing{
				markers: []marker{
					{text: "]<]minimax[>[<tool_call>", role: listOpen},
					{text: "]<]minimax[>[<invoke", role: openKeep},
					{text: "]<]minimax[>[</tool_call>", role: listClose},
					{text: "<tool_call>", role: listOpen, lookahead: then("<invoke", "]<]minimax[>[<invoke")},
					{text: "<minimax:tool_call>", role: listOpen, lookahead: thenCallOfElements, ownLookahead: anything},
					{text: "<invoke", role: openKeep, lookahead: thenElement, ownLookahead: anything},
					{text: "</tool_call>", role: listClose},
					{text: "</minimax:tool_call>", role: listClose},
					{text: "</invoke>", role: listClose},
				},
				reasoning: []*delimiters{newDelimiters("<mm:think>", "</mm:think>")},
				affixes:   [2]string{"]<]minimax[>[<tool_call>", "]<]minimax[>[</tool_call>"},
			},
			grammar: tagged(markup.MinimaxM3),
		},
		{
			Name:     "minimax_m2",
			Title:    "<invoke> with <parameter> in <minimax:tool_call> tags",
			Families: []string{"MiniMax M2"},
			Example:  "<minimax:tool_call>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">Oslo</parameter>\n</invoke>\n</minimax:tool_call>\n",
			Doc: `Each call is a tag <invoke name="NAME"> that holds a tag <parameter name="KEY"> for each argument,
in <minimax:tool_call> tags. Values are text without escapes.`,
			framing: framing{
				markers: []marker{
					{text: "<minimax:tool_call>", role: listOpen},
					{text: "<invoke", role: openKeep},
					{text: "</minimax:tool_call>", role: listClose},
					{text: "</invoke>", role: listClose},
					{text: "</parameter>", role: continuation},
				},
				affixes: [2]string{"<minimax:tool_call>\n", "\n</minimax:tool_call>"},
			},
			grammar: tagged(markup.MinimaxM2),
		},
		{
			Name:     "deepseek_dsml_v32",
			Title:    "<｜DSML｜invoke> with <｜DSML｜parameter>",
			Families: []string{"DeepSeek V3.2"},
			Aliases:  []string{"dsml", "deepseek_v32"},
			Example:  "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"get_weather\">\n<｜DSML｜parameter name=\"city\" string=\"true\">Oslo</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>\n",
			Doc: `As "minimax_m2", with ｜DSML｜ before the names of tags, which servers may drop. The attribute
"string" says whether a value is text or JSON. The arguments can also be one JSON object.`,
			framing: framing{
				markers: []marker{
					{text: "<｜DSML｜function_calls>", role: listOpen},
					{text: "<｜DSML｜invoke", role: openKeep},
					{text: "</｜DSML｜function_calls>", role: listClose},
					{text: "</｜DSML｜invoke>", role: listClose},
					{text: "<function_calls>", role: listOpen, lookahead: thenForm, ownLookahead: thenInvoke},
					{text: "<invoke", role: openKeep},
					{text: "</function_calls>", role: listClose},
					{text: "</invoke>", role: listClose},
					{text: "</｜DSML｜parameter>", role: continuation},
					{text: "</parameter>", role: continuation},
					{text: "<｜end▁of▁sentence｜>", role: ignore},
				},
				affixes: [2]string{"<｜DSML｜function_calls>\n", "\n</｜DSML｜function_calls>"},
			},
			grammar: tagged(markup.DSML),
		},
		{
			Name:     "deepseek_dsml_v4",
			Title:    "<｜DSML｜invoke> in <｜DSML｜tool_calls> tags",
			Families: []string{"DeepSeek V4"},
			Aliases:  []string{"deepseek_v4"},
			Example:  "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"get_weather\">\n<｜DSML｜parameter name=\"city\" string=\"true\">Oslo</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>\n",
			Doc:      `As "deepseek_dsml_v32", with other tags around the calls.`,
			framing: framing{
				markers: []marker{
					{text: "<｜DSML｜tool_calls>", role: listOpen},
					{text: "<｜DSML｜invoke", role: openKeep},
					{text: "</｜DSML｜tool_calls>", role: listClose},
					{text: "</｜DSML｜invoke>", role: listClose},
					{text: "<tool_calls>", role: listOpen, lookahead: thenForm, ownLookahead: thenInvoke},
					{text: "<invoke", role: openKeep},
					{text: "</tool_calls>", role: listClose},
					{text: "</invoke>", role: listClose},
					{text: "</｜DSML｜parameter>", role: continuation},
					{text: "</parameter>", role: continuation},
				},
				affixes: [2]string{"<｜DSML｜tool_calls>\n", "\n</｜DSML｜tool_calls>"},
			},
			grammar: tagged(markup.DSML),
		},
		{
			Name:     "anthropic_xml",
			Title:    "<invoke> with <parameter> in <function_calls> tags",
			Families: []string{"Claude 2 and 3"},
			Example:  "<function_calls>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">Oslo</parameter>\n</invoke>\n</function_calls>\n",
			Doc:      `As "minimax_m2", in <function_calls> tags. Newer models leak it into their text.`,
			framing: framing{
				markers: []marker{
					{text: "<function_calls>", role: listOpen, lookahead: thenInvoke},
					{text: "<invoke", role: openKeep},
					{text: "</function_calls>", role: listClose},
					{text: "</invoke>", role: listClose},
					{text: "</parameter>", role: continuation},
				},
				affixes: [2]string{"<function_calls>\n", "\n</function_calls>"},
			},
			grammar: tagged(markup.AnthropicXML),
		},
		{
			Name:     "step3",
			Title:    "<steptml:invoke> with <steptml:parameter> between tokens",
			Families: []string{"Step 3"},
			Example:  "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"get_weather\"><steptml:parameter name=\"city\">Oslo</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>\n",
			Doc:      `As "minimax_m2", with steptml: before the names of tags, in the tokens of DeepSeek.`,
			framing: framing{
				markers: []marker{
					{text: "<｜tool_calls_begin｜>", role: listOpen, lookahead: then("<steptml:", "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:")},
					{text: "<｜tool_call_begin｜>", role: listOpen, skip: "function<｜tool_sep｜>", lookahead: then("function<｜tool_sep｜><steptml:")},
					{text: "<steptml:invoke", role: openKeep},
					{text: "</steptml:invoke>", role: listClose},
					{text: "</steptml:parameter>", role: continuation},
					{text: "<｜tool_call_end｜>", role: listClose},
					{text: "<｜tool_calls_end｜>", role: listClose},
				},
				affixes: [2]string{"<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>", "<｜tool_call_end｜><｜tool_calls_end｜>"},
			},
			grammar: tagged(markup.Step3),
		},
		{
			Name:     "minicpm5_xml",
			Title:    "<function> with <param>, and CDATA",
			Families: []string{"MiniCPM 5"},
			Aliases:  []string{"minicpm5"},
			Example:  "<function name=\"get_weather\"><param name=\"city\">Oslo</param></function>\n",
			Doc:      `Each call is a tag <function name="NAME"> that holds a tag <param name="KEY"> for each argument, with the escapes and CDATA sections of XML. The blank before name= may be missing.`,
			framing: framing{
				markers: []marker{
					{text: "<function name=", role: openKeep}, {text: "<functionname=", role: openKeep}, {text: "<function\u0120name=", role: openKeep},
					{text: "</function>", role: listClose}, {text: "</param>", role: continuation},
				},
			},
			grammar: tagged(markup.MiniCPM5),
		},
		{
			Name:    "bfcl_xml",
			Title:   "<function> with <params> in <functions> tags",
			Aliases: []string{"bfcl"},
			Example: "<functions>\n<function name=\"get_weather\"><params><param name=\"city\" value=\"Oslo\" type=\"string\"/></params></function>\n</functions>\n",
			Doc:     `The XML of the Berkeley function calling benchmark: the value of an argument is in the tag or follows it.`,
			framing: framing{
				markers: []marker{
					{text: "<functions>", role: listOpen},
					{text: "<function name=", role: openKeep},
					{text: "</functions>", role: listClose},
					{text: "</function>", role: listClose},
					{text: "</param>", role: continuation},
				},
				affixes: [2]string{"<functions>\n", "\n</functions>"},
			},
			grammar: tagged(markup.BFCL),
		},
		{
			Name:     "cohere_command5",
			Title:    "<cofl:tool_call> with <cofl:value>",
			Families: []string{"Command"},
			Aliases:  []string{"cohere_cofl"},
			Example:  "<cofl:tool_calls><cofl:tool_call id=\"0\" name=\"get_weather\"><cofl:value name=\"city\" type=\"raw\">Oslo</cofl:value></cofl:tool_call></cofl:tool_calls>\n",
			Doc: `Each call is a tag <cofl:tool_call> that holds a tag <cofl:value> for each argument, or
<cofl:tool_param> in an older form, in <cofl:tool_calls> tags. The attribute "type" says whether a
value is text ("raw"), JSON ("json"), or such tags again, with names ("dict") or without ("list").
The escapes of XML apply everywhere.`,
			framing: framing{
				markers: []marker{
					{text: "<cofl:tool_calls>", role: listOpen},
					{text: "<cofl:tool_call ", role: openKeep},
					{text: "</cofl:tool_calls>", role: listClose},
					{text: "</cofl:tool_call>", role: listClose},
					{text: "</cofl:value>", role: continuation},
					{text: "</cofl:tool_param>", role: continuation},
					{text: "<|START_RESPONSE|>", role: ignore},
					{text: "<|END_RESPONSE|>", role: ignore},
					{text: "<|START_TEXT|>", role: ignore},
					{text: "<|END_TEXT|>", role: ignore},
					{text: "<|END_OF_TURN_TOKEN|>", role: ignore},
				},
				reasoning: []*delimiters{newDelimiters("<|START_THINKING|>", "<|END_THINKING|>")},
				affixes:   [2]string{"<cofl:tool_calls>", "</cofl:tool_calls>"},
			},
			grammar: tagged(markup.CommandXML),
		},
		{
			Name:     "glm4_moe",
			Title:    "<tool_call>NAME with <arg_key> and <arg_value>",
			Families: []string{"GLM 4.5 and 4.6"},
			Example:  "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>\n",
			Doc: `Each call is a tag <tool_call> with the name of the tool and pairs of <arg_key> and <arg_value>.
Values are text without escapes, whose type comes from the definition of the tool.`,
			framing: framing{
				markers: []marker{
					{text: "<tool_call>", role: open, lookahead: never, ownLookahead: blankThen("{["), grammar: &namedObjects},
					emptyCall,
					{text: "<tool_call>", role: openKeep, lookahead: withoutObject(nameThenLine), ownLookahead: thenTool},
					{text: "</tool_call>", role: listClose},
					{text: "</arg_value>", role: continuation},
					{text: "<|observation|>", role: ignore},
					{text: "<|user|>", role: ignore},
				},
				closers: []string{"</tool_call>"},
			},
			grammar: tagged(markup.GLM45),
		},
		{
			Name:     "glm47_moe",
			Title:    "<tool_call>NAME with <arg_key> and <arg_value>, on one line",
			Families: []string{"GLM 4.7 and 5"},
			Example:  "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>\n",
			Doc:      `As "glm4_moe", without line ends.`,
			framing: framing{
				markers: []marker{
					{text: "<tool_call>", role: open, lookahead: never, ownLookahead: blankThen("{["), grammar: &namedObjects},
					emptyCall,
					{text: "<tool_call>", role: openKeep, lookahead: withoutObject(thenTool), ownLookahead: thenTool},
					{text: "</tool_call>", role: listClose},
					{text: "</arg_value>", role: continuation},
					{text: "<|observation|>", role: ignore},
					{text: "<|user|>", role: ignore},
				},
				closers: []string{"</tool_call>"},
			},
			grammar: tagged(markup.GLM47),
		},
		{
			Name:     "hunyuan",
			Title:    "<tool_call>NAME<tool_sep> with <arg_key> and <arg_value> in <tool_calls> tags",
			Families: []string{"Hunyuan 3"},
			Aliases:  []string{"hunyuan_v3", "hy_v3"},
			Example:  "<tool_calls><tool_call>get_weather<tool_sep>\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call></tool_calls>\n",
			Doc:      `As "glm4_moe", with <tool_sep> after the name, in <tool_calls> tags.`,
			framing: framing{
				markers: []marker{
					{text: "<tool_calls>", role: listOpen, lookahead: then("<tool_call>")},
					emptyCall,
					{text: "<tool_call>", role: openKeep, lookahead: withoutObject(thenTool), ownLookahead: thenTool},
					{text: "</tool_calls>", role: listClose},
					{text: "</tool_call>", role: listClose},
					{text: "</arg_value>", role: continuation},
				},
				affixes: [2]string{"<tool_calls>", "</tool_calls>"},
			},
			grammar: tagged(markup.HunyuanV3),
		},
		{
			Name:     "laguna",
			Title:    "<tool_call>NAME with <arg_key> and <arg_value>, or JSON",
			Families: []string{"Laguna", "Poolside"},
			Aliases:  []string{"poolside_v1"},
			Example:  "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>\n",
			Doc: `As "glm4_moe". The models also write JSON objects with "name" and "arguments", in <tool_call> tags
or alone, and <user> where <tool_call> should be.`,
			framing: framing{
				markers: []marker{
					{text: "<tool_call>", role: open, lookahead: blankThen("{["), grammar: &namedObjects},
					{text: "<user>", role: open, lookahead: never, ownLookahead: blankThen("{["), grammar: &namedObjects, sharedWithText: true},
					emptyCall,
					{text: "<tool_call>", role: openKeep, lookahead: thenTool},
					{text: "<user>", role: openKeep, lookahead: nameThen(then("<arg_key>", "{")), sharedWithText: true},
					{text: "</tool_call>", role: listClose},
					{text: "</arg_value>", role: continuation},
					{text: "<assistant>", role: ignore},
					{text: "</assistant>", role: ignore},
				},
				closers:     []string{"</tool_call>", "</user>"},
				implicit:    jsonStart,
				firstKeys:   []string{"name"},
				listKeys:    []string{"tool_calls"},
				bareGrammar: &bareArguments,
			},
			grammar: tagged(markup.Laguna),
		},
		{
			Name:     "longcat",
			Title:    "<longcat_tool_call> with JSON, or NAME and pairs",
			Families: []string{"LongCat Flash"},
			Example:  "<longcat_tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}</longcat_tool_call>\n",
			Doc: `Each call is in <longcat_tool_call> tags: a JSON object with "name" and "arguments", or a
name with pairs of <longcat_arg_key> and <longcat_arg_value>.`,
			framing: framing{
				markers: []marker{
					{text: "<longcat_tool_call>", role: open, lookahead: blankThen("{["), grammar: &namedObjects},
					{text: "<longcat_tool_call>", role: openKeep, lookahead: thenTool},
					{text: "</longcat_tool_call>", role: listClose},
					{text: "</longcat_arg_value>", role: continuation},
				},
				closers:   []string{"</longcat_tool_call>"},
				reasoning: []*delimiters{thinkTags, newDelimiters("<longcat_think>", "</longcat_think>")},
			},
			grammar: tagged(markup.LongcatXML),
		},
	}
}

// Additional JSON grammars of these dialects.
var (
	namedObjects = taggedJSON(nameArguments)
)
