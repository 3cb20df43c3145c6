"""Judging logs that one need not trust: lines, seals, start, rules, deck, end, signatures.

:func:`tenlog.audit.verdict.judge_text` judges one game, :func:`tenlog.audit.run.audit` many files.
"""
