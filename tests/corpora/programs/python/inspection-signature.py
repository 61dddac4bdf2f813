import inspect
from typing import Annotated, Callable, Literal, Optional, Union, get_type_hints, get_origin, get_args

def connect(host: str, /, port: int = 5432, *hosts: str, user: Optional[str] = None, timeout: float | None = 1.5, **options: bool) -> "dict[str, int]":
    """Connect to a server.

        Indented detail.
    """
    return {}

signature = inspect.signature(connect)
print(signature)
for name, parameter in signature.parameters.items():
    print(f"{name:8} {parameter.kind.description:28} {parameter.default!r:25} {parameter.annotation}")
print(signature.return_annotation, get_type_hints(connect)["return"], inspect.getdoc(connect).splitlines())
bound = signature.bind("h", 1, "x", user="u", tls=True); bound.apply_defaults()
print(bound.args, bound.kwargs)
for args, kwargs in (((), {}), (("h",), {"host": "x"}), (("h", 1), {"port": 2})):
    try: print(signature.bind(*args, **kwargs).arguments)
    except TypeError as error: print("TypeError:", error)
print(signature.replace(parameters=list(signature.parameters.values())[:2], return_annotation=int), inspect.signature(sorted), inspect.signature(dict.get))
for bad in (lambda: connect(), lambda: connect(host="x"), lambda: (lambda a, *, b: 0)(1), lambda: (lambda a: 0)(1, 2), lambda: len(1, 2), lambda: int(1, 2, 3)):
    try: bad()
    except TypeError as error: print(error)
hint = Annotated[Union[int, str, None], "note"]
print(hint, get_origin(hint), get_args(hint), get_args(Callable[[int], str]), get_args(Literal["a", 1]), Optional[list[int]])
class Base:
    def method(self): ...
    @classmethod
    def make(cls): ...
    @staticmethod
    def plain(): ...
    @property
    def value(self): "docs"
print([(n, k) for n, k, *_ in inspect.classify_class_attrs(Base) if not n.startswith("__")])
print(inspect.isgeneratorfunction(lambda: (yield)), inspect.iscoroutinefunction(connect), [n for n, _ in inspect.getmembers(Base(), inspect.ismethod)], inspect.cleandoc("  a\n    b"))
