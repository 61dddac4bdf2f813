"""What the guest with numpy and pandas has beside `ampoule_guest`, which knows of neither.

- `values`: what of these libraries becomes which JSON
- `generators`: numpy's own generator of random numbers, seeded anew for each run

`install` is called before the snapshot, after `ampoule_guest` and both libraries were imported.
"""

from ampoule_guest.own import __builtins__

from . import generators, values


def install():
    """Makes `ampoule_guest` know of both libraries."""
    values.install()
    generators.install()
