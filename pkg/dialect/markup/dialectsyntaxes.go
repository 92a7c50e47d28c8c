package markup

// The syntaxes, named after their dialects.
var (
	// Qwen3Coder is <function=NAME><parameter=KEY>VALUE</parameter></function>, with a line end
	// on each side of a value.
	Qwen3Coder = &Syntax{
		CallTags: []string{"function"}, NameAttr: InTag, ParamTags: []string{"parameter"}, KeyAttr: InTag,
		Padding: Newline, WrapperTags: []string{"tool_call"},
	}

	// SeedOSS is [Qwen3Coder] with other wrappers.
	SeedOSS = &Syntax{
		CallTags: []string{"function"}, NameAttr: InTag, ParamTags: []string{"parameter"}, KeyAttr: InTag,
		Padding: Newline, WrapperTags: []string{"seed:tool_call"},
	}

	// OpenHands is [Qwen3Coder] without wrappers. The text often ends before the last ">".
	OpenHands = &Syntax{
		CallTags: []string{"function"}, NameAttr: InTag, ParamTags: []string{"parameter"}, KeyAttr: InTag,
		Padding: Newline, OptionalEnd: true,
	}

	// MinimaxM2 is <invoke name="NAME"><parameter name="KEY">VALUE</parameter></invoke>.
	MinimaxM2 = &Syntax{
		CallTags: []string{"invoke"}, NameAttr: "name", ParamTags: []string{"parameter"}, KeyAttr: "name",
		Untyped: Text, WrapperTags: []string{"minimax:tool_call"},
	}

	// MinimaxM3 writes each argument as an element with the argument's name, and a token before
	// every tag.
	MinimaxM3 = &Syntax{
		Token: "]<]minimax[>[", CallTags: []string{"invoke"}, NameAttr: "name", ParamTags: []string{"parameter"}, KeyAttr: "name",
		ElementParams: true, NestedTags: true, Untyped: JSON, Escapes: Escapes{Entities: true}, Compact: true,
		WrapperTags: []string{"tool_call", "minimax:tool_call"},
	}

	// DSML declares each value as text or JSON.
	DSML = &Syntax{
		Prefix: "｜DSML｜", CallTags: []string{"invoke"}, NameAttr: "name", ParamTags: []string{"parameter"}, KeyAttr: "name",
		TypeAttrs: TypeAttrs{StringAttr: "string"}, ObjectArgs: true, WrapperTags: []string{"function_calls", "tool_calls"},
	}

	// AnthropicXML is the format of old Claude models.
	AnthropicXML = &Syntax{
		CallTags: []string{"invoke"}, NameAttr: "name", ParamTags: []string{"parameter"}, KeyAttr: "name",
		WrapperTags: []string{"function_calls"},
	}

	// ATEM is [AnthropicXML] in a namespace.
	ATEM = &Syntax{
		Prefix: "atem:", CallTags: []string{"invoke"}, NameAttr: "name", ParamTags: []string{"parameter"}, KeyAttr: "name",
		WrapperTags: []string{"function_calls"}, EndMarkers: []string{"<|eom|>", "<|eot|>"}, DoubledName: true,
	}

	// Step3 is [AnthropicXML] in a namespace, between tokens.
	Step3 = &Syntax{
		Prefix: "steptml:", CallTags: []string{"invoke"}, NameAttr: "name", ParamTags: []string{"parameter"}, KeyAttr: "name",
		EndMarkers: []string{"<｜tool_call_end｜>", "<｜tool_calls_end｜>"},
	}

	// MiniCPM5 is XML with entities and CDATA sections.
	MiniCPM5 = &Syntax{
		CallTags: []string{"function"}, NameAttr: "name", ParamTags: []string{"param"}, KeyAttr: "name",
		Escapes: Escapes{Entities: true, AttrEntities: true, CDATA: true}, Compact: true, GluedAttr: true, WrapperTags: []string{"tool_call", "tool_calls"},
	}

	// KimiK3 has tokens instead of angle brackets, and declares the type of each value.
	KimiK3 = &Syntax{
		Delimiters: Delimiters{"<|open|>", "<|close|>", "<|sep|>"},
		CallTags:   []string{"call"}, NameAttr: "tool", ParamTags: []string{"argument"}, KeyAttr: "key",
		TypeAttrs: TypeAttrs{TypeAttr: "type"}, IgnoredAttrs: []string{"index"}, Escapes: Escapes{AttrEntities: true}, Compact: true, WrapperTags: []string{"tools"},
	}

	// BFCL is the XML of the benchmark. The value is in the tag or after it.
	BFCL = &Syntax{
		CallTags: []string{"function"}, NameAttr: "name", ParamTags: []string{"param"}, KeyAttr: "name", ValueAttr: "value",
		GroupTags: []string{"params"}, TypeAttrs: TypeAttrs{TypeAttr: "type"}, Escapes: Escapes{Entities: true, AttrEntities: true}, Compact: true,
		WrapperTags: []string{"functions"},
	}

	// CommandXML declares the format of each value and escapes all of them.
	CommandXML = &Syntax{
		Prefix: "cofl:", CallTags: []string{"tool_call"}, NameAttr: "name", IDAttr: "id", ParamTags: []string{"value", "tool_param"}, KeyAttr: "name",
		TypeAttrs: TypeAttrs{FormAttr: "type", StringAttr: "string"}, Escapes: Escapes{Entities: true, AttrEntities: true}, Compact: true, WrapperTags: []string{"tool_calls"},
	}

	// GLM45 is <tool_call>NAME with pairs of <arg_key> and <arg_value>.
	GLM45 = &Syntax{
		CallTags: []string{"tool_call"}, NameAttr: InText, KeyTag: "arg_key", ValueTag: "arg_value", EscapedNewline: true,
	}

	// GLM47 is [GLM45] without line ends.
	GLM47 = &Syntax{
		CallTags: []string{"tool_call"}, NameAttr: InText, KeyTag: "arg_key", ValueTag: "arg_value", EscapedNewline: true, Compact: true,
	}

	// HunyuanV3 is [GLM45] with a tag after the name.
	HunyuanV3 = &Syntax{
		CallTags: []string{"tool_call"}, NameAttr: InText, NameEndTag: "tool_sep", KeyTag: "arg_key", ValueTag: "arg_value",
		WrapperTags: []string{"tool_calls"},
	}

	// Laguna is [GLM45] with optional JSON object arguments.
	Laguna = &Syntax{
		CallTags: []string{"tool_call", "user"}, NameAttr: InText, KeyTag: "arg_key", ValueTag: "arg_value", ObjectArgs: true,
	}

	// LongcatXML is [GLM45] with its own tag names.
	LongcatXML = &Syntax{
		CallTags: []string{"longcat_tool_call"}, NameAttr: InText, KeyTag: "longcat_arg_key", ValueTag: "longcat_arg_value",
	}
)
