"""The form of a room in the admin."""

from typing import Any, Final

from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldAdminSelectWidget

from accounts.admin.desk import RefusableForm, reason_field
from clubs.models import Room
from games.terms_form import TermsForm, terms_fields


class RoomTermsForm(TermsForm, RefusableForm):
    reason = reason_field()

    class Meta:
        model = Room
        fields = ("club", "name", "is_open")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        terms = self.instance.terms if self.instance.pk else None
        if terms is None:
            self.fields.pop("reason", None)
        else:
            self.terms_show(terms)


RoomForm: Final[type[RoomTermsForm]] = type(
    "RoomForm",
    (RoomTermsForm,),
    terms_fields(number=UnfoldAdminIntegerFieldWidget, choice=UnfoldAdminSelectWidget),
)
