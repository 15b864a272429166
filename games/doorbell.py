"""The doorbell: after a commit the sockets of a table are told to look at its log, nothing else.

It may get lost, come twice or out of order; sockets also look by themselves now and then. No tile ever travels here.
"""

import logging
from collections.abc import Callable
from typing import Final

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction

logger = logging.getLogger(__name__)

RANG: Final = "table.rang"  # the consumer's handler

# What else of this process wants to know that something was written: its clock.
listeners: set[Callable[[], None]] = set()


def group(table_id: int) -> str:
    """The channel group of everybody who watches a table."""
    return f"table.{table_id}"


def ring(table_id: int) -> None:
    """Ring once the current transaction is committed."""
    transaction.on_commit(lambda: _ring(table_id))


def _ring(table_id: int) -> None:
    for listener in listeners:
        listener()
    layer = get_channel_layer()
    try:
        async_to_sync(layer.group_send)(group(table_id), {"type": RANG})
    except Exception as error:
        logger.warning("doorbell of table %s not rung: %s", table_id, error)
