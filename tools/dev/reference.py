"""Writes the tables of docs/link.md from the program's own lists: python3 tools/dev/reference.py [PROGRAM]."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from places import CLI, ROOT

DOCUMENT = ROOT / "docs" / "link.md"
BEGIN, END = "<!-- {}: written by tools/dev/reference.py -->", "<!-- end of {} -->"


def listed(program: Path, verb: str) -> list[dict[str, Any]]:
    answer = subprocess.run([str(program), verb, "--json"], capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)


def number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:g}"


def values(param: dict[str, Any]) -> str:
    """What a parameter takes, in a few words."""
    kind = param["type"]
    if kind == "choice":
        return ", ".join(f"`{choice}`" for choice in param["choices"])
    if kind == "boolean":
        return "`0`, `1`"
    if kind in ("text", "names"):
        return {"text": "a text", "names": f"up to {param['most']} names of models, with commas"}[kind]
    bounds = f"{number(param['min'])} to {number(param['max'])}"
    if kind == "integers":
        count = param["count"] or f"up to {number(param['most'])}"
        return f"{count} whole numbers, {bounds}, with commas"
    return f"{'a whole number' if kind == 'integer' else 'a number'}, {bounds}"


def studies_table(program: Path) -> str:
    lines = ["| study | key | takes | default |", "|---|---|---|---|"]
    for study in listed(program, "studies"):
        if not study["params"]:
            lines.append(f"| `{study['id']}` | – | | |")
        for i, param in enumerate(study["params"]):
            name = f"`{study['id']}`" if i == 0 else ""
            default = f"`{param['default']}`" if param["default"] else "empty"
            lines.append(f"| {name} | `{param['key']}` | {values(param)} | {default} |")
    return "\n".join(lines)


def edits_table(program: Path) -> str:
    lines = ["| edit | what it is |", "|---|---|"]
    lines += ["| `{}` | {} |".format(edit["form"].replace("|", "\\|"), edit["label"]) for edit in listed(program, "edits")]
    return "\n".join(lines)


def with_tables(text: str, program: Path) -> str:
    """The document with its tables as the program gives them."""
    for name, table in (("studies", studies_table(program)), ("edits", edits_table(program))):
        begin, end = BEGIN.format(name), END.format(name)
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{table}\n{end}{rest.split(end)[1]}"
    return text


if __name__ == "__main__":
    program = Path(sys.argv[1]) if len(sys.argv) > 1 else CLI
    DOCUMENT.write_text(with_tables(DOCUMENT.read_text(encoding="utf-8"), program), encoding="utf-8")
