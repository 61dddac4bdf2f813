"""Without a framework: a layer parks a run until somebody has answered, and another process resumes it."""

import tempfile
from typing import Any

import pyampoule


@pyampoule.tool
def refund(euros: float) -> str:
    """Pays a customer back."""
    return f"paid {euros:g}"


def asking(answers: dict[int, bool]) -> Any:
    async def layer(call: pyampoule.PassingCall, next: pyampoule.Next) -> Any:
        if call.number not in answers:
            raise pyampoule.ParkRequest({"question": f"May I call {call.tool}?"})
        if not answers[call.number]:
            raise pyampoule.DeniedError("the user said no")
        return await next()

    return layer


with tempfile.TemporaryDirectory() as folder:
    code = "return await host.refund({ euros: 3 })"
    with pyampoule.Runtime(parked=folder) as runtime:
        outcome = runtime.run(code, tools=[refund], layers=[asking({})], park_after=0.01, label="call-1")
        assert isinstance(outcome, pyampoule.Parked)
        (call,) = outcome.waiting
        assert (call.arguments, call.details) == ({"euros": 3}, {"question": "May I call refund?"})
    with pyampoule.Runtime(parked=folder) as runtime:
        (parked,) = runtime.parked()
        assert (parked.run, parked.label) == (outcome.run, "call-1")
        resumed = runtime.run(pyampoule.Resume(parked.run), tools=[refund], layers=[asking({call.call: True})])
        assert resumed.result() == "paid 3"
        assert runtime.parked() == []
print("a parked run: ok")
