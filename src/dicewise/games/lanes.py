"""Eight doubles side by side, for compiled code.

Numba leaves it to LLVM to find loops that can be done in vectors. Where a loop writes into the array that it reads
from, LLVM first has to check that the places do not overlap; where loops are short, as rows of dice are, that takes
longer than the loop. These functions say in so many words what is wanted, and processors with shorter vectors do it in
two or four steps. Without the compiler the same functions work on NumPy's arrays of eight.

    load(x, i), store(x, i, v)          x[i] to x[i + 7] of a contiguous array; the index is not checked
    fill(number)                        the same number in all lanes
    v + w, v * w, larger(v, w)          lane by lane
    take_where(v, floor, a, b)          a where v >= floor, otherwise b

Numba does not notice that this file has changed: whoever edits it has to empty Numba's cache.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import config
from numba.extending import intrinsic, models, overload, register_model

LANES = 8

VECTOR = ir.VectorType(ir.DoubleType(), LANES)


class Lanes(types.Type):
    """Numba's name for eight doubles in a register."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


LANES_TYPE = Lanes()


@register_model(Lanes)
class LanesModel(models.PrimitiveModel):
    """How LLVM keeps them."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)  # type: ignore[no-untyped-call]


def _at(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """The address of eight doubles in an array."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), VECTOR.as_pointer())


def _spread(builder: Any, number: Any) -> Any:
    alone = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    order = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(alone, ir.Constant(VECTOR, ir.Undefined), order)


@intrinsic
def _load(typing: Any, x: Any, index: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.load(_at(context, builder, signature.args[0], given[0], given[1]), align=8)

    return LANES_TYPE(x, index), code


@intrinsic
def _store(typing: Any, x: Any, index: Any, v: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        builder.store(given[2], _at(context, builder, signature.args[0], given[0], given[1]), align=8)
        return context.get_dummy_value()

    return types.void(x, index, v), code


@intrinsic
def _fill(typing: Any, number: Any) -> Any:
    return LANES_TYPE(types.float64), lambda context, builder, signature, given: _spread(builder, given[0])


@intrinsic
def _larger(typing: Any, a: Any, b: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", given[0], given[1]), given[0], given[1])

    return LANES_TYPE(a, b), code


@intrinsic
def _take_where(typing: Any, v: Any, floor: Any, a: Any, b: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">=", given[0], given[1]), given[2], given[3])

    return LANES_TYPE(v, floor, a, b), code


@intrinsic
def _sum(typing: Any, a: Any, b: Any) -> Any:
    return LANES_TYPE(a, b), lambda context, builder, signature, given: builder.fadd(*given)


@intrinsic
def _product(typing: Any, a: Any, b: Any) -> Any:
    return LANES_TYPE(a, b), lambda context, builder, signature, given: builder.fmul(*given)


def _operator(made: Any) -> Callable[[Any, Any], Any]:
    def choose(a: Any, b: Any) -> Any:
        def both(a: Any, b: Any) -> Any:
            return made(a, b)

        return both if isinstance(a, Lanes) and isinstance(b, Lanes) else None

    return choose


overload(operator.add)(_operator(_sum))
overload(operator.mul)(_operator(_product))

load: Any = _load
store: Any = _store
fill: Any = _fill
larger: Any = _larger
take_where: Any = _take_where

if config.DISABLE_JIT:  # type: ignore[attr-defined]

    def load(x: Any, index: Any) -> Any:
        return x[index : index + LANES].copy()

    def store(x: Any, index: Any, v: Any) -> None:
        x[index : index + LANES] = v

    def fill(number: float) -> Any:
        return np.full(LANES, number)

    def larger(a: Any, b: Any) -> Any:
        return np.maximum(a, b)

    def take_where(v: Any, floor: Any, a: Any, b: Any) -> Any:
        return np.where(v >= floor, a, b)
