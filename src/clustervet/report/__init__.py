"""One page, or Markdown or JSON, from finished results.

Law: never computes a measure; every text is escaped.
"""
