"""Stands for the debugger, which the guest refuses: modules of tests import `doctest` when they are loaded, and that imports this. Here are the names
alone that `doctest` puts aside and sets back."""


class Pdb:
    def __init__(self, *args, **options):
        pass

    def reset(self):
        pass


def set_trace():
    raise RuntimeError("nobody debugs here")
