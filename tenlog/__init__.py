"""tenlog: an event-sourced engine, game log and toolbox for TEN."""

__version__ = "0.1.0"
