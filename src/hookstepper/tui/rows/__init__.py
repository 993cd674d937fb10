"""Rows: what panes say, as plain text with role words. No terminal library here, so goldens are cheap."""
