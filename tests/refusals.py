"""What is refused, and by which code."""

from collections.abc import Callable

import pytest

from accounts.errors import Refused


def refusal(code: str, call: Callable[[], object]) -> Refused:
    with pytest.raises(Refused) as caught:
        call()
    assert caught.value.code == code
    return caught.value
