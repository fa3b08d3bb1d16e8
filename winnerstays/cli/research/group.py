"""The group of commands for research."""

from winnerstays.cli.app import app, make_group

research_app = make_group("research", "For research: the paper, exact regret, bounds, and a league of algorithms.", app)
