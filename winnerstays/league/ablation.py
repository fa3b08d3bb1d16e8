"""WS-T with one ingredient changed at a time: what each is good for."""

from dataclasses import replace

from winnerstays.algorithms import ws_t

variant = replace(ws_t.ws_t, init=ws_t.init_variant, parameters=ws_t.INGREDIENTS)
"""WS-T with its ingredients as parameters; not registered, since nothing about it is to be set."""
