"""The command line: `python -m perpetua_trainer step | serve | convert | check`.

The first process prints one line of JSON on standard output. Exit codes: 0, with the result; 2, with {"refused": …}, if
the input is invalid; 1, with {"failed": …}, after any other error.
"""

import argparse
import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from .input.refusal import Refusal, shorten


def main(argv: list[str] | None = None) -> int:
    """Runs a command; returns its exit code. argv: the arguments without the program; None for those of the process."""
    arguments = parse(argv)
    try:
        result = arguments.run(arguments)
    except Refusal as refusal:
        # Only the first process fails. If another one failed earlier, torchrun would kill the first before it prints.
        return report({"refused": refusal.as_dict()}, 2 if is_first_process() else 0)
    except Exception as error:
        traceback.print_exc()
        return report({"failed": {"message": shorten(f"{type(error).__name__}: {error}", 500)}}, 1)
    return report(result, 0)


def report(value: dict, code: int) -> int:
    """Prints a value as one line of JSON; returns the exit code.

    The first process prints on standard output. The others print only refusals and failures, on standard error.
    """
    if is_first_process() or value.keys() & {"refused", "failed"}:
        print(json.dumps(value, allow_nan=False), file=sys.stdout if is_first_process() else sys.stderr, flush=True)
    return code


def is_first_process() -> bool:
    """Reads RANK, which torchrun sets. A process without it is the only one."""
    return os.environ.get("RANK", "0") == "0"


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="perpetua_trainer", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    step = add_command(commands, "step", run_step, "update a checkpoint by a batch")
    step.add_argument("--in", dest="batch", type=Path, required=True, help="batch.json")
    step.add_argument("--out", type=Path, required=True, help="folder of the checkpoints, one a step")
    serve = add_command(
        commands, "serve", run_serve, "sample from policies and update them, over HTTP on a unix socket"
    )
    serve.add_argument("--folder", type=Path, required=True, help="of the socket, entered by its owner alone")
    serve.add_argument("--base", type=Path, required=True, help="the model's folder")
    serve.add_argument("--out", type=Path, required=True, help="folder of the checkpoints, one a step")
    serve.add_argument("--rows", type=int, default=64, help="samples computed together, at most")
    serve.add_argument("--idle", type=positive, help="seconds without a request after which it ends; never without")
    convert = add_command(commands, "convert", run_convert, "make a model's folder of a GGUF file, once")
    convert.add_argument("--gguf", type=Path, required=True)
    convert.add_argument("--out", type=Path, required=True, help="folder of the converted models, one a file")
    check = add_command(commands, "check", run_check, "say what is installed, and whether it computes")
    check.add_argument("--base", type=Path, help="a model's folder, every byte of which is checked")
    for command in (step, serve, check):
        command.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
        command.add_argument("--dtype", choices=("float32", "bfloat16"), default="float32", help="of frozen weights")
        command.add_argument("--threads", type=int, default=1)
    return parser.parse_args(argv)


def positive(text: str) -> float:
    """Reads a finite number of seconds above 0. Raises ArgumentTypeError for others."""
    seconds = float(text)
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"expected seconds above 0, got {text}")
    return seconds


def add_command(
    commands: argparse._SubParsersAction, name: str, run: Callable, description: str
) -> argparse.ArgumentParser:
    """Adds a command. run: function from the parsed arguments to the result."""
    parser = commands.add_parser(name, help=description, description=description)
    parser.set_defaults(run=run)
    return parser


# Functions import torch only when they need it: the import takes seconds, and an invalid batch is refused before it.


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
    """Runtime of the options --device, --dtype and --threads, already set up."""
    import torch

    from .runtime import Runtime

    runtime = Runtime(arguments.device, getattr(torch, arguments.dtype), arguments.threads)
    runtime.set_up()
    return runtime


if __name__ == "__main__":
    sys.exit(main())
