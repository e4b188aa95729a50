"""Commands: one module each, named like the command. They parse flags, make one library call and print.

`everlog.cli.app` has the table of them; begin with `status`.
"""
