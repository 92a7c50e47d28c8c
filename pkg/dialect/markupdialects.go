package dialect

import (
	"bytes"
	"slices"

	"oneshot/pkg/dialect/markup"
)

// Lookaheads of markers that several dialects share.
var (
	thenFunction = thenWord("<function")
	thenInvoke   = thenWord("<invoke", "<｜DSML｜invoke")
)

// thenTaggedName matches a plain name, at once or on its own line, followed by a line end or a marker. After a blank
// on the same line it needs an argument: words about the tag in a sentence are not a call.
func thenTaggedName(text []byte) verdict {
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
var thenArguments = thenWord("<arg_key>", "<tool_sep>")

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

// noObjectThen excludes an object after the name: dialects of pairs write none, except for "laguna".
func noObjectThen(next lookahead) lookahead {
	object := nameThen(thenByte("{"))
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
var thenElement = withinBytes(maxTagLookahead, func(text []byte) verdict {
	tag, following, closed := bytes.Cut(text, []byte{'>'})
	following = trimLeft(following)
	switch {
	case bytes.LastIndexByte(trimLeft(tag), '<') > 0, closed && bytes.HasSuffix(tag, []byte{'/'}), closed && len(following) > 0 && following[0] != '<', len(following) > 1 && !isNameByte(following[1]):
		return no
	case len(following) < 2:
		return undecided
	}
	return not(thenWordAnyCase("<parameter"))(following)
})

// thenCallOfElements matches a call whose arguments are elements.
func thenCallOfElements(text []byte) verdict {
	if v := thenWord("<invoke")(text); v != yes {
		return v
	}
	return thenElement(text)
}

// thenForm matches a call whose parameters declare the form of their values.
var thenForm = withinBytes(maxTagLookahead, func(text []byte) verdict {
	v := thenInvoke(text)
	call, _, closed := bytes.Cut(text, []byte("</invoke>"))
	switch {
	case v != yes || containsByLastByte(call, ` string="`) || containsByLastByte(call, "<｜DSML｜"):
		return v
	case closed:
		return no
	}
	return undecided
})

// emptyCall is an element without a name, which is not a call.
var emptyCall = marker{text: "<tool_call>", role: ignore, lookahead: thenWord("</tool_call>")}

// A functionTag is the preset of a tag for each call, in the tags of a list or not, with a tag for each argument.
type functionTag struct {
	syntax *markup.Syntax
	list   string    // name of the tag around all calls; "" for none
	next   lookahead // for the text after that tag
	attr   string    // continues the opening tag of a call, if its name alone has other uses
}

// row returns a dialect of the family. The row adds its other markers.
func (p functionTag) row(d Dialect) Dialect {
	f := &d.framing
	call, _, callEnd := p.syntax.Tag(p.syntax.CallTags[0])
	if p.syntax.NameAttr == markup.InTag {
		call += markup.InTag
	}
	_, _, paramEnd := p.syntax.Tag(p.syntax.ParamTags[0])
	f.markers = append(f.markers,
		marker{text: call + p.attr, role: openKeep}, marker{text: callEnd, role: listClose}, marker{text: paramEnd, role: continuation})
	if p.list != "" {
		f.addList(p.syntax, p.list, p.next, "\n")
	}
	d.grammar = markupGrammar(p.syntax)
	return d
}

// addList adds the tags around all calls. A renderer writes them with a gap between them and the calls.
func (f *framing) addList(syntax *markup.Syntax, name string, next lookahead, gap string) {
	opening, end, closing := syntax.Tag(name)
	opening += end
	f.markers = append(f.markers, marker{text: opening, role: listOpen, lookahead: next}, marker{text: closing, role: listClose})
	if f.affixes == [2]string{} {
		f.affixes = [2]string{opening + gap, gap + closing}
	}
}

// A pairTag is the preset of a tag with the name of the tool, and a tag for each key and each value.
type pairTag struct {
	syntax *markup.Syntax
	list   string    // name of the tag around all calls; "" for none
	next   lookahead // for the text after the tag of a call
	object lookahead // for JSON in the tag of a call; nil if models write none
}

// row returns a dialect of the family. The row adds its other markers.
func (p pairTag) row(d Dialect) Dialect {
	f := &d.framing
	call, end, callEnd := p.syntax.Tag(p.syntax.CallTags[0])
	_, _, valueEnd := p.syntax.Tag(p.syntax.ValueTag)
	if p.object != nil {
		f.markers = append([]marker{{text: call + end, role: open, lookahead: p.object, ownLookahead: thenByte("{["), grammar: &namedObjects}}, f.markers...)
	}
	f.markers = append(f.markers,
		marker{text: call + end, role: openKeep, lookahead: p.next, ownLookahead: thenTaggedName},
		marker{text: callEnd, role: listClose}, marker{text: valueEnd, role: continuation})
	if p.list != "" {
		f.addList(p.syntax, p.list, thenWord(call+end), "")
	} else {
		f.closers = append([]string{callEnd}, f.closers...)
	}
	d.grammar = markupGrammar(p.syntax)
	return d
}

// markupDialects write calls as tags with text between them.
func markupDialects() []Dialect {
	return slices.Concat(functionTagRows(), invokeTagRows(), paramTagRows(), pairTagRows())
}

func functionTagRows() []Dialect {
	return []Dialect{
		functionTag{syntax: markup.Qwen3Coder, list: "tool_call", next: thenFunction}.row(Dialect{
			Name: "qwen3_coder_xml", HasJSONTools: true, ResultTags: [2]string{"<tool_response>", "</tool_response>"}, Title: "<function=NAME> with <parameter=KEY> in <tool_call> tags",
			Families: []string{"Qwen3 Coder", "Qwen 3.5 and 3.6", "MiMo", "Nemotron 3", "Step 3.5"}, Aliases: []string{"qwen3_coder", "step3p5", "nemotron3", "mimo"},
			Doc: `Each call is a tag <function=NAME> that holds a tag <parameter=KEY> for each argument, all in
<tool_call> tags. Values are text without escapes. The first and the last line end of each are not
part of it, and its type comes from the definition of the tool.`,
			framing: framing{markers: ignoredMarkers("<|im_end|>")},
		}),
		functionTag{syntax: markup.SeedOSS, list: "seed:tool_call"}.row(Dialect{
			Name: "seed_oss", HasJSONTools: true, Title: "<function=NAME> with <parameter=KEY> in <seed:tool_call> tags", Families: []string{"Seed-OSS"},
			Example: "<seed:tool_call>\n<function=get_weather>\n<parameter=city>Oslo</parameter>\n</function>\n</seed:tool_call>\n",
			Doc:     `As "qwen3_coder_xml", in <seed:tool_call> tags.`,
			framing: framing{reasoning: []*delimiters{newDelimiters("<seed:think>", "</seed:think>")}},
		}),
		functionTag{syntax: markup.OpenHands}.row(Dialect{
			Name: "openhands_xml", Title: "<function=NAME> with <parameter=KEY>", Aliases: []string{"openhands"},
			Example: "<function=get_weather>\n<parameter=city>Oslo</parameter>\n</function>\n",
			Doc:     `As "qwen3_coder_xml", without tags around the call. The text often ends before the last ">".`,
		}),
	}
}

func invokeTagRows() []Dialect {
	return []Dialect{
		{
			Name: "minimax_m3", HasJSONTools: true, Title: "<invoke> with a tag for each argument, after a token", Families: []string{"MiniMax M3"},
			Doc: `As "minimax_m2", with the token ]<]minimax[>[ before every tag. An argument is a tag with its
name, and objects and arrays are tags in tags. Servers may drop the token.`,
			framing: framing{
				markers: []marker{
					{text: "]<]minimax[>[<tool_call>", role: listOpen},
					{text: "]<]minimax[>[<invoke", role: openKeep},
					{text: "]<]minimax[>[</tool_call>", role: listClose},
					{text: "<tool_call>", role: listOpen, lookahead: thenWord("<invoke", "]<]minimax[>[<invoke")},
					{text: "<minimax:tool_call>", role: listOpen, lookahead: thenCallOfElements, ownLookahead: always},
					{text: "<invoke", role: openKeep, lookahead: thenElement, ownLookahead: always},
					{text: "</tool_call>", role: listClose},
					{text: "</minimax:tool_call>", role: listClose},
					{text: "</invoke>", role: listClose},
				},
				reasoning: []*delimiters{newDelimiters("<mm:think>", "</mm:think>")},
				affixes:   [2]string{"]<]minimax[>[<tool_call>", "]<]minimax[>[</tool_call>"},
			},
			grammar: markupGrammar(markup.MinimaxM3),
		},
		functionTag{syntax: markup.MinimaxM2, list: "minimax:tool_call"}.row(Dialect{
			Name: "minimax_m2", HasJSONTools: true, ResultTags: [2]string{"<response>", "</response>"}, Title: "<invoke> with <parameter> in <minimax:tool_call> tags", Families: []string{"MiniMax M2"},
			Doc: `Each call is a tag <invoke name="NAME"> that holds a tag <parameter name="KEY"> for each argument,
in <minimax:tool_call> tags. Values are text without escapes.`,
		}),
		functionTag{syntax: markup.DSML, list: "function_calls"}.row(Dialect{
			Name: "deepseek_dsml_v32", HasJSONTools: true, ResultTags: [2]string{"<function_results>", "</function_results>"}, Title: "<｜DSML｜invoke> with <｜DSML｜parameter>", Families: []string{"DeepSeek V3.2"}, Aliases: []string{"dsml", "deepseek_v32"},
			Doc: `As "minimax_m2", with ｜DSML｜ before the names of tags, which servers may drop. The attribute
"string" says whether a value is text or JSON. The arguments can also be one JSON object.`,
			framing: framing{markers: append(plainDSML("function_calls"), ignoredMarkers("<｜end▁of▁sentence｜>")...)},
		}),
		functionTag{syntax: markup.DSML, list: "tool_calls"}.row(Dialect{
			Name: "deepseek_dsml_v4", HasJSONTools: true, Title: "<｜DSML｜invoke> in <｜DSML｜tool_calls> tags", Families: []string{"DeepSeek V4"}, Aliases: []string{"deepseek_v4"},
			Doc:     `As "deepseek_dsml_v32", with other tags around the calls.`,
			framing: framing{markers: plainDSML("tool_calls")},
		}),
		functionTag{syntax: markup.AnthropicXML, list: "function_calls", next: thenInvoke}.row(Dialect{
			Name: "anthropic_xml", HasJSONTools: true, ResultTags: [2]string{"<function_results>", "</function_results>"}, Title: "<invoke> with <parameter> in <function_calls> tags", Families: []string{"Claude 2 and 3"},
			Doc: `As "minimax_m2", in <function_calls> tags. Newer models leak it into their text.`,
		}),
		functionTag{syntax: markup.Step3}.row(Dialect{
			Name: "step3", HasJSONTools: true, Title: "<steptml:invoke> with <steptml:parameter> between tokens", Families: []string{"Step 3"},
			Example: "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"get_weather\"><steptml:parameter name=\"city\">Oslo</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>\n",
			Doc:     `As "minimax_m2", with steptml: before the names of tags, in the tokens of DeepSeek.`,
			framing: framing{
				markers: []marker{
					{text: "<｜tool_calls_begin｜>", role: listOpen, lookahead: thenWord("<steptml:", "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:")},
					{text: "<｜tool_call_begin｜>", role: listOpen, skip: "function<｜tool_sep｜>", lookahead: thenWord("function<｜tool_sep｜><steptml:")},
					{text: "<｜tool_call_end｜>", role: listClose},
					{text: "<｜tool_calls_end｜>", role: listClose},
				},
				affixes: [2]string{"<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>", "<｜tool_call_end｜><｜tool_calls_end｜>"},
			},
		}),
	}
}

// plainDSML returns the markers of DSML without the prefix.
func plainDSML(list string) []marker {
	return []marker{
		{text: "<" + list + ">", role: listOpen, lookahead: thenForm, ownLookahead: thenInvoke},
		{text: "<invoke", role: openKeep},
		{text: "</" + list + ">", role: listClose},
		{text: "</invoke>", role: listClose},
		{text: "</parameter>", role: continuation},
	}
}

func paramTagRows() []Dialect {
	return []Dialect{
		functionTag{syntax: markup.MiniCPM5, attr: " name="}.row(Dialect{
			Name: "minicpm5_xml", HasJSONTools: true, Title: "<function> with <param>, and CDATA", Families: []string{"MiniCPM 5"}, Aliases: []string{"minicpm5"},
			Doc: `Each call is a tag <function name="NAME"> that holds a tag <param name="KEY"> for each argument, with the escapes and CDATA sections of XML. The blank before name= may be missing.`,
			framing: framing{
				markers: []marker{{text: "<functionname=", role: openKeep}, {text: "<function\u0120name=", role: openKeep}},
			},
		}),
		functionTag{syntax: markup.BFCL, list: "functions", attr: " name="}.row(Dialect{
			Name: "bfcl_xml", Title: "<function> with <params> in <functions> tags", Aliases: []string{"bfcl"},
			Example: "<functions>\n<function name=\"get_weather\"><params><param name=\"city\" value=\"Oslo\" type=\"string\"/></params></function>\n</functions>\n",
			Doc:     `The XML of the Berkeley function calling benchmark: the value of an argument is in the tag or follows it.`,
		}),
		functionTag{syntax: markup.CommandXML, list: "tool_calls", attr: " "}.row(Dialect{
			Name: "cohere_command5", Title: "<cofl:tool_call> with <cofl:value>", Families: []string{"Command"}, Aliases: []string{"cohere_cofl"},
			Example: "<cofl:tool_calls><cofl:tool_call id=\"0\" name=\"get_weather\"><cofl:value name=\"city\" type=\"raw\">Oslo</cofl:value></cofl:tool_call></cofl:tool_calls>\n",
			Doc: `Each call is a tag <cofl:tool_call> that holds a tag <cofl:value> for each argument, or
<cofl:tool_param> in an older form, in <cofl:tool_calls> tags. The attribute "type" says whether a
value is text ("raw"), JSON ("json"), or such tags again, with names ("dict") or without ("list").
The escapes of XML apply everywhere.`,
			framing: framing{
				markers:   append(ignoredMarkers(cohereAnswers...), marker{text: "</cofl:tool_param>", role: continuation}),
				reasoning: []*delimiters{newDelimiters("<|START_THINKING|>", "<|END_THINKING|>")},
				affixes:   [2]string{"<cofl:tool_calls>", "</cofl:tool_calls>"},
			},
		}),
	}
}

func pairTagRows() []Dialect {
	return []Dialect{
		pairTag{syntax: markup.GLM45, next: noObjectThen(nameThenLine), object: never}.row(Dialect{
			Name: "glm4_moe", HasJSONTools: true, ResultTags: [2]string{"<tool_response>", "</tool_response>"}, Title: "<tool_call>NAME with <arg_key> and <arg_value>", Families: []string{"GLM 4.5 and 4.6"},
			Doc: `Each call is a tag <tool_call> with the name of the tool and pairs of <arg_key> and <arg_value>.
Values are text without escapes, whose type comes from the definition of the tool.`,
			framing: framing{markers: append(ignoredMarkers("<|user|>"), observation, emptyCall)},
		}),
		pairTag{syntax: markup.GLM47, next: noObjectThen(thenTaggedName), object: never}.row(Dialect{
			Name: "glm47_moe", HasJSONTools: true, ResultTags: [2]string{"<tool_response>", "</tool_response>"}, Title: "<tool_call>NAME with <arg_key> and <arg_value>, on one line", Families: []string{"GLM 4.7 and 5"},
			Doc:     `As "glm4_moe", without line ends.`,
			framing: framing{markers: append(ignoredMarkers("<|user|>"), observation, emptyCall)},
		}),
		pairTag{syntax: markup.HunyuanV3, list: "tool_calls", next: noObjectThen(thenTaggedName)}.row(Dialect{
			Name: "hunyuan", HasJSONTools: true, Title: "<tool_call>NAME<tool_sep> with <arg_key> and <arg_value> in <tool_calls> tags", Families: []string{"Hunyuan 3"}, Aliases: []string{"hunyuan_v3", "hy_v3"},
			Doc:     `As "glm4_moe", with <tool_sep> after the name, in <tool_calls> tags.`,
			framing: framing{markers: []marker{emptyCall}},
		}),
		pairTag{syntax: markup.Laguna, next: thenTaggedName, object: thenByte("{[")}.row(Dialect{
			Name: "laguna", HasJSONTools: true, ResultTags: [2]string{"<tool_response>", "</tool_response>"}, Title: "<tool_call>NAME with <arg_key> and <arg_value>, or JSON", Families: []string{"Laguna", "Poolside"}, Aliases: []string{"poolside_v1"},
			Doc: `As "glm4_moe". The models also write JSON objects with "name" and "arguments", in <tool_call> tags
or alone, and <user> where <tool_call> should be.`,
			framing: framing{
				markers: append(ignoredMarkers("<assistant>", "</assistant>"), emptyCall,
					marker{text: "<user>", role: open, lookahead: never, ownLookahead: thenByte("{["), grammar: &namedObjects, sharedWithText: true},
					marker{text: "<user>", role: openKeep, lookahead: nameThen(thenWord("<arg_key>", "{")), sharedWithText: true},
				),
				closers:     []string{"</user>"},
				implicit:    jsonStart,
				firstKeys:   []string{"name"},
				listKeys:    []string{"tool_calls"},
				bareGrammar: &bareArguments,
			},
		}),
		pairTag{syntax: markup.LongcatXML, next: thenTaggedName, object: thenByte("{[")}.row(Dialect{
			Name: "longcat", HasJSONTools: true, ResultTags: [2]string{"<longcat_tool_response>", "</longcat_tool_response>"}, Title: "<longcat_tool_call> with JSON, or NAME and pairs", Families: []string{"LongCat Flash"},
			Example: "<longcat_tool_call>" + nameArguments.exampleCallObject() + "</longcat_tool_call>\n",
			Doc: `Each call is in <longcat_tool_call> tags: a JSON object with "name" and "arguments", or a
name with pairs of <longcat_arg_key> and <longcat_arg_value>.`,
			framing: framing{reasoning: []*delimiters{thinkTags, newDelimiters("<longcat_think>", "</longcat_think>")}},
		}),
	}
}
