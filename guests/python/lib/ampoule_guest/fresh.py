"""What each run must have anew: nothing random may come from before the snapshot."""

from .own import __builtins__

import gc
import os
import random
import secrets
import sys
import tempfile
import uuid

import _ampoule
import _random

# How many bytes the host gives at once.
MOST_BYTES = 65_536

# Generators that were made before the snapshot.
_generators = []


def urandom(size):
    """`os.urandom`, from the run's own entropy."""
    if size < 0:
        raise ValueError("negative argument not allowed")
    if size <= MOST_BYTES:
        return bytes(_ampoule.bytes(size))
    # Room for all of it first: an error is raised where there is none.
    made = bytearray(size)
    for at in range(0, size, MOST_BYTES):
        made[at : at + MOST_BYTES] = _ampoule.bytes(min(MOST_BYTES, size - at))
    return bytes(made)


def begin():
    """Seeds every generator that there is, at the run's start."""
    seed = _ampoule.seed()
    for number, generator in enumerate(_generators):
        _ampoule.begin_generator(generator, seed ^ number)
        if getattr(generator, "gauss_next", None) is not None:
            # What is left of a pair, from another run of the session.
            generator.gauss_next = None


def install():
    """Finds the generators, before the snapshot."""
    for module in (os, sys.modules.get("posix"), random):
        for name in ("urandom", "_urandom"):
            if hasattr(module, name):
                setattr(module, name, urandom)
    _generators[:] = [
        found for found in gc.get_objects() if isinstance(found, random.Random) and not isinstance(found, secrets.SystemRandom)
    ]
    _ampoule.use_generators(_random.Random)
    # That they lie in memory as is thought.
    tried = random.Random()
    for seed in 1, 2:
        before = tried.getstate()[1]
        _ampoule.begin_generator(tried, seed)
        *numbers, used = tried.getstate()[1]
        differing = sum(one != other for one, other in zip(before, numbers))
        if used != len(numbers) or differing < len(numbers) - 2:
            raise RuntimeError("CPython's generators of random numbers are not what they were")
        tried.random()
    # These look for a name, a node or a state when they are first needed.
    tempfile._name_sequence = None
    uuid._node = None
    uuid._GETTERS = []
    uuid._generate_time_safe = None
