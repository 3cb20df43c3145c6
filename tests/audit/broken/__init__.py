"""Broken logs by chapter of the rules, each with the finding that must be made."""
