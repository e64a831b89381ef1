"""`dicewise cache`."""

from __future__ import annotations

import time

import click

from dicewise.cli.common import Commands, common_options, print_json, say
from dicewise.errors import InputError


@click.group(cls=Commands, epilog="Example: dicewise cache list", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Look after the solutions, and answers of studies, that are kept on this machine.

    The folder and its size limit are set by DICEWISE_CACHE_DIR and DICEWISE_CACHE_LIMIT (bytes, or 500M, 4G).
    """
    if ctx.invoked_subcommand is None:
        raise click.UsageError("cache needs a command: list, path or clear; for example 'dicewise cache list'")


@command.command("list", epilog="Example: dicewise cache list --json")
@common_options
def list_(as_json: bool, quiet: bool) -> None:
    """List what is kept, most recently used first."""
    from dicewise.engine import layers
    from dicewise.memory import in_words
    from dicewise.store import Store
    from dicewise.study import kept

    store = Store()
    entries = store.entries()
    answers, size = kept.count(kept.folder_in(store))
    tables = layers.kept(store.path)
    if as_json:
        print_json(
            None,
            path=str(store.path),
            limit=store.limit,
            entries=[
                {"game": e.spec, "name": e.name, "bytes": e.bytes, "created": e.created, "used": e.used}
                for e in entries
            ],
            layers=[{"game": spec, "name": folder.name, "bytes": size} for spec, folder, size in tables],
            studies={"answers": answers, "bytes": size},
        )
        return
    for entry in entries:
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.used)) if entry.used else "never"
        print(f"{in_words(entry.bytes):>10}  used {used}  {entry.spec}")
    total = sum(entry.bytes for entry in entries)
    print(f"{len(entries)} solution(s), {in_words(total)} of {in_words(store.limit)}")
    for spec, _, bytes_kept in tables:
        print(f"{in_words(bytes_kept):>10}  in layers  {spec}")
    if answers:
        print(f"{answers:,} answer(s) of studies, {in_words(size)}")


@command.command(epilog="Example: dicewise cache path")
@common_options
def path(as_json: bool, quiet: bool) -> None:
    """Print the folder."""
    from dicewise.store import Store

    if as_json:
        print_json(None, path=str(Store().path))
    else:
        print(Store().path)


@command.command(epilog='Example: dicewise cache clear "greed(max=100,sides=6)"')
@click.argument("spec", required=False)
@common_options
def clear(spec: str | None, as_json: bool, quiet: bool) -> None:
    """Remove all solutions and answers of studies, or the solutions of the game SPEC."""
    from dicewise.engine import layers
    from dicewise.memory import in_words
    from dicewise.store import Store
    from dicewise.study import kept

    store = Store()
    if spec is not None:
        known = sorted({entry.spec for entry in store.entries()} | {known for known, _, _ in layers.kept(store.path)})
        if spec not in known:
            raise InputError(f"nothing is kept of {spec!r}; kept: {', '.join(known) or 'nothing'}")
    count, freed = store.clear(spec)
    tables, size, busy = layers.clear(store.path, spec)
    count, freed = count + tables, freed + size
    for game in busy:
        say(f"{game} is being solved by another process; its table is left alone", quiet)
    answers, size = kept.clear(kept.folder_in(store)) if spec is None else (0, 0)
    if as_json:
        print_json(None, removed=count, bytes=freed, studies={"answers": answers, "bytes": size})
    else:
        print(f"removed {count} solution(s), {in_words(freed)}")
        if answers:
            print(f"removed {answers:,} answer(s) of studies, {in_words(size)}")
