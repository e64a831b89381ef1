"""`dicewise games`."""

from __future__ import annotations

import sys

import click

from dicewise.cli.common import common_options, print_json, shown
from dicewise.games import GAMES
from dicewise.spec import parameters


@click.command(epilog="Example: dicewise games")
@common_options
def command(as_json: bool, quiet: bool) -> None:
    """List the games and their parameters."""
    if as_json:
        listed = [
            {
                "name": name,
                "about": _about(rules),
                "parameters": [{"name": p.name, "default": str(p.default), "help": p.help} for p in parameters(rules)],
            }
            for name, rules in GAMES.items()
        ]
        print_json(None, games=listed)
        return
    for name, rules in GAMES.items():
        print(f"{name}: {_about(rules)}")
        for parameter in parameters(rules):
            print(f"  {parameter.option:<12} {parameter.help} [default: {shown(parameter.default)}]")
    print("\nA game of your own: path/file.py:Class (see the docs, and `dicewise check`).")


def _about(rules: type) -> str:
    module = sys.modules[rules.__module__]
    return (module.__doc__ or rules.__doc__ or "").strip().splitlines()[0]
