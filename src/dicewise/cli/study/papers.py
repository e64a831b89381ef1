"""`dicewise study papers`."""

from __future__ import annotations

import click

from dicewise.cli.common import common_options, print_json, print_rows, print_wrapped, progress_shown, say


@click.command("papers", epilog="Example: dicewise study papers -o papers.html")
@click.option(
    "-o", "--output", metavar="FILE", default="papers.html", show_default=True, help="The page, an .html file."
)
@click.option("--jobs", type=click.IntRange(1), help="Processes to work with [default: one per core]")
@click.option("--fresh", is_flag=True, help="Ask everything again, also what earlier runs have kept.")
@common_options
def command(output: str, jobs: int | None, fresh: bool, as_json: bool, quiet: bool) -> None:
    """Make the figures and tables of our sources again, in one HTML page.

    Beside each stands what the source says, and whether it agrees, with reasons; then the errata, and the sources' open
    questions with our answers. The page needs no network and prints on A4.
    """
    from dicewise.cli.study.output import cores
    from dicewise.plot import check_matplotlib
    from dicewise.plot.page import check_page, save_page
    from dicewise.study.kept import studies_folder
    from dicewise.study.papers import papers
    from dicewise.study.work import Work

    check_page(output)
    check_matplotlib()
    with progress_shown(quiet) as progress:
        work = Work(jobs or cores(), folder=studies_folder(), fresh=fresh, progress=progress)
        found = papers(work.stage(0.0, 0.8))
        save_page(found.document, output, progress=work.stage(0.8, 1.0).tell)
    say(f"wrote {output}", quiet)
    if as_json:
        print_json(None, output=output, **found.study.as_dict())
        return
    claims = found.study.table("claims")
    if rows := claims.printed():
        print("what does not agree with its source")
        print_rows(list(claims.shown), rows)
        print()
    for sentence in found.study.findings:
        print_wrapped(f"{sentence} {output} has them all, with figures and reasons.")
