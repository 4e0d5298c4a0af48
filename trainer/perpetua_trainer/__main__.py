"""The command line: `python -m perpetua_trainer step | serve | convert | check`.

Ends with 0 and a result on standard output, with 2 and {"refused": …} where the input is at fault, with 1 and
{"failed": …} where something else went wrong.
"""

import argparse
import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from .input.refusal import Refusal, shorten


def main(words: list[str] | None = None) -> int:
    arguments = parse(words)
    try:
        result = arguments.run(arguments)
    except Refusal as refusal:
        # The first process of several has the word: torchrun ends it where another ends with a failure before.
        return say({"refused": refusal.as_dict()}, 2 if first() else 0)
    except Exception as error:
        traceback.print_exc()
        return say({"failed": {"message": shorten(f"{type(error).__name__}: {error}", 500)}}, 1)
    return say(result, 0)


def say(value: dict, code: int) -> int:
    """Prints one line: of several processes the first one as the answer, the others for people where they have none."""
    if first() or value.keys() & {"refused", "failed"}:
        print(json.dumps(value, allow_nan=False), file=sys.stdout if first() else sys.stderr, flush=True)
    return code


def first() -> bool:
    return os.environ.get("RANK", "0") == "0"


def parse(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="perpetua_trainer", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    step = command(commands, "step", run_step, "update a checkpoint by a batch")
    step.add_argument("--in", dest="batch", type=Path, required=True, help="batch.json")
    step.add_argument("--out", type=Path, required=True, help="folder of the checkpoints, one a step")
    serve = command(commands, "serve", run_serve, "sample from policies and update them, over HTTP on a unix socket")
    serve.add_argument("--folder", type=Path, required=True, help="of the socket, entered by its owner alone")
    serve.add_argument("--base", type=Path, required=True, help="the model's folder")
    serve.add_argument("--out", type=Path, required=True, help="folder of the checkpoints, one a step")
    serve.add_argument("--rows", type=int, default=64, help="samples computed together, at most")
    serve.add_argument("--idle", type=positive, help="seconds without a request after which it ends; never without")
    convert = command(commands, "convert", run_convert, "make a model's folder of a GGUF file, once")
    convert.add_argument("--gguf", type=Path, required=True)
    convert.add_argument("--out", type=Path, required=True, help="folder of the converted models, one a file")
    check = command(commands, "check", run_check, "say what is installed, and whether it computes")
    check.add_argument("--base", type=Path, help="a model's folder, every byte of which is checked")
    for one in (step, serve, check):
        one.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
        one.add_argument("--dtype", choices=("float32", "bfloat16"), default="float32", help="of frozen weights")
        one.add_argument("--threads", type=int, default=1)
    return parser.parse_args(words)


def positive(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"expected seconds above 0, got {text}")
    return seconds


def command(commands: argparse._SubParsersAction, name: str, run: Callable, text: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(run=run)
    return parser


# The imports below take seconds: a poisoned batch is refused before them.


def run_step(arguments: argparse.Namespace) -> dict:
    from .batch import read_batch

    batch = read_batch(arguments.batch.read_bytes())
    from . import parallel
    from .step import run_step as run

    runtime = runtime_of(arguments)
    parallel.start(runtime.device)
    try:
        return run(batch, arguments.out, runtime)
    finally:
        parallel.stop()


def run_serve(arguments: argparse.Namespace) -> dict:
    from .serve.server import Settings, serve

    settings = Settings(arguments.folder, arguments.base, arguments.out, arguments.rows, arguments.idle)
    return serve(settings, runtime_of(arguments))


def run_convert(arguments: argparse.Namespace) -> dict:
    from .convert import convert

    return convert(arguments.gguf, arguments.out)


def run_check(arguments: argparse.Namespace) -> dict:
    from .check import check

    return check(runtime_of(arguments), arguments.base)


def runtime_of(arguments: argparse.Namespace):
    import torch

    from .runtime import Runtime

    runtime = Runtime(arguments.device, getattr(torch, arguments.dtype), arguments.threads)
    runtime.set_up()
    return runtime


if __name__ == "__main__":
    sys.exit(main())
