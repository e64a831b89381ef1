"""Slow, obvious twins of Pig, written straight from the rules with fractions, without the library.

A die is `weights`, from face to a positive whole weight.
"""

from fractions import Fraction


def pig(target: int, weights: dict[int, int], bust: set[int]) -> dict[tuple[int, int, int], Fraction]:
    """Pig for two: from (mover's score, other's score, total of the turn) to the mover's chance to win.

    A turn that is lost leads to the same two scores with the players exchanged, and from there back. So for each two
    scores a, b the values x at (a, b, 0) and y at (b, a, 0) stand on both sides. With the choices of both fixed,
    x = p + q y and y = r + s x; guess choices, solve, choose anew, until the choices stay.
    """
    cases = sum(weights.values())
    chances = {face: Fraction(weight, cases) for face, weight in weights.items()}
    value: dict[tuple[int, int, int], Fraction] = {}

    def turn(mine: int, other: int, theirs: Fraction) -> tuple[tuple[str, ...], Fraction, Fraction]:
        """The best choices if the other player is worth `theirs` after a lost turn, and p, q of p + q * theirs."""
        line: dict[int, tuple[Fraction, Fraction]] = {}
        choices = []
        for total in range(target - mine - 1, -1, -1):
            p = q = Fraction(0)
            for face, chance in chances.items():
                if face in bust:
                    p, q = p + chance, q - chance
                elif mine + total + face >= target:
                    p += chance
                else:
                    p, q = p + chance * line[total + face][0], q + chance * line[total + face][1]
            line[total] = p, q
            if total:
                held = 1 - value[other, mine + total, 0]
                choices.append("hold" if held > p + q * theirs else "roll")
                if choices[-1] == "hold":
                    line[total] = held, Fraction(0)
            value[mine, other, total] = line[total][0] + line[total][1] * theirs
        return tuple(choices), *line[0]

    pairs = [(a, b) for a in range(target) for b in range(a, target)]
    for a, b in sorted(pairs, key=sum, reverse=True):
        x = y = Fraction(1, 2)
        chosen: object = None
        while True:
            first, p, q = turn(a, b, y)
            second, r, s = turn(b, a, x)
            if chosen == (first, second):
                break
            chosen = first, second
            x, y = (p + q * r) / (1 - q * s), (r + s * p) / (1 - q * s)
        assert value[a, b, 0] == x
        assert value[b, a, 0] == y
    return value


def pig_alone(target: int, weights: dict[int, int], bust: set[int]) -> dict[tuple[int, int], Fraction]:
    """Pig for one: from (score, total of the turn) to the fewest further turns that can be expected.

    Before the first roll the turn that begins is counted; a lost turn leads back to where it began.
    """
    cases = sum(weights.values())
    chances = {face: Fraction(weight, cases) for face, weight in weights.items()}
    value: dict[tuple[int, int], Fraction] = {}
    for score in range(target - 1, -1, -1):
        again = Fraction(10**6)  # far too many at first, so that holding is preferred
        chosen: object = None
        while True:
            line: dict[int, tuple[Fraction, Fraction]] = {}  # p + q * again
            choices = []
            for total in range(target - score - 1, -1, -1):
                p = q = Fraction(0)
                for face, chance in chances.items():
                    if face in bust:
                        q += chance
                    elif score + total + face < target:
                        p, q = p + chance * line[total + face][0], q + chance * line[total + face][1]
                line[total] = p, q
                if total:
                    held = value[score + total, 0]
                    choices.append("hold" if held < p + q * again else "roll")
                    if choices[-1] == "hold":
                        line[total] = held, Fraction(0)
                value[score, total] = line[total][0] + line[total][1] * again
            if chosen == choices:
                break
            chosen = choices
            again = (1 + line[0][0]) / (1 - line[0][1])
        value[score, 0] = again
    return value
