"""Tables from files: text, workbooks and the files of other programs, with notes on what was read."""
