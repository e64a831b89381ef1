"""How the documentation is built: Sphinx, MyST Markdown, furo. Nothing is fetched, neither to build nor to read it."""

from __future__ import annotations

import re
from typing import Any

from docutils.nodes import Node, SkipNode
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx

from dicewise._version import __version__

project = "dicewise"
author = "The dicewise developers"
copyright = "the dicewise developers"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
default_role = "code"  # in docstrings, `name` is code

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"

html_theme = "furo"
html_title = f"dicewise {version}"
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False


# ---- formulas as MathML, which browsers draw themselves: pages need no script from elsewhere


def draw_formula(translator: Any, node: Node) -> None:
    """A formula inside a sentence."""
    translator.body.append(tex2mathml(node.astext()))
    raise SkipNode


def draw_block(translator: Any, node: Node) -> None:
    """A formula on lines of its own."""
    translator.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>\n')
    raise SkipNode


# ---- docstrings: plain text, in which an indented block is a formula or an example


def keep_blocks(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """Show indented blocks as they are written."""
    text = "\n".join(lines)
    blocks = re.compile(r"(?<=\n\n)((?: {4,}.*\n|\n)*? {4,}.*(?:\n|$))(?=\n|$|\S)")
    lines[:] = blocks.sub(lambda block: block[1] if ">>>" in block[1] else f"::\n\n{block[1]}", text).split("\n")


def setup(app: Sphinx) -> None:
    app.add_html_math_renderer("mathml", (draw_formula, None), (draw_block, None))
    app.connect("autodoc-process-docstring", keep_blocks)
