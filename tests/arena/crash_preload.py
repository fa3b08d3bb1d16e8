"""Imported by the process from which the victims of crash tests are forked."""

from tests.arena.crash_load import warm_up

warm_up()
