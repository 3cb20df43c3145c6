"""Tournaments: bots rated against each other on the same deals, from every seat."""
