"""The one kind of error that a user is meant to see.

Every refusal of the product — a form, an API call, a socket command, a management command — is a `Refused` with a stable
code. Views, the API's handler and the socket consumer only render it.
"""

from typing import Any

from django.utils.functional import Promise


class Refused(Exception):
    """What was asked is not done, and nothing was changed.

    `code` is stable and documented in docs/errors.md, `message` is translated for the user, `status` is the HTTP
    status of the same refusal, `data` are JSON values that the client may need (for instance the amount missing).
    """

    def __init__(self, code: str, message: str | Promise, *, status: int = 400, **data: Any) -> None:
        super().__init__(code)
        self.code = code
        self.message = message
        self.status = status
        self.data = data

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"
