"""Pages to share: one self-contained HTML file each, drawn from what the fold and the archive say.

Needs the extra ``html`` (a template engine); everything else comes with the page.
"""
