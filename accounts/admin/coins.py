"""The admin of the ledger: accounts, transfers and their reversal."""

from collections.abc import Collection
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.contrib.filters.admin import RangeDateTimeFilter

from accounts.admin.desk import ReadOnlyAdmin, ReadOnlyInline, ask, coins_text, column, person, row_action, row_link
from accounts.ledger import transfer_reverse
from accounts.models import Account, Posting, Transfer


@admin.register(Account)
class AccountAdmin(ReadOnlyAdmin):
    list_display = ("shown_book", "shown_holder", "kind", "shown_balance")
    list_filter = ("book", "kind")
    list_select_related = ("book", "holder")
    search_fields = ("holder__username", "holder__display_name")
    ordering = ("book", "kind", "-balance")
    fields = readonly_fields = ("shown_book", "kind", "shown_holder", "shown_balance")

    @column(description=gettext_lazy("账本"), ordering="book")
    def shown_book(self, account: Account) -> str:
        return account.book.name

    @column(description=gettext_lazy("持有人"))
    def shown_holder(self, account: Account) -> str:
        return account.holder.name if account.holder else "—"

    @column(description=gettext_lazy("余额"), ordering="balance")
    def shown_balance(self, account: Account) -> str:
        return coins_text(account.balance)


class PostingInline(ReadOnlyInline):
    model = Posting
    hide_title = True
    fields = readonly_fields = ("shown_account", "shown_amount", "shown_balance")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Posting]:
        postings: QuerySet[Posting] = super().get_queryset(request)
        return postings.select_related("account__book", "account__holder").order_by("id")

    @column(description=gettext_lazy("账户"))
    def shown_account(self, posting: Posting) -> str:
        return str(posting.account)

    @column(description=gettext_lazy("变动"))
    def shown_amount(self, posting: Posting) -> str:
        return f"{posting.amount:+,}"

    @column(description=gettext_lazy("变动后余额"))
    def shown_balance(self, posting: Posting) -> str:
        return coins_text(posting.balance_after)


@admin.register(Transfer)
class TransferAdmin(ReadOnlyAdmin):
    list_display = (
        "id",
        "created_at",
        "shown_book",
        "kind",
        "shown_sum",
        "shown_holders",
        "reason",
        "actor",
        "shown_reversal",
    )
    list_filter = ("book", "kind", ("created_at", RangeDateTimeFilter))
    list_select_related = ("book", "actor", "reversed_by")
    search_fields = ("key", "reason", "postings__account__holder__username", "postings__account__holder__display_name")
    fields = ("key", "shown_book", "kind", "reason", "actor", "created_at", "shown_reversed", "shown_reversal")
    readonly_fields = ("shown_book", "shown_reversed", "shown_reversal")
    inlines = (PostingInline,)
    actions_detail = ("reversal",)
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Transfer]:
        transfers: QuerySet[Transfer] = super().get_queryset(request)
        return transfers.prefetch_related("postings__account__holder")

    @column(description=gettext_lazy("金额"))
    def shown_sum(self, transfer: Transfer) -> str:
        """The coins that change hands."""
        return coins_text(sum(posting.amount for posting in transfer.postings.all() if posting.amount > 0))

    @column(description=gettext_lazy("成员"))
    def shown_holders(self, transfer: Transfer) -> str:
        holders = (posting.account.holder for posting in transfer.postings.all())
        return _("、").join(holder.name for holder in holders if holder)

    @column(description=gettext_lazy("账本"), ordering="book")
    def shown_book(self, transfer: Transfer) -> str:
        return transfer.book.name

    @column(description=gettext_lazy("冲正了"))
    def shown_reversed(self, transfer: Transfer) -> str:
        return _transfer_link(transfer.reverses)

    @column(description=gettext_lazy("被冲正"))
    def shown_reversal(self, transfer: Transfer) -> str:
        return _transfer_link(getattr(transfer, "reversed_by", None))

    @row_action(description=gettext_lazy("冲正"), url_path="reverse", icon="undo")
    def reversal(self, request: HttpRequest, transfer: Transfer) -> HttpResponse:
        def carry_out(answers: dict[str, Any]) -> str:
            reversal = transfer_reverse(transfer=transfer, reason=answers["reason"], actor=person(request))
            return _("已冲正，新转账为 #%(id)d。") % {"id": reversal.pk}

        lines = [
            f"{posting.account}{_('：')}{posting.amount:+,} → {-posting.amount:+,}"
            for posting in transfer.postings.select_related("account__book", "account__holder").order_by("id")
        ]
        return ask(
            self,
            request,
            title=_("冲正转账 #%(id)d") % {"id": transfer.pk},
            facts=lines,
            states=lambda answers: [*lines, _("事由：%(reason)s") % {"reason": answers["reason"]}],
            carry_out=carry_out,
            obj=transfer,
        )

    def offered(self, request: HttpRequest, transfer: Transfer) -> Collection[str]:
        return self.actions_detail if transfer.is_reversible and not hasattr(transfer, "reversed_by") else ()


def _transfer_link(transfer: Transfer | None) -> str:
    return "—" if transfer is None else row_link(transfer, f"#{transfer.pk}")
