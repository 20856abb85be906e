"""The documents say what is there: their links lead somewhere, and the references name exactly what the code knows."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "src/README.md", ROOT / "tests/README.md", *ROOT.glob("assets/**/README.md"),
             *ROOT.glob("tools/**/README.md")]


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def first_cells(document: str, heading: str) -> set[str]:
    """What stands in code in the first column of the table below a heading."""
    part = read(document).split(f"## {heading}\n")[1].split("\n## ")[0]
    return set(re.findall(r"^\| `([^`]+)` \|", part, re.MULTILINE))


class Documents(unittest.TestCase):
    def test_links_lead_somewhere(self):
        missing = []
        for document in DOCUMENTS:
            for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
                if not re.match(r"[a-z]+:|#", target) and not (document.parent / target.split("#")[0]).exists():
                    missing.append(f"{document.relative_to(ROOT)}: {target}")
        self.assertEqual(missing, [])

    def test_the_keys_of_links_are_those_of_the_code(self):
        code = "".join(read(f"src/state/{name}.cpp") for name in ("fragment", "page_keys", "permalink", "subject_keys", "view_keys"))
        known = set(re.findall(r'\bkey [!=]= "([\w.]+)"', code)) | set(re.findall(r'first_value\(\*?pairs, "(\w+)"\)', code))
        self.assertGreater(len(known), 15, "the keys are found in the code")
        self.assertEqual(first_cells("docs/link.md", "Keys") - {"STUDY.KEY"}, known)

    def test_every_written_key_is_in_the_table(self):
        code = "".join(read(f"src/state/{name}.cpp") for name in ("page_keys", "permalink", "subject_keys", "view_keys"))
        written = set(re.findall(r'\badd\("([\w.]+)"', code)) | set(re.findall(r'[#&](\w+)="', code))
        self.assertLessEqual({"v", "model", "study", "edit", "view.camera"}, written)
        self.assertLessEqual(written, first_cells("docs/link.md", "Keys"))

    def test_the_members_of_the_script_interface_are_those_of_the_code(self):
        code = read("web/start/api.js")
        body = code[code.index("window.helixscope = {"):]
        members = set(re.findall(r"^    (?:async )?(\w+)[:(,]", body, re.MULTILINE))
        self.assertIn("ready", members)
        documented = {name.split("(")[0] for name in first_cells("docs/api.md", "`window.helixscope`")}
        self.assertEqual(documented, members)

    def test_the_parts_of_the_state_are_those_of_the_code(self):
        code = read("src/app/snapshot.cpp")
        body = code[code.index("Json state_json("):]
        parts = set(re.findall(r'\{"(\w+)", ', body[:body.index("\n}\n")]))
        row = re.search(r"\| `state\(\)` \|(.*)\|", read("docs/api.md"))[1]
        self.assertEqual(set(re.findall(r"`(\w+)`", row)), parts)

    def test_every_version_has_its_release(self):
        version = re.search(r"project\(helixscope VERSION ([\d.]+)", read("CMakeLists.txt"))[1]
        self.assertRegex(read("CHANGELOG.md"), rf"(?m)^## {re.escape(version)}")
        self.assertIn(f"version: {version}\n", read("CITATION.cff"))
        self.assertIn(f'"version": "{version}"', read("package.json"))


if __name__ == "__main__":
    unittest.main()
