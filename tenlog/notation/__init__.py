"""One line for one game: a text that fits a forum post or a bug report (``docs/notation.md``).

>>> from tenlog.notation import read_line
>>> read_line("TEN1:tiny:ten/1:Ada,Bob:42:/2:5dae8e")[-1]
CardDrawn(seat=0, card='C3')
"""

from tenlog.errors import NotationError
from tenlog.notation.read import read_line
from tenlog.notation.write import write_line

__all__ = ["NotationError", "read_line", "write_line"]
