"""Time zones: those of the package tzdata, which are a module here, loaded when the first one is wanted."""

from .own import __builtins__

import io
import zoneinfo
from _imp import is_frozen
from zoneinfo import _common, _tzpath

# The module that the build makes.
DATA = "ampoule_guest._zones"


def load_tzdata(key):
    """The data of a zone, as a file."""
    from ._zones import ZONES

    data = ZONES.get(key)
    if data is None:
        raise _common.ZoneInfoNotFoundError(f"No time zone found with key {key}")
    return io.BytesIO(data)


def available_timezones():
    """The names of all zones."""
    from ._zones import ZONES

    return set(ZONES)


def install():
    """Puts these in the place of the search in files, before the snapshot. Where the guest is tried natively, the system's zones stay."""
    if is_frozen(DATA):
        _common.load_tzdata = load_tzdata
        zoneinfo.available_timezones = _tzpath.available_timezones = available_timezones
