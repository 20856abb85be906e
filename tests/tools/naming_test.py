"""tools/dev/naming.py: names with hashes, and the references to them."""

import hashlib
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "dev"))
import naming

EMPTY_MODULE = b"\0asm\1\0\0\0"


class Naming(unittest.TestCase):
    def test_a_name_has_a_hash_of_the_contents_in_it(self) -> None:
        made = naming.named(Path("start/main.js"), b"one")
        self.assertEqual(made.place.as_posix(), f"start/main.{hashlib.sha256(b'one').hexdigest()[:10]}.js")
        self.assertNotEqual(made.place, naming.named(Path("start/main.js"), b"two").place)
        self.assertRegex(naming.named(Path("start/main.js.map"), b"{}").place.as_posix(), r"^start/main\.[0-9a-f]{10}\.js\.map$")

    def test_references_lead_to_the_new_names(self) -> None:
        names = {Path("style/a.css"): Path("style/a.0123456789.css"), Path("fonts/f.ttf"): Path("fonts/f.abcdef0123.ttf")}
        page = '<link href="style/a.css"><a href="#top"></a><link href="models/index.json"><a href="https://host/style/a.css">'
        self.assertEqual(naming.with_names(page, names), page.replace('"style/a.css"', '"style/a.0123456789.css"', 1))
        style = naming.with_addresses(b'src: url("../fonts/f.ttf")', names, Path("style/a.css"))
        self.assertEqual(style, b'src: url("../fonts/f.abcdef0123.ttf")')
        script = naming.with_map(b"let a;\n//# sourceMappingURL=main.js.map\n", Path("start/main.0123456789.js.map"))
        self.assertEqual(script, b"let a;\n//# sourceMappingURL=main.0123456789.js.map\n")

    def test_a_style_that_names_a_missing_file_stops_the_build(self) -> None:
        with self.assertRaises(KeyError):
            naming.with_addresses(b'src: url("../fonts/gone.ttf")', {}, Path("style/a.css"))

    def test_a_script_and_its_module_know_each_other(self) -> None:
        script, module = naming.paired(b"export default 1;", EMPTY_MODULE)
        pair = script.decode().rsplit('"', 2)[1]
        self.assertEqual(len(pair), naming.DIGITS)
        # A custom section: id 0, its size, its name with the length before it, its contents.
        self.assertEqual(module, EMPTY_MODULE + bytes([0, 5 + len(pair), 4]) + b"pair" + pair.encode())
        self.assertNotEqual(naming.paired(b"export default 2;", EMPTY_MODULE)[1], module)

    def test_two_modules_of_a_script_have_one_name(self) -> None:
        _, first, second = naming.paired(b"export default 1;", EMPTY_MODULE, EMPTY_MODULE)
        self.assertEqual(first, second)
        self.assertNotEqual(first, naming.paired(b"export default 1;", EMPTY_MODULE)[1])

    def test_long_sections_have_long_sizes(self) -> None:
        self.assertEqual([naming.leb(n) for n in (0, 127, 128, 300)], [b"\0", b"\x7f", b"\x80\x01", b"\xac\x02"])

    def test_the_manifest_lists_sizes_and_hashes(self) -> None:
        made = naming.named(Path("a.js"), b"one")
        listed = json.loads(naming.manifest([(Path("a.js"), made)], "1.2.3"))
        self.assertEqual(listed, {"version": "1.2.3", "files": {"a.js": {
            "file": made.place.as_posix(), "bytes": 3, "sha256": hashlib.sha256(b"one").hexdigest()}}})


if __name__ == "__main__":
    unittest.main()
