"""`dicewise certify`."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from dicewise.cli.common import (
    GameCommand,
    common_options,
    game_argument,
    print_json,
    progress_shown,
    solved,
    the_game,
)

if TYPE_CHECKING:
    from dicewise.engine.certify import Certificate
    from dicewise.solution import Solution


TOLERATED = 1e-9
"""What doubles may be off by, in units of the payoffs, before a check counts as failed."""


@click.command(cls=GameCommand, epilog="Example: dicewise certify greed --exact")
@game_argument
@click.option("--exact", is_flag=True, help="Check in exact arithmetic: solve exactly, prove it, and compare.")
@common_options
@click.pass_context
def command(ctx: click.Context, game: str, exact: bool, as_json: bool, quiet: bool) -> int:
    """Check the solution of GAME against the Bellman equations in every state.

    With --exact the game is also solved in exact arithmetic; that solution is proven (its violation must be 0 in
    every state), and the one that the other commands use is compared with it, state by state. Exit code 0 if the
    check holds, 1 otherwise.
    """
    from dicewise.engine.certify import certify
    from dicewise.engine.solve import solve
    from dicewise.solution import TIE_TOLERANCE

    rules = the_game(ctx)
    solution, _ = solved(rules, quiet)
    with progress_shown(quiet) as progress:
        certificate = certify(solution, exact=exact, progress=progress)
    content = _as_dict(certificate) | {"interests": solution.report.interests}
    tolerated = TOLERATED * solution.tolerance / TIE_TOLERANCE
    holds = certificate.violation <= tolerated and certificate.policy_loss <= tolerated
    if exact:
        with progress_shown(quiet) as progress:
            truth = solve(rules, exact=True, progress=progress)
            proof = certify(truth, exact=True, progress=progress)
            distance, other_actions = _compare(solution, truth)
        value = Fraction(truth.value(rules.start()))
        holds = holds and proof.proven and distance <= tolerated
        content |= {
            "proven": proof.proven,
            "exact": f"{value.numerator}/{value.denominator}",
            "largest_error": distance,
            "other_actions": other_actions,
        }
        content["seconds"] += truth.report.seconds + proof.seconds
    if as_json:
        print_json(rules.spec, **content)
    else:
        _print(certificate, content)
    return 0 if holds else 1


def _as_dict(certificate: Certificate) -> dict[str, Any]:
    return {
        "method": certificate.method,
        "states": certificate.states,
        "violation": float(certificate.violation),
        "where": certificate.where,
        "policy_loss": float(certificate.policy_loss),
        "error_bound": None if certificate.error_bound is None else float(certificate.error_bound),
        "arithmetic": "exact" if certificate.exact else "double",
        "seconds": certificate.seconds,
    }


def _compare(solution: Solution[Any, Any], truth: Solution[Any, Any]) -> tuple[float, int]:
    """The largest distance of any value, and in how many states another action is chosen."""
    largest, others = Fraction(0), 0
    for state in truth.states():
        largest = max(largest, abs(Fraction(solution.value(state)) - Fraction(truth.value(state))))
        others += solution.action(state) != truth.action(state)
    return float(largest), others


def _print(certificate: Certificate, content: dict[str, Any]) -> None:
    bound = content["error_bound"]
    print(f"{certificate.game}: {certificate.states:,} states checked in {content['arithmetic']} arithmetic")
    print(f"  solution            {certificate.method}")
    print(f"  largest violation   {content['violation']:.3g} (at {certificate.where})")
    print(f"  policy's loss       {content['policy_loss']:.3g} at most in any state")
    unbounded = "ties decide" if content["interests"] == "each for itself" else "doubles cannot tell, --exact can"
    print(f"  error of any value  {f'not bounded: {unbounded}' if bound is None else f'at most {bound:.3g}'}")
    if "proven" in content:
        print(f"  exact solution      {'proven: violation 0 in every state' if content['proven'] else 'NOT PROVEN'}")
        print(f"  largest error       {content['largest_error']:.3g} against the exact values")
        same = content["other_actions"]
        print(f"  actions             {'the same in every state' if not same else f'different in {same:,} states'}")
    print(f"  time                {content['seconds']:.2f} s")
    sys.stdout.flush()
