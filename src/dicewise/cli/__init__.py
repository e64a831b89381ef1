"""The command line: parse, call, print. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module

import click

from dicewise._version import __version__
from dicewise.cli.common import Commands
from dicewise.errors import DicewiseError, raised

COMMANDS = (
    *("games", "check", "solve", "certify", "advise"),
    *("play", "simulate", "history", "review", "drill"),
    *("plot", "study", "cache"),
)


class _Commands(Commands):
    """The commands, each in a file of its own that is loaded when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"dicewise.cli.{name}").command
        return command


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
    if "_DICEWISE_COMPLETE" in os.environ:
        cli.main(words, prog_name="dicewise")  # the shell asks for completions
    try:
        # not click's own main(): it would answer a broken pipe with exit code 1, and an interrupt with a blank line
        with cli.make_context("dicewise", list(words)) as context:
            result = cli.invoke(context)
        if sys.stdout is not None:  # it may be closed
            sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except BrokenPipeError:  # the reader had enough
        _drop_output()
        return 0
    except BaseException as error:
        if isinstance(error, SystemExit) and _in_a_rules_file(error) is None:
            raise
        if "--debug" in words:
            import traceback

            traceback.print_exc()
        return _fail(*_explained(error))


def _explained(error: BaseException) -> tuple[str, int]:
    """An error in one line, and the exit code that goes with it."""
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return str(error) or "interrupted; nothing was left half-written", 130
    if isinstance(error, click.ClickException):
        return error.format_message(), 2
    if isinstance(error, DicewiseError):
        return str(error), 2
    if isinstance(error, MemoryError):
        return "out of memory; choose a smaller ruleset", 2
    if isinstance(error, OSError) and error.filename is None:
        _drop_output()
        return f"the output cannot be written: {error.strerror}", 2
    if (where := _in_a_rules_file(error)) is not None:
        return f"{where} {raised(error)}", 2
    return f"unexpected {type(error).__name__}: {error} (this is a bug; --debug shows where)", 1


def _in_a_rules_file(error: BaseException) -> str | None:
    """The line of a user's file that an error comes from, if any."""
    import traceback

    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if "__dicewise_source__" in frame.f_globals]
    if not frames:
        return None
    code = frames[-1].f_code
    return f"rules file {code.co_filename!r}, line {frames[-1].f_lineno}: {code.co_name}"


def _drop_output() -> None:
    """Let what is left of the output go nowhere, or Python would complain about it at exit."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, code: int) -> int:
    if sys.stderr is not None:  # it may be closed
        print("dicewise:", " ".join(message.replace("\0", "").replace(r"\x00", "").split()), file=sys.stderr)
    return code
