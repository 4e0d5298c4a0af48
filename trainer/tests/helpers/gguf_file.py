"""Writer of a Llama and a tokenizer as a GGUF file."""

from pathlib import Path

import numpy
import torch
from gguf import GGUFWriter, TokenType
from transformers import LlamaForCausalLM

NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}


def write_gguf(path: Path, model: LlamaForCausalLM) -> None:
    """Writes a model with its weights in single precision, and a tokenizer of single characters."""
    config = model.config
    writer = GGUFWriter(path, "llama")
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_rope_dimension_count(config.hidden_size // config.num_attention_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_vocab_size(config.vocab_size)
    write_tokenizer(writer, config.vocab_size)
    for name, weight in model.state_dict().items():
        writer.add_tensor(gguf_name(name), as_gguf(name, weight, config).numpy().astype(numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_tokenizer(writer: GGUFWriter, size: int) -> None:
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list([*(chr(ord("!") + number) for number in range(size - 1)), "!!"])
    writer.add_token_types([TokenType.NORMAL] * size)
    writer.add_token_merges(["! !"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_chat_template("{{ messages[0]['content'] }}")


def gguf_name(name: str) -> str:
    """GGUF's name of a weight of transformers."""
    fixed = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
    stem = name.removesuffix(".weight")
    if stem in fixed:
        return f"{fixed[stem]}.weight"
    _, _, layer, part = stem.split(".", 3)
    return f"blk.{layer}.{NAMES[part]}.weight"


def as_gguf(name: str, weight: torch.Tensor, config) -> torch.Tensor:
    """A weight in the layout of GGUF, which interleaves the rotated halves of queries and keys."""
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}.get(name.split(".")[-2])
    if heads is None:
        return weight
    rows, columns = weight.shape
    return weight.reshape(heads, 2, rows // heads // 2, columns).transpose(1, 2).reshape(rows, columns).contiguous()
