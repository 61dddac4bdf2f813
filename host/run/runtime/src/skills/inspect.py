# What a skill's module offers, with its signatures: run inside an isolate, as the code is somebody's.
import importlib
import inspect

module = importlib.import_module("skills.NAME")


def signature(value):
    try:
        return inspect.signature(value).format(quote_annotation_strings=False).replace(module.__name__ + ".", "")
    except (TypeError, ValueError, NameError):
        return "(…)"


def about(value):
    paragraph = (inspect.getdoc(value) or "").split("\n\n")[0]
    text = " ".join(paragraph.split())
    end = text.find(". ")
    return text if end < 0 else text[: end + 1]


names = getattr(module, "__all__", None) or [name for name in vars(module) if name[:1] != "_"]
functions = []
for name in names:
    value = getattr(module, name, None)
    if callable(value) and getattr(value, "__module__", None) == module.__name__:
        text = about(value) if value.__doc__ != getattr(type(value), "__doc__", None) else ""
        functions.append({"name": name, "signature": (name + signature(value))[:400], "about": text[:300]})
return functions[:50]
