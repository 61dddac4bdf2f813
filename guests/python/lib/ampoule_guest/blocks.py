"""Bytes in values: resources that scripts read, and content blocks that they return."""

from .own import __builtins__

from binascii import Error, a2b_base64, b2a_base64

from .values import Object

# What the base64 of images begins with.
BEGINNINGS = (("iVBORw0KGgo", "image/png"), ("/9j/", "image/jpeg"), ("R0lGOD", "image/gif"), ("UklGR", "image/webp"))


def with_bytes(contents):
    """The parts of a resource, blobs as bytes. What is no base64 stays as it came."""
    for part in contents:
        if isinstance(part, dict) and isinstance(part.get("blob"), str):
            try:
                part["blob"] = a2b_base64(part["blob"])
            except Error:
                pass
    return contents


def image(data, mime_type=None):
    """An image, for a script to return: of bytes, their base64 or a `data:` URL, or of a part of a resource."""
    return block("image", data, mime_type)


def audio(data, mime_type=None):
    """Sound, for a script to return: of bytes or their base64, or of a part of a resource."""
    return block("audio", data, mime_type)


def block(kind, data, mime_type):
    if isinstance(data, dict) and "blob" in data:
        # A part of a resource says what it is.
        mime_type = mime_type or data.get("mimeType")
        data = data["blob"]
    elif isinstance(data, dict) and isinstance(data.get("data"), str):
        # So does a content block.
        mime_type = mime_type or data.get("mimeType")
        data = data["data"]
    elif isinstance(data, str) and data.startswith("data:"):
        head, _, encoded = data[5:].partition(",")
        if head.endswith(";base64"):
            mime_type = mime_type or head.partition(";")[0] or None
            data = encoded
    if isinstance(data, (bytes, bytearray, memoryview)):
        data = b2a_base64(data, newline=False).decode()
    elif not isinstance(data, str):
        raise TypeError(f"{kind} takes bytes, or their base64, and a MIME type")
    if mime_type is None and kind == "image":
        mime_type = next((known for begins, known in BEGINNINGS if data.startswith(begins)), None)
    if not isinstance(mime_type, str):
        raise TypeError(f'{kind} needs the type of its bytes: {kind}(data, "{kind}/...")')
    return Object(type=kind, data=data, mimeType=mime_type)
