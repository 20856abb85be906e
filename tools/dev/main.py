"""The verbs of ./dev. Each sets up only what it needs; caches stay between runs."""

import argparse
import sys
from pathlib import Path
from typing import Sequence

from places import ROOT
from report import Failure, say


def serve(options: argparse.Namespace) -> int:
    import build
    import models
    import server
    import website

    folders = models.chosen_folders(options.models)
    mounts = models.find(folders)
    website.assemble(build.web())
    return server.serve(options.port, mounts)


def test(options: argparse.Namespace) -> int:
    import testing

    return testing.run_all(quick=options.quick, names=options.names)


def build_parts(options: argparse.Namespace) -> int:
    import build
    import website

    if options.part in (None, "native"):
        say(f"the program is {build.native()}")
    if options.part == "class":
        import one_file

        one_file.make(website.assemble(build.web()))
        say(f"one file to open without a server: {one_file.PAGE}; the site to host: {one_file.ARCHIVE}")
    if options.part in (None, "web"):
        say(f"the site is {website.assemble(build.web(), compressed=True)}")
    return 0


def bench(arguments: Sequence[str]) -> int:
    import browser

    return browser.bench(arguments)


def format_sources(options: argparse.Namespace) -> int:
    import formatting

    return formatting.rewrite()


def lint_sources(options: argparse.Namespace) -> int:
    import linting

    return linting.lint()


def take_pictures(options: argparse.Namespace) -> int:
    import browser

    return browser.pictures(options.new, options.documents)


def fuzz_all(options: argparse.Namespace) -> int:
    import fuzz

    return fuzz.fuzz(options.minutes, options.seed, options.part, options.case)


def list_models(options: argparse.Namespace) -> int:
    import models

    return models.print_list([*models.find(models.chosen_folders([])), *models.bundled(ROOT)])


def get_model(options: argparse.Namespace) -> int:
    import hub
    import packs

    folder = hub.get(options.id, options.out)
    if options.pack:
        pack = packs.make(folder, folder.with_name(f"{folder.name}-{options.precision}"), options.precision)
        packs.tell_how_to_serve(pack, found_anyway=options.out is None)
    else:
        say(f"to look at it: ./dev serve{'' if options.out is None else f' --models {folder}'}")
    return 0


def pack_model(options: argparse.Namespace) -> int:
    import packs

    packs.tell_how_to_serve(packs.make(options.path, options.out, options.precision), found_anyway=options.out is None)
    return 0


def first_layer_model(options: argparse.Namespace) -> int:
    import first_layer

    first_layer.make(options.path, options.out)
    return 0


def index_models(options: argparse.Namespace) -> int:
    import models

    say(f"wrote {models.write_index(options.folder)}")
    return 0


OF_THE_PACK = "f16, the default: every number rounded to half the bits; q8: matrices in a quarter; f32: as they are"


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="./dev", description=__doc__)
    verbs = top.add_subparsers(dest="verb", metavar="VERB", required=True)

    verb = verbs.add_parser("serve", help="set up, build and serve the page; prints its address")
    verb.add_argument("--port", type=int, help="the port (0: any free one); default 8080 or the next free one")
    verb.add_argument("--models", action="append", default=[], metavar="DIR", help="a model folder, or a folder of them")
    verb.set_defaults(run=serve)

    verb = verbs.add_parser("test", help="set up, build and run every test, or those that are named")
    verb.add_argument("names", nargs="*", metavar="NAME", help="only tests whose file or title contains it, in any language")
    verb.add_argument("--quick", action="store_true", help="only the checks and the native tests")
    verb.set_defaults(run=test)

    verb = verbs.add_parser("build", help="the program build/native/helixscope and the site build/site/")
    verb.add_argument("part", nargs="?", choices=("native", "web", "class"))
    verb.set_defaults(run=build_parts)

    verbs.add_parser("bench", help="the page measured in real browsers; bench --help tells its options")

    verb = verbs.add_parser("format", help="rewrite the C++ sources in the project's format")
    verb.set_defaults(run=format_sources)

    verb = verbs.add_parser("lint", help="find faults in the JavaScript and Python sources")
    verb.set_defaults(run=lint_sources)

    verb = verbs.add_parser("fuzz", help="hostile inputs to the parsers, the program and the page; stops at the first failure")
    verb.add_argument("--minutes", type=float, default=10, help="how long in all; default 10")
    verb.add_argument("--seed", type=int, help="default: one that is drawn, and printed")
    verb.add_argument("--part", choices=("parsers", "program", "page"), help="only this one")
    verb.add_argument("--case", type=int, help="only this case of the seed, as a failure names it")
    verb.set_defaults(run=fuzz_all)

    verb = verbs.add_parser("pictures", help="take the pictures of the studies' cards and of the documents anew")
    verb.add_argument("--new", action="store_true", help="only those of cards that have none")
    verb.add_argument("--documents", action="store_true", help="only those of the documents")
    verb.set_defaults(run=take_pictures)

    verb = verbs.add_parser("models", help="model folders on this machine")
    add_model_verbs(verb.add_subparsers(dest="kind", metavar="get|list|pack|first-layer|index", required=True))
    return top


def add_model_verbs(kinds: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    kind = kinds.add_parser("get", help="download a GPT-2-architecture checkpoint from the hub, and pack it")
    kind.add_argument("id", metavar="ID", help="gpt2, distilbert/distilgpt2, …; from $HELIXSCOPE_HUB or huggingface.co")
    kind.add_argument("--out", type=Path, metavar="DIR", help="its folder; default: one that ./dev serve finds")
    kind.add_argument("--no-pack", dest="pack", action="store_false", help="leave it as it comes")
    kind.add_argument("--pack", action="store_true", default=True, help="pack it beside that folder (the default)")
    kind.add_argument("--precision", choices=("f32", "f16", "q8"), default="f16", help=OF_THE_PACK)
    kind.set_defaults(run=get_model)

    kinds.add_parser("list", help="name, size, precision, hash, place and parts of each").set_defaults(run=list_models)

    kind = kinds.add_parser("pack", help="make a model ready for hosting: shards of at most 16 MB with a manifest")
    kind.add_argument("path", metavar="PATH", type=Path, help="a model folder, a .safetensors file or another pack")
    kind.add_argument("--out", type=Path, metavar="DIR", help="the pack's folder; default: one that ./dev serve finds")
    kind.add_argument("--precision", choices=("f32", "f16", "q8"), default="f16", help=OF_THE_PACK)
    kind.set_defaults(run=pack_model)

    kind = kinds.add_parser("first-layer", help="GPT-2 small's positions and first attention layer alone, 12.6 MB, for hosting")
    kind.add_argument("path", metavar="PATH", type=Path, nargs="?", help="GPT-2 small's folder or .safetensors file; default: the hub")
    kind.add_argument("--out", type=Path, metavar="DIR", help="where its folder is made; default: where ./dev serve finds it")
    kind.set_defaults(run=first_layer_model)

    kind = kinds.add_parser("index", help="write index.json into a folder that is to be hosted as models/")
    kind.add_argument("folder", metavar="DIR", type=Path)
    kind.set_defaults(run=index_models)


def main(arguments: Sequence[str]) -> int:
    # bench.mjs has its own options, --help among them.
    if arguments[:1] == ["bench"]:
        return bench(arguments[1:])
    options = parser().parse_args(arguments)
    return options.run(options)


if __name__ == "__main__":
    # Line-buffered, also into a pipe, so that the progress can be followed.
    sys.stdout.reconfigure(line_buffering=True)
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        if failure.detail:
            print(failure.detail, file=sys.stderr)
        print(f"helixscope: {failure}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
