"""The arena over HTTP: routes, keys, limits and metrics; what to show and what to learn is the arena's business.

`create_app` makes the application, `winnerstays serve` runs it, and `Arena.open("http://...")` talks to it.
"""
