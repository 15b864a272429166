"""Guards in the database: tables to which rows may only be added, and triggers written by hand, on both databases.

For migrations. Django does not know of triggers, and on SQLite a migration that alters a guarded table makes the table
anew without them: such a migration begins and ends with `append_only_still` (a test looks for every guard by name).
"""

from collections.abc import Callable, Mapping, Sequence

from django.apps.registry import Apps
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import RunPython
from django.db.models import Model

Change = Callable[[Apps, BaseDatabaseSchemaEditor], None]

_INSTALL: Mapping[str, Sequence[str]] = {
    "postgresql": (
        """
        CREATE OR REPLACE FUNCTION {table}_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION '{table} is append-only: % refused', TG_OP USING ERRCODE = 'restrict_violation';
        END $$
        """,
        # One trigger a statement, so that even a change of no row is refused.
        """
        CREATE OR REPLACE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
        FOR EACH STATEMENT EXECUTE FUNCTION {table}_append_only()
        """,
    ),
    "sqlite": (
        """
        CREATE TRIGGER IF NOT EXISTS {table}_append_only_update BEFORE UPDATE ON {table}
        BEGIN SELECT RAISE(ABORT, '{table} is append-only: UPDATE refused'); END
        """,
        """
        CREATE TRIGGER IF NOT EXISTS {table}_append_only_delete BEFORE DELETE ON {table}
        BEGIN SELECT RAISE(ABORT, '{table} is append-only: DELETE refused'); END
        """,
        # INSERT OR REPLACE deletes without a word to the trigger above.
        """
        CREATE TRIGGER IF NOT EXISTS {table}_append_only_replace BEFORE INSERT ON {table}
        WHEN EXISTS (SELECT 1 FROM {table} WHERE {same_row})
        BEGIN SELECT RAISE(ABORT, 'UNIQUE constraint failed: {table} is append-only'); END
        """,
    ),
}
_REMOVE: Mapping[str, Sequence[str]] = {
    "postgresql": (
        "DROP TRIGGER IF EXISTS {table}_append_only ON {table}",
        "DROP FUNCTION IF EXISTS {table}_append_only()",
    ),
    "sqlite": (
        "DROP TRIGGER IF EXISTS {table}_append_only_update",
        "DROP TRIGGER IF EXISTS {table}_append_only_delete",
        "DROP TRIGGER IF EXISTS {table}_append_only_replace",
    ),
}


def append_only(app_label: str, *models: str) -> RunPython:
    """An operation after which rows of these models can be added, but neither changed nor removed, by any route.

    The database refuses with an IntegrityError.
    """
    return RunPython(_change(_INSTALL, app_label, models), _change(_REMOVE, app_label, models))


def append_only_still(app_label: str, *models: str) -> RunPython:
    """An operation that puts the guards of `append_only` back where they went with a table, forwards and backwards."""
    return RunPython(_change(_INSTALL, app_label, models), _change(_INSTALL, app_label, models))


def triggers(install: Mapping[str, Sequence[str]], remove: Mapping[str, Sequence[str]]) -> RunPython:
    """An operation that runs statements, and others to take them back, by the database's vendor."""

    def run(statements: Mapping[str, Sequence[str]]) -> Change:
        def change(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
            for statement in statements[editor.connection.vendor]:
                editor.execute(statement, params=None)

        return change

    return RunPython(run(install), run(remove))


def _change(statements: Mapping[str, Sequence[str]], app_label: str, models: Sequence[str]) -> Change:
    def change(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
        for name in models:
            model = apps.get_model(app_label, name)
            same_row = " OR ".join(
                " AND ".join(f'"{column}" = NEW."{column}"' for column in key) for key in _unique_keys(model)
            )
            for statement in statements[editor.connection.vendor]:
                editor.execute(statement.format(table=model._meta.db_table, same_row=same_row), params=None)

    return change


def _unique_keys(model: type[Model]) -> list[list[str | None]]:
    """The columns of each key that is unique in all rows of a model."""
    fields = model._meta.concrete_fields
    columns = {field.name: field.column for field in fields}
    constraints = [[columns[str(name)] for name in each.fields] for each in model._meta.total_unique_constraints]
    return [*([field.column] for field in fields if field.unique), *constraints]
