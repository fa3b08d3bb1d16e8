"""Files and tables as problems: only documented names are recognised, and values are taken as they are."""
