"""The command line: parse, call, print. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

import click

from dicewise._version import __version__
from dicewise.errors import DicewiseError, did_you_mean

COMMANDS = ("games", "check", "solve", "certify", "advise", "plot", "cache")


class _Commands(click.Group):
    """The commands, each in a file of its own that is loaded when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"dicewise.cli.{name}").command
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in COMMANDS:
            raise click.UsageError(
                f"command {args[0]!r} is not known{did_you_mean(args[0], list(COMMANDS))}; known: {', '.join(COMMANDS)}"
            )
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Commands,
    no_args_is_help=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Try: dicewise solve greed, then dicewise advise greed 85 70",
)
@click.version_option(__version__, prog_name="dicewise", message="%(prog)s %(version)s")
@click.option("--quiet", is_flag=True, help="No progress and no messages on stderr, only errors.")
@click.option("--debug", is_flag=True, help="Show the whole traceback of an error.")
@click.pass_context
def cli(ctx: click.Context, quiet: bool, debug: bool) -> None:
    """The best move in games of chance, and the proof of it."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(argv: list[str] | None = None) -> int:
    """Run a command; every refusal is one line on stderr and exit code 2."""
    words = sys.argv[1:] if argv is None else argv
    debug = "--debug" in words
    try:
        result = cli.main(words, prog_name="dicewise", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except (KeyboardInterrupt, click.Abort):
        if debug:
            raise
        return _fail("interrupted; nothing was left half-written", 130)
    except BrokenPipeError:  # the reader had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except click.ClickException as error:
        if debug:
            raise
        return _fail(error.format_message(), 2)
    except DicewiseError as error:
        if debug:
            raise
        return _fail(str(error), 2)
    except MemoryError:
        if debug:
            raise
        return _fail("out of memory; choose a smaller ruleset", 2)
    except Exception as error:
        if debug:
            raise
        return _fail(f"unexpected {type(error).__name__}: {error} (this is a bug; --debug shows where)", 1)


def _fail(message: str, code: int) -> int:
    print("dicewise:", " ".join(message.split()), file=sys.stderr)
    return code
