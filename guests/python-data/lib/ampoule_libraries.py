"""Imports numpy, pandas and what they load late, before the snapshot. Nothing random and no file may come from there.

- Entropy is zeros meanwhile. `generators` seeds anew in each run what was seeded with it.
- The time zones of `dateutil` are those of `ampoule_guest.zones`, as the ones of `zoneinfo` are.
"""

from ampoule_guest.own import __builtins__

import importlib
import random
import sys
from importlib._bootstrap import FrozenImporter

from ampoule_guest import zones

# What scripts use, and the libraries load when it is used first: then it would be loaded in each run.
LATE = """
numpy.ctypeslib numpy.char numpy.fft numpy.lib.format numpy.lib.mixins numpy.lib.recfunctions numpy.lib.scimath numpy.lib.stride_tricks numpy.linalg numpy.ma
numpy.matlib numpy.polynomial numpy.random numpy.rec numpy.strings numpy.testing numpy.typing
pandas.api.extensions pandas.api.indexers pandas.api.interchange pandas.api.types pandas.core.computation.eval pandas.core.computation.expr
pandas.core.computation.engines pandas.core.computation.pytables pandas.core.computation.scope
pandas.core.methods.describe pandas.core.methods.selectn pandas.core.methods.to_dict pandas.core.groupby.categorical pandas.core.reshape.encoding
pandas.core.reshape.melt pandas.core.reshape.pivot pandas.core.reshape.tile pandas.core.tools.timedeltas pandas.core.tools.times
pandas.core.window pandas.io.clipboards pandas.io.formats.csvs pandas.io.formats.html pandas.io.formats.info pandas.io.formats.string
pandas.io.formats.xml pandas.io.html pandas.io.json pandas.io.parsers pandas.io.sql pandas.io.xml pandas.testing pandas.tseries.api pandas.tseries.frequencies
pandas.tseries.holiday pandas.tseries.offsets
dateutil.easter dateutil.parser dateutil.relativedelta dateutil.rrule dateutil.tz dateutil.utils
""".split()


# The packages, and where they say that their files are; the code of their functions says the same.
PACKAGES = ("dateutil", "numpy", "pandas")
PLACE = "/lib/python/"


class Finder:
    """Finds modules of the packages, and gives them the name of a file: the libraries tell their own code from a script's by it."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] not in PACKAGES:
            return None
        spec = FrozenImporter.find_spec(name, path, target)
        if spec is not None:
            is_package = spec.submodule_search_locations is not None
            spec.loader_state.filename = PLACE + name.replace(".", "/") + ("/__init__.py" if is_package else ".py")
        return spec


def still_entropy(size):
    """Entropy, while the guest is built."""
    return bytes(size)


def load():
    """Imports them."""
    entropy = random._urandom
    random._urandom = still_entropy
    sys.meta_path.insert(0, Finder)
    try:
        dateutil_zones()
        for name in ("numpy", "pandas", *LATE):
            importlib.import_module(name)
    finally:
        random._urandom = entropy


def dateutil_zones():
    """Has `dateutil` look for time zones where they are, and not in files."""
    from dateutil import _tzdata_impl
    from dateutil.tz import _tzpath

    def load_tzdata(key):
        try:
            return zones.load_tzdata(key)
        except KeyError:
            raise _tzdata_impl.TZFileNotFound("Time zone not found: %s", zone_key=key) from None

    _tzdata_impl._load_tzdata = load_tzdata
    _tzdata_impl._load_tzdata_keys = lambda: sorted(zones.available_timezones())
    _tzpath.TZPATH = ()


load()
