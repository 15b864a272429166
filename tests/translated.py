"""A plugin of pytest, loaded before Django starts and reads the translations: it compiles those that changed."""

from tools.compile_messages import compile_messages

compile_messages()
