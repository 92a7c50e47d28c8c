package main

// defaultPreference is the model's preference for a token after one without a
// scripted next token. A server that enforces a grammar admits few tokens at a time,
// and of those the model takes the one that closes most: a string first, because
// inside it a brace closes nothing. So its text is short and comes to an end. A
// repeat penalty divides recent tokens by 1.1, so neighbours are further apart than
// that.
func defaultPreference(v *Vocabulary, token int) float32 {
	if token == v.End {
		return 3
	}
	if token >= singleBytes {
		return -1
	}
	switch b := byte(token); {
	case b == '"':
		return 2.4
	case b == '}':
		return 1.9
	case b == ']':
		return 1.5
	case b == ',':
		return 1.2
	case b == ':':
		return 0.9
	case b >= '0' && b <= '9':
		return 0.7
	case b > ' ' && b < 0x7f:
		return 0.5
	}
	return -1
}

// scripted is the model's preference for the token that is scripted to follow. The
// hidden state has the length of the square root of the vocabulary, so the distance
// to every other token is many times larger than sampling could cross.
const scripted = 6

// Sizes as small as servers accept; the weights of these layers are zero.
const (
	headSize    = 32
	forwardSize = 32
)

// NewModel returns the model with a vocabulary. Every token is embedded as a
// direction of its own, the one layer adds nothing, and the output matrix holds, for
// each token, the preference for each other one after it.
func NewModel(v *Vocabulary, context uint32) *GGUF {
	g := &GGUF{}
	size := len(v.Tokens)
	setMetadata(g, v, context)
	one := func(int) float32 { return 1 }
	zero := func(_ int, row []float32) { clear(row) }
	g.AddTensor("token_embd.weight", []int{size, size}, func(r int, row []float32) {
		clear(row)
		row[r] = 1
	})
	g.addVector("blk.0.attn_norm.weight", size, one)
	g.AddTensor("blk.0.attn_q.weight", []int{size, headSize}, zero)
	g.AddTensor("blk.0.attn_k.weight", []int{size, headSize}, zero)
	g.AddTensor("blk.0.attn_v.weight", []int{size, headSize}, zero)
	g.AddTensor("blk.0.attn_output.weight", []int{headSize, size}, zero)
	g.addVector("blk.0.ffn_norm.weight", size, one)
	g.AddTensor("blk.0.ffn_gate.weight", []int{size, forwardSize}, zero)
	g.AddTensor("blk.0.ffn_up.weight", []int{size, forwardSize}, zero)
	g.AddTensor("blk.0.ffn_down.weight", []int{forwardSize, size}, zero)
	g.addVector("output_norm.weight", size, one)
	g.AddTensor("output.weight", []int{size, size}, v.fillPreferences)
	return g
}

// fillPreferences fills row with the preference for a token after each other token.
func (v *Vocabulary) fillPreferences(token int, row []float32) {
	liked := defaultPreference(v, token)
	for before := range row {
		row[before] = liked
		if next, ok := v.Next[before]; ok && next == token {
			row[before] = scripted
		}
	}
}

// setMetadata sets the metadata that a server reads before the weights.
func setMetadata(g *GGUF, v *Vocabulary, context uint32) {
	g.Set("general.architecture", "llama")
	g.Set("general.name", "scripted")
	g.Set("general.file_type", uint32(0)) // 32-bit floats
	g.Set("llama.block_count", uint32(1))
	g.Set("llama.context_length", context)
	g.Set("llama.embedding_length", uint32(len(v.Tokens)))
	g.Set("llama.feed_forward_length", uint32(forwardSize))
	g.Set("llama.attention.head_count", uint32(1))
	g.Set("llama.attention.head_count_kv", uint32(1))
	g.Set("llama.attention.key_length", uint32(headSize))
	g.Set("llama.attention.value_length", uint32(headSize))
	g.Set("llama.attention.layer_norm_rms_epsilon", float32(1e-5))
	g.Set("llama.rope.dimension_count", uint32(headSize))
	g.Set("llama.rope.freq_base", float32(10000))
	g.Set("llama.vocab_size", uint32(len(v.Tokens)))
	texts, types := make([]string, len(v.Tokens)), make([]int32, len(v.Tokens))
	for i, t := range v.Tokens {
		texts[i], types[i] = t.Text, int32(t.Type)
	}
	g.Set("tokenizer.ggml.model", "gpt2")
	g.Set("tokenizer.ggml.pre", "qwen2")
	g.Set("tokenizer.ggml.tokens", texts)
	g.Set("tokenizer.ggml.token_type", types)
	g.Set("tokenizer.ggml.merges", []string{merge})
	g.Set("tokenizer.ggml.bos_token_id", uint32(v.Start))
	g.Set("tokenizer.ggml.eos_token_id", uint32(v.End))
	g.Set("tokenizer.ggml.add_bos_token", false)
}
