"""`dicewise study`: a question that is asked of many solutions; one file per study, loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module

import click

from dicewise.cli.common import Commands

STUDIES = (
    "sweep",
    "first-move",
    "fair",
    "payoffs",
    "players",
    "stop",
    "human",
    "bands",
    "discount",
    "conjectures",
    "artifacts",
    "scores",
    "papers",
)


class _Studies(Commands):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(STUDIES)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in STUDIES:
            return None
        command: click.Command = import_module(f"dicewise.cli.study.{name.replace('-', '_')}").command
        return command


@click.group(cls=_Studies, epilog="Example: dicewise study sweep greed --max 20:200:10", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Ask a question of many solutions."""
    if ctx.invoked_subcommand is None:
        known = ", ".join(STUDIES)
        raise click.UsageError(f"study needs a name: {known}; for example 'dicewise study sweep greed --max 20:200:10'")
