"""Paths: the repository, its build folder, and the cache that outlives both."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
LOGS = BUILD / "logs"
SITE = BUILD / "site"
CLI = BUILD / "native" / "helixscope"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "helixscope"
DOWNLOADS = CACHE / "models"  # where ./dev models puts what it gets and packs
