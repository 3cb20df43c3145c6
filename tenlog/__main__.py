"""``python -m tenlog``: the same as the command ``tenlog``."""

from tenlog_cli.app import main

main()
