"""The safetensors format: 8 bytes with the header's length, the header in JSON, the tensors one after the other."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Dict, Mapping

import numpy as np

from files import whole_file

TYPES = {"F16": "<f2", "F32": "<f4"}
NAMES = {np.dtype(kind): name for name, kind in TYPES.items()}


def write(path: Path, tensors: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> None:
    """f16 and f32 arrays, in the order given."""
    header: Dict[str, object] = {"__metadata__": dict(metadata)} if metadata else {}
    offset = 0
    for name, array in tensors.items():
        header[name] = {
            "dtype": NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + array.nbytes],
        }
        offset += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # so that the tensors start aligned
    with whole_file(path) as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in tensors.values():
            file.write(np.ascontiguousarray(array).tobytes())


def read(path: Path) -> Dict[str, np.ndarray]:
    """All tensors, in the file's order."""
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        start, end = entry["data_offsets"]
        part = data[8 + size + start : 8 + size + end]
        tensors[name] = np.frombuffer(part, TYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors
