"""The debugger's names alone, which `doctest` puts aside and sets back: nobody debugs here."""


class Pdb:
    def __init__(self, *args, **options):
        pass

    def reset(self):
        pass


def set_trace():
    raise RuntimeError("nobody debugs here")
