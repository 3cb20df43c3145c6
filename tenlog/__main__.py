"""``python -m tenlog``: the same as the command ``tenlog``."""

from tenlog_cli.begin import main

main()
