"""The program `everlog`: its commands, and what happens to errors.

Exit codes: 0 complete, 1 a bug, 2 wrong usage or configuration, 3 usable but incomplete,
4 nothing found, 5 blocked or rate-limited, 6 disk full or a limit of the user's reached,
7 database or broker unreachable, 8 verify failed, 130 interrupted. EverlogErrors carry their own.
"""

from __future__ import annotations

import codecs
import gc
import io
import sys
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from everlog.cli.planned import LATER, add_later
from everlog.cli.program import as_typed, command_name
from everlog.cli.terminal.streams import discard_output, explained, has_no_reader, open_streams
from everlog.cli.terminal.text import guarded_streams
from everlog.errors import EverlogError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import click

INTERRUPTED = 130

# Each command in a line that fits a terminal of 80 columns whole, and its module in `commands`, if it is another's.
_HERE: dict[str, tuple[str, str]] = {
    "demo": ("", "Archive a sample blog on this machine, without internet."),
    "inspect": ("", "Show what a crawl would find; writes nothing."),
    "crawl": ("", "Archive whole blogs; given again, continues or updates."),
    "update": ("crawl", "Archive what is new or changed since the last crawl."),
    "repair": ("", "Go after posts that are missing, in every way there is."),
    "watch": ("", "Keep all blogs current until you stop it."),
    "status": ("", "Show what is held, what is missing and why."),
    "search": ("", "Find posts by their words, the best first."),
    "show": ("", "Print one post as text."),
    "serve": ("", "Look at the archive in a web browser."),
    "diff": ("", "Show what changed between two versions of a post."),
    "export": ("", "Write posts as JSON lines, CSV or Markdown."),
    "import": ("import_", "Bring in WARC and WACZ files of other programs."),
    "rules": ("", "Show or correct what was learned about a blog."),
    "reread": ("", "Read all stored pages again with today's rules."),
    "forget": ("", "Stop updating a blog; the archive keeps what it has."),
    "hide": ("", "Keep a blog or post without showing or exporting it."),
    "verify": ("", "Check every record, file and digest of the archive."),
    "evaluate": ("", "Score extraction on a corpus of blogs."),
    "copy": ("", "Copy an archive into a new one."),
    "worker": ("fleet.worker", "Run jobs from a fleet's queue until stopped."),
    "enqueue": ("fleet.enqueue", "Queue blogs for a fleet to crawl."),
}
_FLEET = "fleet"

COMMANDS = (*_HERE, _FLEET, *LATER)


def make_app(*names: str) -> typer.Typer:
    """The program with these commands, or all: one that runs needs neither the modules of the others nor their time."""
    app = typer.Typer(
        name="everlog",
        rich_markup_mode=None,
        add_completion=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    )
    for name, (home, line) in _HERE.items():
        if not names or name in names:
            module = import_module(f"everlog.cli.commands.{home or name}")
            cls = module.SearchCommand if name == "search" else None
            app.command(name, cls=cls, short_help=line)(getattr(module, "import_" if name == "import" else name))
    if not names or _FLEET in names:
        app.add_typer(import_module("everlog.cli.commands.fleet.fleet").fleet)
    add_later(app)
    app.callback(epilog="Bare `everlog URL` is `everlog crawl URL`.")(everlog)
    return app


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    argv = list(sys.argv[1:] if arguments is None else arguments)
    with open_streams():
        _spell_everything()
        with guarded_streams():
            code = _run(argv)
    if arguments is None:
        # The process ends: to look through all that was loaded for garbage takes 0.1 s of CPU time, and is for nothing.
        gc.freeze()
    return code


def _run(argv: list[str]) -> int:
    try:
        code = _run_command(argv)
        # What is left in the buffer may find the disk full as well.
        sys.stdout.flush()
    except EverlogError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    except Exception as error:  # noqa: BLE001 - the last line of defence, it reports the bug
        return _failed(error, argv)
    if code == INTERRUPTED and not _logs_json(argv):
        print("interrupted", file=sys.stderr)
    return code


def _run_command(argv: list[str]) -> int:
    try:
        if "--from-wayback" in argv:
            from everlog.cli.typed_command import with_endpoint

            argv = with_endpoint(argv)
        is_named = bool(argv) and argv[0] in COMMANDS
        program = _program(make_app(argv[0]) if is_named else make_app())
        program.main(args=argv if is_named else _with_command(argv, program), prog_name=command_name())
    except SystemExit as leaving:
        if isinstance(leaving.__context__, BrokenPipeError):  # typer's own answer to it is the exit code of a bug
            raise leaving.__context__ from None
        return leaving.code if isinstance(leaving.code, int) else 0
    return 0


def _failed(error: Exception, argv: list[str]) -> int:
    """Say what went wrong outside of the program, or that it is a bug; gives the exit code."""
    if isinstance(error, BrokenPipeError) and has_no_reader():
        # Whoever reads has enough: no error, and nothing more to say.
        discard_output()
        return 0
    known = explained(error) if isinstance(error, OSError) else None
    if known is None:
        _report_bug(error, verbose=not {"-v", "--verbose"}.isdisjoint(argv))
        return 1
    discard_output()
    print(known, file=sys.stderr)
    return known.exit_code


def _program(app: typer.Typer) -> click.Group:
    """The commands; the examples in their help can be typed as they stand."""
    program: Any = typer.main.get_command(app)
    waiting: list[Any] = [program]
    while waiting:
        command = waiting.pop()
        command.help, command.epilog = (text and as_typed(text) for text in (command.help, command.epilog))
        _spare_converting(command)
        waiting += getattr(command, "commands", {}).values()
    return cast("click.Group", program)


def _spare_converting(command: Any) -> None:
    """Keep Typer from what needs no converting: new versions load pydantic for any value, 0.1 s of CPU time."""
    all_params = command.get_params

    def get_params(context: Any) -> list[Any]:
        params: list[Any] = all_params(context)
        for param in params:
            if param.nargs == 1 and not param.multiple and "process_value" not in vars(param):
                param.process_value = _processing(param)
        return params

    command.get_params = get_params


def _processing(param: Any) -> Callable[[Any, Any], Any]:
    convert = param.process_value
    is_text = getattr(getattr(param, "type_descriptor", None), "annotation", None) is str

    def process_value(context: Any, value: Any) -> Any:
        if param.required if value is None else not (is_text and isinstance(value, str)):
            return convert(context, value)
        return value if param.callback is None else param.callback(context, param, value)

    return process_value


def _with_command(argv: list[str], program: click.Group) -> list[str]:
    """The words with the command that they mean, which is not the first of them."""
    from everlog.cli.typed_command import with_command

    # The options of `crawl` that take a value.
    options = (param for param in program.commands["crawl"].params if getattr(param, "is_flag", None) is False)
    return with_command(argv, COMMANDS, {name for option in options for name in option.opts})


def _logs_json(argv: Sequence[str]) -> bool:
    """Whether what is said is read by programs, line by line."""
    return "--log-format=json" in argv or any(pair == ("--log-format", "json") for pair in pairwise(argv))


def _spell_everything() -> None:
    """What stdout has no letters for is printed as JSON escapes it, so that `--json` says the same anywhere."""
    # In the locale "C" stdout is not strict: it gives back bytes of file names, and has no letters but those of ASCII.
    if isinstance(sys.stdout, io.TextIOWrapper) and (
        sys.stdout.errors == "strict" or codecs.lookup(sys.stdout.encoding).name != "utf-8"
    ):
        codecs.register_error("everlog", _escaped)
        sys.stdout.reconfigure(errors="everlog")


def _escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    import json

    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def _version(value: bool) -> None:
    if value:
        from importlib.metadata import PackageNotFoundError, version

        try:
            print(f"everlog {version('everlog')}")
        except PackageNotFoundError:
            print("everlog (not installed, run from its source)")
        raise typer.Exit


def everlog(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Learns a blog from its feed and archives the whole of it.

    \b
    Examples:
      everlog demo
      everlog https://a.blog.example/
      everlog export --format csv > posts.csv
    """


def _report_bug(error: Exception, *, verbose: bool) -> None:
    if verbose:
        import traceback

        traceback.print_exception(error, file=sys.stderr)
    print(f"this is a bug in everlog: {type(error).__name__}: {error}", file=sys.stderr)
    print(
        "  to report it, open an issue with the command and the output it gives with -v", file=sys.stderr,
    )
