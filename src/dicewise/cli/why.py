"""What `review` and `drill` share: an action beside the best one, and numbers in words."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dicewise.cli.common import print_rows, print_wrapped

if TYPE_CHECKING:
    from dicewise.game import Game
    from dicewise.play.why import Comparison


def print_why(game: Game[Any, Any], found: Comparison, chosen: str) -> None:
    """An action and the best side by side, and the reason."""
    sides = [(chosen, found.chosen)]
    if found.chosen.action != found.best.action:
        sides.append(("best", found.best))
    heads = ["", *(head for word, side in sides for head in (f"{word}: {label_of(game, side.action)}", "worth"))]
    rows = []
    for kind in found.kinds:
        cells = [kind]
        for _, side in sides:
            group = side.groups.get(kind)
            cells += [f"{float(group.chance):.2%}", number(group.worth)] if group else ["-", ""]
        rows.append(cells)
    rows.append(["all", *(cell for _, side in sides for cell in ("", number(side.value)))])
    print_rows(heads, rows, right=set(heads[1:]))
    print_wrapped(found.reason)


def why_as_json(game: Game[Any, Any], found: Comparison) -> dict[str, Any]:
    """The same for programs."""
    return {
        "loss": float(found.loss),
        "reason": found.reason,
        **{
            name: {
                "action": game.label(side.action),
                "value": float(side.value),
                "outcomes": [
                    {"kind": group.kind, "chance": float(group.chance), "worth": float(group.worth)}
                    for kind in found.kinds
                    if (group := side.groups.get(kind)) is not None
                ],
            }
            for name, side in (("chosen", found.chosen), ("best", found.best))
        },
    }


def number(value: Fraction | float) -> str:
    """A number for a person: whole ones as they are, others with four digits, tiny ones with their size."""
    if value == int(value):
        return str(int(value))
    plain = float(value)
    return f"{plain:.4f}" if abs(plain) >= 5e-5 else f"{plain:.0e}"


def signed(value: Fraction | float) -> str:
    """A change: with its sign, and 0 where only rounding is left."""
    plain = float(value)
    return f"{plain:+.4f}" if abs(plain) >= 5e-5 else "0" if abs(plain) < 1e-11 else f"{plain:+.0e}"


def label_of(game: Game[Any, Any], action: Any) -> str:
    """An action in words; one without a name is what happens by itself."""
    return game.label(action) or "going on"
