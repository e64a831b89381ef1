"""`dicewise solve --plan`: what a table in layers will take, before anything is computed."""

from __future__ import annotations

from typing import Any

from dicewise.cli.common import print_json
from dicewise.errors import InputError, LimitError
from dicewise.game import Game


def print_plan(rules: Game[Any, Any], as_json: bool) -> None:
    """The plan; one that does not fit this machine is refused after it was shown."""
    from dicewise.engine import layers
    from dicewise.memory import in_words
    from dicewise.store import Store, key_of

    layered = rules.layered()
    if layered is None:
        raise InputError(f"{rules.spec} is not solved in layers, which --plan is about; leave --plan out")
    plan, store, threads = layered.plan(), Store(), layers.threads_here()
    folder = layers.folder_of(store.path, key_of(rules) or "")
    problem: LimitError | None = None
    try:
        layers.check_fits(plan, folder)
    except LimitError as error:
        problem = error
    left = layers.unfinished(folder)
    if as_json:
        print_json(
            plan.game,
            states=plan.states,
            rows=plan.rows,
            layers=plan.layers,
            memory=plan.memory,
            disk=plan.disk,
            seconds=plan.seconds / threads,
            threads=threads,
            at_most=plan.at_most,
            fits=problem is None,
            unfinished=left,
        )
    else:
        up_to = "up to " * plan.at_most
        print(plan.game)
        for name, text in (
            ("states", f"{up_to}{plan.states:,}"),
            ("table", f"{up_to}{plan.rows:,} rows in about {plan.layers:,} layers"),
            ("in memory", f"{up_to}{in_words(plan.memory)}"),
            ("on disk", f"{up_to}{in_words(plan.disk)}"),
            ("time", f"{up_to}about {_duration(plan.seconds / threads)} on {threads} thread(s)"),
            ("left by a break", f"{left[0]} of {left[1]} layers; --resume goes on" if left else "nothing"),
        ):
            print(f"  {name:<19} {text}")
    if problem is not None:
        raise problem


def _duration(seconds: float) -> str:
    for unit, size in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{max(seconds, 0.1):.1f} seconds"
