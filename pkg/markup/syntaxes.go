package markup

// The syntaxes, named after their dialects.
var (
	// Qwen3Coder is <function=NAME><parameter=KEY>VALUE</parameter></function>, with a line end
	// on each side of a value.
	Qwen3Coder = &Syntax{
		Calls: []string{"function"}, Name: InTag, Parameters: []string{"parameter"}, Key: InTag,
		Framing: Newline, Wrappers: []string{"tool_call"},
	}

	// SeedOSS is [Qwen3Coder] with other wrappers.
	SeedOSS = &Syntax{
		Calls: []string{"function"}, Name: InTag, Parameters: []string{"parameter"}, Key: InTag,
		Framing: Newline, Wrappers: []string{"seed:tool_call"},
	}

	// OpenHands is [Qwen3Coder] without wrappers. The text often ends before the last ">".
	OpenHands = &Syntax{
		Calls: []string{"function"}, Name: InTag, Parameters: []string{"parameter"}, Key: InTag,
		Framing: Newline, Stopped: true,
	}

	// MinimaxM2 is <invoke name="NAME"><parameter name="KEY">VALUE</parameter></invoke>.
	MinimaxM2 = &Syntax{
		Calls: []string{"invoke"}, Name: "name", Parameters: []string{"parameter"}, Key: "name",
		Untyped: Text, Wrappers: []string{"minimax:tool_call"},
	}

	// MinimaxM3 writes each argument as an element with the argument's name, and a token before
	// every tag.
	MinimaxM3 = &Syntax{
		Token: "]<]minimax[>[", Calls: []string{"invoke"}, Name: "name", Parameters: []string{"parameter"}, Key: "name",
		Elements: true, Nested: true, Untyped: JSON, Entities: true, Compact: true,
		Wrappers: []string{"tool_call", "minimax:tool_call"},
	}

	// DSML declares each value as text or JSON.
	DSML = &Syntax{
		Prefix: "｜DSML｜", Calls: []string{"invoke"}, Name: "name", Parameters: []string{"parameter"}, Key: "name",
		StringAttr: "string", Bare: true, Wrappers: []string{"function_calls", "tool_calls"},
	}

	// AnthropicXML is the format of old Claude models.
	AnthropicXML = &Syntax{
		Calls: []string{"invoke"}, Name: "name", Parameters: []string{"parameter"}, Key: "name",
		Wrappers: []string{"function_calls"},
	}

	// ATEM is [AnthropicXML] in a namespace.
	ATEM = &Syntax{
		Prefix: "atem:", Calls: []string{"invoke"}, Name: "name", Parameters: []string{"parameter"}, Key: "name",
		Wrappers: []string{"function_calls"}, Ends: []string{"<|eom|>", "<|eot|>"}, Doubled: true,
	}

	// Step3 is [AnthropicXML] in a namespace, between tokens.
	Step3 = &Syntax{
		Prefix: "steptml:", Calls: []string{"invoke"}, Name: "name", Parameters: []string{"parameter"}, Key: "name",
		Ends: []string{"<｜tool_call_end｜>", "<｜tool_calls_end｜>"},
	}

	// MiniCPM5 is XML with entities and CDATA sections.
	MiniCPM5 = &Syntax{
		Calls: []string{"function"}, Name: "name", Parameters: []string{"param"}, Key: "name",
		Entities: true, AttrEscapes: true, CDATA: true, Compact: true, Glued: true, Wrappers: []string{"tool_call", "tool_calls"},
	}

	// KimiK3 has tokens instead of angle brackets, and declares the type of each value.
	KimiK3 = &Syntax{
		Delimiters: Delimiters{"<|open|>", "<|close|>", "<|sep|>"},
		Calls:      []string{"call"}, Name: "tool", Parameters: []string{"argument"}, Key: "key",
		TypeAttr: "type", Ignored: []string{"index"}, AttrEscapes: true, Compact: true, Wrappers: []string{"tools"},
	}

	// BFCL is the XML of the benchmark. The value is in the tag or after it.
	BFCL = &Syntax{
		Calls: []string{"function"}, Name: "name", Parameters: []string{"param"}, Key: "name", ValueAttr: "value",
		Groups: []string{"params"}, TypeAttr: "type", Entities: true, AttrEscapes: true, Compact: true,
		Wrappers: []string{"functions"},
	}

	// CommandXML declares the format of each value and escapes all of them.
	CommandXML = &Syntax{
		Prefix: "cofl:", Calls: []string{"tool_call"}, Name: "name", ID: "id", Parameters: []string{"value", "tool_param"}, Key: "name",
		FormAttr: "type", StringAttr: "string", Entities: true, AttrEscapes: true, Compact: true, Wrappers: []string{"tool_calls"},
	}

	// GLM45 is <tool_call>NAME with pairs of <arg_key> and <arg_value>.
	GLM45 = &Syntax{
		Calls: []string{"tool_call"}, Name: InText, KeyTag: "arg_key", ValueTag: "arg_value", Backslash: true,
	}

	// GLM47 is [GLM45] without line ends.
	GLM47 = &Syntax{
		Calls: []string{"tool_call"}, Name: InText, KeyTag: "arg_key", ValueTag: "arg_value", Backslash: true, Compact: true,
	}

	// HunyuanV3 is [GLM45] with a tag after the name.
	HunyuanV3 = &Syntax{
		Calls: []string{"tool_call"}, Name: InText, NameEnd: "tool_sep", KeyTag: "arg_key", ValueTag: "arg_value",
		Wrappers: []string{"tool_calls"},
	}

	// Laguna is [GLM45] with optional JSON object arguments.
	Laguna = &Syntax{
		Calls: []string{"tool_call", "user"}, Name: InText, KeyTag: "arg_key", ValueTag: "arg_value", Bare: true,
	}

	// LongcatXML is [GLM45] with its own tag names.
	LongcatXML = &Syntax{
		Calls: []string{"longcat_tool_call"}, Name: InText, KeyTag: "longcat_arg_key", ValueTag: "longcat_arg_value",
	}
)
