"""`./dev build class`: the whole page in one file that a double click opens, without a server or a network, and the site as an archive."""

import base64
import gzip
import hashlib
import html
import json
import re
import shutil
import zipfile
from pathlib import Path

import scripts
from places import BUILD, ROOT
from report import Failure, step

OUT = BUILD / "class"
PAGE, ARCHIVE = OUT / "helixscope.html", OUT / "helixscope-site.zip"
MOST = 30_000_000  # bytes
LOADER = Path(__file__).with_name("one_file.js")
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".css": "text/css", ".json": "application/json",
         ".svg": "image/svg+xml", ".jpg": "image/jpeg", ".ttf": "font/ttf", ".txt": "text/plain;charset=utf-8", ".py": "text/plain;charset=utf-8",
         ".md": "text/plain;charset=utf-8"}
# Threads need a server that isolates the page, and what a browser installs has an address.
LEFT_OUT = re.compile(r"^engine-relaxed-mt\.|\.map$|\.webmanifest$|^icon-|^start/boot\.js$|^style/(?!lessons)|^fonts/OFL|^plain\.svg$|^icon\.svg$")


class Site:
    """An assembled site: its files by the names of the sources."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        listed = json.loads(next(folder.glob("files.*.json")).read_text())
        self.files = {name: entry["file"] for name, entry in listed["files"].items()}
        self.page = (folder / "index.html").read_text(encoding="utf-8")

    def read(self, name: str) -> bytes:
        return (self.folder / self.files[name]).read_bytes()

    def text(self, name: str) -> str:
        return self.read(name).decode()

    def data_address(self, name: str) -> str:
        return f"data:{TYPES[Path(name).suffix]};base64,{base64.b64encode(self.read(name)).decode()}"


def block(name: str, data: bytes) -> str:
    kind = TYPES.get(Path(name).suffix, "application/octet-stream")
    packed = base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()
    return f'<script type="application/octet-stream" data-name="{html.escape(name)}" data-type="{kind}">{packed}</script>\n'


def with_hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def style(site: Site) -> str:
    """The page's style sheets in their order, with their fonts inside."""
    names = {file: name for name, file in site.files.items()}
    sheets = [site.text(names[file]) for file in re.findall(r'<link rel="stylesheet" href="([^"]+)">\n', site.page)]
    whole = "\n".join(sheets)
    return re.sub(r'url\("\.\./([^"]+)"\)', lambda found: f'url("{site.data_address(names[found[1]])}")', whole)


def blocks(site: Site) -> str:
    """The files inside the page: by the names that the scripts ask for; pictures and models by their places."""
    inside = ""
    for name, file in sorted(site.files.items()):
        if not LEFT_OUT.search(name):
            inside += block(file if name.startswith(("pictures/", "assets/")) or name == "NOTICE.txt" else name, site.read(name))
    return inside + block("models/index.json", b"[]")


def one_page(site: Site) -> str:
    boot, loader, look = site.text("start/boot.js"), scripts.minified(LOADER), style(site)
    policy = (f"default-src 'none'; script-src {with_hash(boot)} {with_hash(loader)} blob: 'wasm-unsafe-eval'; style-src {with_hash(look)} blob:; "
              "connect-src blob:; worker-src blob:; img-src blob: data:; font-src data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; "
              "require-trusted-types-for 'script'; trusted-types helixscope")
    page = re.sub(r'(http-equiv="Content-Security-Policy" content=")[^"]*', lambda found: found[1] + policy, site.page)
    page = re.sub(r'(name="helixscope-hub" content=")[^"]*', r"\1", page)
    page = re.sub(r'<link rel="(?:modulepreload|preload|manifest|apple-touch-icon)"[^>]*>\n', "", page)
    page = re.sub(r'<noscript><link[^>]*></noscript>\n', "", page)
    page = re.sub(r'<script type="module"[^>]*></script>\n', "", page)
    page = re.sub(r'(?:<link rel="stylesheet"[^>]*>\n)+', lambda _: f"<style>{look}</style>\n", page, count=1)
    page = re.sub(r'<script src="[^"]*"></script>', lambda _: f"<script>{boot}</script>", page, count=1)
    for name in ("icon.svg", "plain.svg"):
        page = page.replace(f'"{site.files[name]}"', f'"{site.data_address(name)}"')
    left = re.findall(r'(?:src|<link[^>]*href)="(?!data:)[^"]*"', page)
    if left:
        raise Failure(f"helixscope.html would still ask for {', '.join(left)}.")
    return page.replace("</body>", f'{blocks(site)}<script type="module">{loader}</script>\n</body>')


def make(folder: Path) -> None:
    """Both files, from the assembled site."""
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    with step("putting the page into one file"):
        PAGE.write_text(one_page(Site(folder)), encoding="utf-8")
    size = PAGE.stat().st_size
    if size > MOST:
        raise Failure(f"{PAGE.relative_to(ROOT)} has {size} bytes, more than {MOST}.")
    with step("packing the site"), zipfile.ZipFile(ARCHIVE, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(ROOT / "docs" / "hosting.md", "HOSTING.md")
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix not in (".br", ".gz"):
                archive.write(path, Path("site") / path.relative_to(folder))
