"""Writes a GPT-2 checkpoint as an ONNX graph, the way onnxruntime's own tools lay one out.

    python3 gpt2_onnx.py FOLDER OUT.onnx [--int8] [--step | --every]

Inputs are input_ids and position_ids [1, n]; the output is logits [1, 1, n_vocab] of the last position.
--int8   weights in 8 bits with a scale per column, activations quantised at run time (DynamicQuantizeLinear, MatMulInteger)
--step   one token; keys and values of those before it come in as past_LAYER_k and past_LAYER_v [1, head, p, d_head]
--every  logits of all positions, [1, n, n_vocab]
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "train"))
import safetensors_file  # noqa: E402


def read_checkpoint(folder):
    """{name: array} and config.json of a model folder in F32."""
    tensors = safetensors_file.read(folder / "model.safetensors")
    bare = {name.removeprefix("transformer."): array for name, array in tensors.items()}
    return bare, json.loads((folder / "config.json").read_text())


class Graph:
    """Collects nodes and constants; values are referred to by name."""

    def __init__(self, tensors, int8):
        self.tensors, self.int8 = tensors, int8
        self.nodes, self.constants, self.inputs, self.outputs = [], [], [], []

    def constant(self, name, array):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def op(self, kind, inputs, outputs=1, domain="", **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def input(self, name, kind, shape):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, name, value, shape):
        self.nodes.append(helper.make_node("Identity", [value], [name]))
        self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def norm(self, x, name):
        gain, shift = (self.constant(f"{name}.{part}", self.tensors[f"{name}.{part}"]) for part in ("weight", "bias"))
        return self.op("LayerNormalization", [x, gain, shift], axis=-1, epsilon=1e-5)

    def linear(self, x, name):
        y = self.product(x, name, self.tensors[f"{name}.weight"])
        return self.op("Add", [y, self.constant(f"{name}.bias", self.tensors[f"{name}.bias"])])

    def product(self, x, name, weight):
        if not self.int8:
            return self.op("MatMul", [x, self.constant(f"{name}.w", weight)])
        scale = np.abs(weight).max(axis=0) / np.float32(127) + np.float32(1e-12)
        integers = np.clip(np.rint(weight / scale), -127, 127).astype(np.int8)
        x8, x_scale, x_zero = self.op("DynamicQuantizeLinear", [x], 3)
        zero = self.constant(f"{name}.zero", np.zeros(weight.shape[1], np.int8))
        y = self.op("MatMulInteger", [x8, self.constant(f"{name}.w", integers), x_zero, zero])
        y = self.op("Cast", [y], to=TensorProto.FLOAT)
        return self.op("Mul", [y, self.op("Mul", [x_scale, self.constant(f"{name}.scale", scale.astype(np.float32))])])

    def proto(self):
        graph = helper.make_graph(self.nodes, "gpt2", self.inputs, self.outputs, self.constants)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


class Gpt2:
    def __init__(self, tensors, config, int8, step, every):
        self.g = Graph(tensors, int8)
        self.heads, self.layers = config["n_head"], config["n_layer"]
        self.step, self.every = step, every
        self.vocabulary, self.width = tensors["wte.weight"].shape
        self.d_head = self.width // self.heads

    def proto(self):
        g = self.g
        ids, at = (g.input(name, TensorProto.INT64, [1, "n"]) for name in ("input_ids", "position_ids"))
        self.by_head = g.constant("by_head", np.array([1, -1, self.heads, self.d_head], np.int64))
        self.flat = g.constant("flat", np.array([1, -1, self.width], np.int64))
        self.scale = g.constant("attention_scale", np.float32(self.d_head**-0.5))
        self.mask = None if self.step else self.causal_mask(ids)
        words, places = (g.constant(name, g.tensors[f"{name}.weight"]) for name in ("wte", "wpe"))
        x = g.op("Add", [g.op("Gather", [words, ids]), g.op("Gather", [places, at])])
        for layer in range(self.layers):
            x = self.layer(x, layer)
        if not self.every:
            x = g.op("Slice", [x, *(g.constant(n, np.array([v], np.int64)) for n, v in (("from", -1), ("to", 2**31), ("axis", 1)))])
        logits = g.product(g.norm(x, "ln_f"), "head", g.tensors["wte.weight"].T)
        g.output("logits", logits, [1, "n" if self.every else 1, self.vocabulary])
        return g.proto()

    def causal_mask(self, ids):
        g = self.g
        length = g.op("Shape", [ids], start=1, end=2)
        far = helper.make_tensor("far", TensorProto.FLOAT, [1], [-1e9])
        square = g.op("ConstantOfShape", [g.op("Concat", [length, length], axis=0)], value=far)
        return g.op("Trilu", [square, g.constant("diagonal", np.array(1, np.int64))], upper=1)

    def split_heads(self, x):
        return self.g.op("Transpose", [self.g.op("Reshape", [x, self.by_head])], perm=[0, 2, 1, 3])

    def with_past(self, layer, kind, now):
        """Appends this call's keys or values to those of earlier calls; all of them are outputs."""
        g, shape = self.g, [1, self.heads, "p", self.d_head]
        if self.step:
            now = g.op("Concat", [g.input(f"past_{layer}_{kind}", TensorProto.FLOAT, shape), now], axis=2)
        g.output(f"present_{layer}_{kind}", now, [1, self.heads, "t", self.d_head])
        return now

    def layer(self, x, layer):
        g, at = self.g, f"h.{layer}."
        qkv = g.op("Split", [g.linear(g.norm(x, at + "ln_1"), at + "attn.c_attn")], 3, axis=-1)
        q, k, v = (self.split_heads(part) for part in qkv)
        k, v = self.with_past(layer, "k", k), self.with_past(layer, "v", v)
        scores = g.op("Mul", [g.op("MatMul", [q, g.op("Transpose", [k], perm=[0, 1, 3, 2])]), self.scale])
        if self.mask:
            scores = g.op("Add", [scores, self.mask])
        z = g.op("MatMul", [g.op("Softmax", [scores], axis=-1), v])
        z = g.op("Reshape", [g.op("Transpose", [z], perm=[0, 2, 1, 3]), self.flat])
        x = g.op("Add", [x, g.linear(z, at + "attn.c_proj")])
        hidden = g.op("FastGelu", [g.linear(g.norm(x, at + "ln_2"), at + "mlp.c_fc")], domain="com.microsoft")
        return g.op("Add", [x, g.linear(hidden, at + "mlp.c_proj")])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--int8", action="store_true")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--step", action="store_true")
    form.add_argument("--every", action="store_true")
    options = parser.parse_args()
    tensors, config = read_checkpoint(options.folder)
    onnx.save(Gpt2(tensors, config, options.int8, options.step, options.every).proto(), options.out)


if __name__ == "__main__":
    main()
