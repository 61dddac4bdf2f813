# tools.server

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

async def conditional(
    *,
    country: Literal["us", "nl"],
    zip: str | int = ...,
    postcode: str = ...,
) -> Untyped:
    """Arguments: if country is \"us\": needs zip, zip matches /^\\d{5}$/"""

async def dependent(
    *,
    card: str = ...,
    cvc: str = ...,
    expires: str = ...,
) -> Untyped:
    """Arguments: with card: needs cvc; with cvc: needs card"""
