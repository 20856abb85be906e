"""The workflows: actions by commit, the whole test run before anything is published, and what is published is what passed."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".github" / "workflows"
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.yml")}


class Workflows(unittest.TestCase):
    def test_actions_are_pinned_by_commit(self):
        for name, text in TEXTS.items():
            for action, version in re.findall(r"uses: ([^\s#]+)(.*)", text):
                if action.startswith("./"):
                    self.assertTrue((ROOT / action).is_file(), action)
                    continue
                self.assertRegex(action, r"^[\w.-]+/[\w.-]+@[0-9a-f]{40}$", name)
                self.assertRegex(version, r"^ # v\d+\.\d+\.\d+$", f"{name}: {action}")

    def test_every_job_that_builds_runs_the_whole_test(self):
        test = TEXTS["test.yml"]
        jobs = re.split(r"^  (?=\w+:$)", test[test.index("\njobs:"):], flags=re.MULTILINE)[1:]
        self.assertGreaterEqual(len(jobs), 2)
        for job in jobs:
            self.assertRegex(job, r"(?m)^      - run: \./dev test$")
            self.assertLess(job.index("./dev test"), job.index("build/logs"))
        self.assertIn("pull_request:", test)

    def test_what_is_published_is_what_passed(self):
        pages, test = TEXTS["pages.yml"], TEXTS["test.yml"]
        self.assertNotRegex(pages, r"(?m)^ +(- )?run:", "nothing is built after the tests")
        self.assertRegex(pages, r"uses: \./\.github/workflows/test\.yml")
        self.assertRegex(pages, r"(?m)^    needs: test$")
        before, after = test.split("upload-pages-artifact", 1)
        self.assertIn("./dev test", before)
        self.assertEqual(re.search(r"path: (\S+)", after)[1], "build/site")

    def test_the_systems_that_the_readme_promises_are_tried(self):
        test, readme = TEXTS["test.yml"], (ROOT / "README.md").read_text(encoding="utf-8")
        for release in re.findall(r'"(\d+)"', re.search(r"release: \[(.*)\]", test)[1]):
            self.assertRegex(readme, rf"Debian (\d+ (and|or) )?{release}\b")
        self.assertIn("Ubuntu 24.04", readme)
        self.assertIn("runs-on: ubuntu-24.04", test)

    def test_no_registry_is_named(self):
        for name, text in TEXTS.items():
            self.assertNotRegex(text, r"registry\.|docker\.io|ghcr\.io|npmjs|pypi", name)


if __name__ == "__main__":
    unittest.main()
