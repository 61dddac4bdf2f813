"""numpy's own generator of random numbers, behind `numpy.random.rand` and the like: what it was at the snapshot is the same for all runs. What
`numpy.random.default_rng` makes asks for entropy when it is made, and needs nothing here."""

from ampoule_guest.own import __builtins__

from numpy import random

from ampoule_guest import fresh

# How many bytes of entropy it is seeded with.
SEED_BYTES = 16

_others = fresh.begin


def begin():
    """Seeds every generator that there is, at the run's start."""
    _others()
    entropy = fresh.urandom(SEED_BYTES)
    random.seed([int.from_bytes(entropy[at : at + 4], "little") for at in range(0, SEED_BYTES, 4)])


def install():
    """Has each run begin with it."""
    fresh.begin = begin
