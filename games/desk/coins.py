"""The desk's pages of coins: issuing and taking back, the ledger with its transfers and their reversal, its proof."""

from collections.abc import Iterator
from typing import Any, Final
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.http import require_GET, require_http_methods

from accounts.errors import Refused
from accounts.exports import CsvResponse
from accounts.ledger import MOST_AT_ONCE, balances, hand_of, ledger_check, require_reason
from accounts.models import Posting, Transfer
from accounts.paging import MAX_ID, id_of, ids_of
from clubs.members import MOST_MEMBERS, club_transfer_reverse, members_coins_move, members_found
from clubs.models import Club, Membership
from games.desk.shell import DeskRequest, PeriodForm, asked, desk_page, refusal_shown

_PAGE: Final = 50
_AT_ONCE: Final = 500  # rows of a file that are read together
_MATCHES: Final = 20  # members whom a search for one more offers


class OrderForm(forms.Form):
    """Coins for or from the chosen members. The key is made with the form, so that a repeat moves nothing."""

    kind = forms.ChoiceField(
        choices=[
            (Transfer.Kind.ISSUE.value, pgettext_lazy("动词", "发放")),
            (Transfer.Kind.WITHDRAW.value, pgettext_lazy("动词", "收回")),
        ],
        initial=Transfer.Kind.ISSUE.value,
        widget=forms.RadioSelect,
        label=gettext_lazy("做什么"),
    )
    amount = forms.IntegerField(label=gettext_lazy("每人金币"), min_value=1, max_value=MOST_AT_ONCE)
    reason = forms.CharField(
        label=gettext_lazy("事由"),
        max_length=200,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("成员在流水里看得到，日志永久保留。"),
    )
    key = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)

    def clean_reason(self) -> str:
        try:
            return require_reason(self.cleaned_data["reason"])
        except Refused as refusal:
            raise forms.ValidationError(str(refusal.message)) from refusal

    @property
    def signed(self) -> int:
        """What comes into each wallet."""
        amount: int = self.cleaned_data["amount"]
        return amount if self.cleaned_data["kind"] == Transfer.Kind.ISSUE else -amount


@require_http_methods(["GET", "HEAD", "POST"])
@desk_page("coins")
def coins(request: DeskRequest) -> HttpResponse:
    """Coins for the members of the address (`?member=12&member=15`; `?add=` looks for one more): the order, then a page that says
    what it comes to, then it is carried out."""
    club, query = request.desk.club, request.POST if request.method == "POST" else request.GET
    ids = ids_of(query.getlist("member"))
    chosen = list(members_found(club=club).filter(pk__in=ids).order_by("pk")[: MOST_MEMBERS + 1])
    add = request.GET.get("add", "").strip()[:60]
    found = list(_more(club, add).exclude(pk__in=ids)[:_MATCHES]) if add else []
    if len(found) == 1:
        chosen, found = [*chosen, *found], []
    form = OrderForm(request.POST if request.method == "POST" else None)
    is_review = form.is_valid() and request.POST.get("step") != "edit"
    if is_review and request.POST.get("step") == "confirm":
        try:
            return _carry_out(request, form, chosen)
        except Refused as refusal:
            refusal_shown(form, refusal)
            is_review = False
    context = {
        "form": form,
        "chosen": chosen,
        "add": add,
        "found": found,
        "balances": balances(club.book),
        "after": [(each, each.wallet.balance + form.signed) for each in chosen] if is_review else [],
        "is_review": is_review and chosen,
        "nobody": is_review and not chosen,
        "total": form.signed * len(chosen) if is_review else 0,
        "lacking": is_review and any(each.wallet.balance + form.signed < 0 for each in chosen),
    }
    return render(request, "desk/coins.html", context, status=400 if form.errors or context["nobody"] else 200)


def _more(club: Club, words: str) -> QuerySet[Membership]:
    """Whom somebody means who writes a name: the one of that login name, else all with it in theirs."""
    present = members_found(club=club, words=words).exclude(status=Membership.Status.LEFT)
    exact = present.filter(Q(user__username__iexact=words) | Q(user__display_name__iexact=words))
    return (exact if exact.count() == 1 else present).order_by("user__username")


def _carry_out(request: DeskRequest, form: OrderForm, chosen: list[Membership]) -> HttpResponse:
    answers = form.cleaned_data
    is_repeat = members_coins_move(
        members=chosen,
        kind=Transfer.Kind(answers["kind"]),
        amount=answers["amount"],
        reason=answers["reason"],
        actor=request.user,
        order=f"desk:{request.user.pk}:{answers['key']}",
    )
    if is_repeat:
        messages.info(request, _("这一单先前已经执行，没有重复入账。"))
    else:
        words = _("已入账：%(count)d 人，每人 %(amount)s 金币。")
        messages.success(request, words % {"count": len(chosen), "amount": f"{answers['amount']:,}"})
    return redirect("desk_ledger", request.desk.club.slug)


# --- The ledger ----------------------------------------------------------------------------------------------------
class LedgerAsked(PeriodForm):
    """What the ledger is filtered by."""

    kind = forms.ChoiceField(
        required=False, choices=lambda: [("", _("全部类别")), *Transfer.Kind.choices], label=gettext_lazy("类别")
    )
    q = forms.CharField(required=False, max_length=60)
    member = forms.IntegerField(required=False, min_value=1, max_value=MAX_ID, widget=forms.HiddenInput)


def transfers_filtered(club: Club, form: LedgerAsked) -> QuerySet[Transfer]:
    """The transfers that are asked for, newest first. Raises `Refused("bad_filter")`."""
    chosen, transfers = form.cleaned_data, Transfer.objects.filter(book=club.book_id)
    if chosen["kind"]:
        transfers = transfers.filter(kind=chosen["kind"])
    if chosen["member"]:
        transfers = transfers.filter(postings__account__membership=chosen["member"])
    if words := chosen["q"].replace("\x00", ""):
        holder = "postings__account__holder__"
        of = Q(reason__icontains=words) | Q(key__iexact=words)
        of |= Q(**{f"{holder}username__icontains": words}) | Q(**{f"{holder}display_name__icontains": words})
        transfers = transfers.filter(pk__in=Transfer.objects.filter(of, book=club.book_id).values("pk"))
    return form.within(transfers, club.zone).order_by("-id")


@require_GET
@desk_page("coins")
def ledger(request: DeskRequest) -> HttpResponse:
    club = request.desk.club
    form = asked(LedgerAsked, request.GET)
    transfers = transfers_filtered(club, form)
    before = id_of(request.GET.get("before", ""))
    older = transfers.filter(pk__lt=before) if before is not None else transfers
    found = list(
        older.select_related("actor", "reverses", "reversed_by").prefetch_related("postings__account__holder")[
            : _PAGE + 1
        ]
    )
    member = form.cleaned_data["member"]
    context = {
        "form": form,
        "period": form.cleaned_data["period"],
        "member": members_found(club=club).filter(pk=member).first() if member else None,
        "lines": [(transfer, hand_of(transfer.key), _moved(transfer)) for transfer in found[:_PAGE]],
        "before": before,
        "next": found[_PAGE - 1].pk if len(found) > _PAGE else None,
        "balances": balances(club.book),
    }
    return render(request, "desk/ledger.html", context)


def _moved(transfer: Transfer) -> dict[str, Any]:
    """From whom to whom a transfer goes, and how many coins."""
    postings = list(transfer.postings.all())
    return {
        "from": [posting.account for posting in postings if posting.amount < 0],
        "to": [posting.account for posting in postings if posting.amount > 0],
        "coins": sum(posting.amount for posting in postings if posting.amount > 0),
    }


@require_GET
@desk_page("coins")
def ledger_csv(request: DeskRequest) -> CsvResponse:
    """Every posting of the transfers that the page shows, a transfer's one below the other, the newest first."""
    transfers = transfers_filtered(request.desk.club, asked(LedgerAsked, request.GET))
    headings = [
        *(_("时间"), _("转账"), _("类别"), _("业务编号"), _("牌局"), _("事由"), _("经手人"), _("账户"), _("持有人")),
        *(_("变动"), _("变动后余额"), _("冲正的转账")),
    ]
    postings = Posting.objects.filter(transfer__in=transfers.order_by()).order_by("-transfer_id", "id")
    return CsvResponse(f"ledger-{request.desk.club.slug}", headings, _rows(postings))


def _rows(postings: QuerySet[Posting]) -> Iterator[list[Any]]:
    for posting in postings.select_related("account__holder", "transfer__actor").iterator(_AT_ONCE):
        told, account = posting.transfer, posting.account
        yield [
            *(told.created_at, told.pk, told.get_kind_display(), told.key, hand_of(told.key), told.reason),
            *(told.actor and told.actor.name, account.get_kind_display(), account.holder and account.holder.name),
            *(posting.amount, posting.balance_after, told.reverses_id),
        ]


@require_http_methods(["GET", "HEAD", "POST"])
@desk_page("coins")
def transfer(request: DeskRequest, transfer_id: int) -> HttpResponse:
    """One transfer with its postings; POST takes it back by its contrary."""
    club = request.desk.club
    shown = get_object_or_404(
        Transfer.objects.select_related("actor", "reverses", "reversed_by", "book"), book=club.book_id, pk=transfer_id
    )
    if request.method == "POST":
        made = club_transfer_reverse(transfer=shown, actor=request.user, reason=request.POST.get("reason", ""))
        messages.success(request, _("已冲正，新转账为 %(id)d。") % {"id": made.pk})
        return redirect("desk_transfer", club.slug, made.pk)
    postings = shown.postings.select_related("account__holder", "account__membership").order_by("id")
    context = {
        "transfer": shown,
        "postings": postings,
        "hand_id": hand_of(shown.key),
        "reversal": getattr(shown, "reversed_by", None),
        "coins": sum(posting.amount for posting in postings if posting.amount > 0),
    }
    return render(request, "desk/transfer.html", context)


@require_GET
@desk_page("coins")
def ledger_prove(request: DeskRequest) -> HttpResponse:
    """Prove every posting of the club's book now, and say what came of it."""
    book = request.desk.club.book
    context = {
        "faults": ledger_check(book),
        "count": Posting.objects.filter(account__book=book).count(),
        "balances": balances(book),
        "at": timezone.now(),
    }
    return render(request, "desk/ledger_check.html", context)
