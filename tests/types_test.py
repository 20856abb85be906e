"""Checks the types of the page: none is `any`, and those of actions, messages and the script interface agree with the sources."""

import re
import unittest
from pathlib import Path
from typing import Iterator

ROOT = Path(__file__).resolve().parents[1]
ALLOWED: set[str] = set()  # "file: type" of each `any` that has to stay
UNDOCUMENTED = {"lesson"}  # of window.helixscope: for the tests alone
FROM_THE_MODULE = {"open", "cancel"}  # requests to the engine that only ui.wasm sends

STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
TAG = re.compile(r"@(?:type|param|returns?|typedef|template|property|extends|this)\s+\{")


def source(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def types_in_comments(script: str) -> Iterator[str]:
    """The types that JSDoc tags name: from each tag's brace to the one that closes it."""
    for tag in TAG.finditer(script):
        depth, end = 1, tag.end()
        while depth and end < len(script):
            depth += {"{": 1, "}": -1}.get(script[end], 0)
            end += 1
        yield script[tag.end() : end - 1]


def declarations(text: str) -> str:
    """A file of declarations without its comments."""
    return COMMENT.sub("", text)


def has_any(text: str) -> bool:
    return re.search(r"\bany\b", STRING.sub("", text)) is not None


def alternatives(declared: str, name: str) -> str:
    """What follows `type NAME =`, up to the semicolon at the end of a line."""
    found = re.search(rf"^type {name} =(.*?);$", declared, re.M | re.S)
    assert found, name
    return found[1]


def members(declared: str, name: str) -> set[str]:
    found = re.search(rf"^interface {name}\b[^{{]*\{{(.*?)^\}}", declared, re.M | re.S)
    assert found, name
    return set(re.findall(r"^  (\w+)\??[(:]", found[1], re.M))


def kinds(declared: str, name: str) -> set[str]:
    return set(re.findall(r'\btype: "(\w+)"', alternatives(declared, name)))


def body(text: str, start: str) -> str:
    """A function or a table of a C++ source, up to the line that closes it."""
    found = re.search(rf"^{re.escape(start)}.*?^\}}", text, re.M | re.S)
    assert found, start
    return found[0]


class AnyTest(unittest.TestCase):
    def test_no_type_is_any(self) -> None:
        found = []
        for path in sorted((ROOT / "types").glob("*.d.ts")):
            found += [f"types/{path.name}: {line.strip()}" for line in declarations(path.read_text(encoding="utf-8")).splitlines() if has_any(line)]
        for path in sorted((ROOT / "web").rglob("*.js")):
            found += [f"{path.relative_to(ROOT)}: {type}" for type in types_in_comments(path.read_text(encoding="utf-8")) if has_any(type)]
        self.assertEqual(set(found), ALLOWED, "Write the type; `unknown` and a check where it is not known.")


class AgreementTest(unittest.TestCase):
    def test_actions(self) -> None:
        actions = source("src/app/actions.cpp")
        accepted = re.findall(r'^    \{"(\w+)",', body(actions, "const std::map<std::string_view, Act> kActions{"), re.M)
        declared = declarations(source("types/actions.d.ts"))
        union = alternatives(declared, "Action")
        self.assertTrue(accepted)
        self.assertEqual(set(re.findall(r'\bdo: "(\w+)"', union)), set(accepted))
        fields = re.findall(r"\b(\w+)\??: ", union + "".join(re.findall(r"^interface .*?^\}", declared, re.M | re.S)))
        self.assertEqual(set(fields) - set(re.findall(r'"(\w+)"', actions)), set(), "the module reads no field of this name")

    def test_messages(self) -> None:
        messages, declared = source("src/protocol/messages.cpp"), declarations(source("types/page.d.ts"))
        read = {name: set(re.findall(r'type == "(\w+)"', body(messages, f"Expected<{name}> parse_{name.lower()}("))) for name in ("Request", "Reply")}
        needs = set(re.findall(r'^interface \w+ \{ type\??: "(need\w*)"', declared, re.M))
        self.assertEqual(kinds(declared, "EngineMessage") | needs, read["Reply"])
        sent = kinds(declared, "SourceMessage") | kinds(declared, "EngineRequest")
        self.assertEqual(sent | FROM_THE_MODULE, read["Request"])

    def test_what_studies_read(self) -> None:
        named = re.findall(r'return "(\w+)";', body(source("src/base/schema.cpp"), "std::string_view reads_name(Reads reads) {"))
        declared = re.search(r"^  reads: (.*);$", source("types/page.d.ts"), re.M)
        assert declared
        self.assertTrue(named)
        self.assertEqual(re.findall(r'"(\w+)"', declared[1]), named)

    def test_script_interface(self) -> None:
        described = set(re.findall(r"^\| `(\w+)(?:\([^`]*\))?` \|", source("docs/api.md"), re.M))
        self.assertEqual(members(declarations(source("types/helixscope.d.ts")), "Helixscope") - UNDOCUMENTED, described)


class RulesTest(unittest.TestCase):
    """Tests of the checks above: each finds what it is meant to find."""

    def test_any_is_found_in_types_alone(self) -> None:
        script = '// any\n/** Any of any. @param {{a: any, b: {c: string}}} x @type {"any"} */\nconst any = /** @type {(n: number) => any[]} */ (f);'
        self.assertEqual([has_any(type) for type in types_in_comments(script)], [True, False, True])
        self.assertTrue(has_any(declarations("interface A { b: any } // c")))
        self.assertFalse(has_any(declarations('/** any\n any */ interface A { b: "any" } // any')))

    def test_names(self) -> None:
        declared = 'type A =\n  | { type: "b"; c: { d: number } }\n  | { type: "e" };\ninterface F extends G {\n  h: string;\n  i?(k: number): void;\n}\n'
        self.assertEqual(kinds(declared, "A"), {"b", "e"})
        self.assertEqual(members(declared, "F"), {"h", "i"})


if __name__ == "__main__":
    unittest.main()
