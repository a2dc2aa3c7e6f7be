"""Guessing ahead: which running sequences get a draft, of what length, and what became of it.

A drafter guesses the next tokens of one sequence; the step that reads the sequence's last token reads the guesses
behind it and shows which of them the model would have chosen (`stepper`). Lives on the engine's thread; a wrong guess
or a wrong belief costs time and never changes what is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Row
from dataclasses import dataclass, replace

from codeassistd.engine.acceptance import Beliefs, Luck
from codeassistd.engine.backend import Backend
from codeassistd.engine.draft_length import Chance, best_speed, share_out
from codeassistd.engine.draft_model import DraftModel, Wish
from codeassistd.engine.drafter import NO_DRAFT, Draft, Drafter, MakeDrafters
from codeassistd.engine.pace import size_class
from codeassistd.engine.refuted import Refuted
from codeassistd.engine.request import PROPOSAL, DraftCount, GenerateRequest
from codeassistd.engine.sequence import Sequence
from codeassistd.engine.step_costs import StepCosts

__all__ = ["Drafting", "added"]

_MODEL_STRENGTH = 6
"""What the grounds of a draft model are believed to be worth. A belief at which it does not pay is never corrected."""


_PROPOSED_AT_ONCE = 16
"""Most proposed tokens of one step. The rest of a right one costs a step more; a wrong one of a whole block costs no
more than that of a line."""


@dataclass(slots=True)
class _Guessing:
    """What is known about one sequence's drafts."""

    drafters: tuple[Drafter, ...]
    luck: Luck


class Drafting:
    """The drafts of all sequences of one backend.

    Args:
        make_drafters: called once for each sequence that comes to the point of writing.
        backend: asked what it can do, never driven. Where its memory cannot be cut, wrong guesses could not be taken
            out of it, and nothing is drafted.
        max_draft: most tokens of one draft.
        model: asked where no drafter of a sequence has anything to say.

    Attributes:
        costs: to be told of the steps.
    """

    def __init__(
        self, make_drafters: MakeDrafters, backend: Backend, max_draft: int, model: DraftModel | None = None
    ) -> None:
        self._make_drafters = make_drafters
        self._vocabulary = backend.vocabulary
        self._n_ctx = backend.info.n_ctx
        self._n_batch = backend.info.n_batch
        self._can_cut = backend.can_cut
        self._max_draft = max_draft if backend.can_cut else 0
        self._model = model
        self._guessing: dict[Sequence, _Guessing] = {}
        self._drafts: dict[Sequence, Draft] = {}
        self._beliefs = Beliefs()
        self._refuted = Refuted()
        self.costs = StepCosts()

    def prepare(self, running: Row[Sequence], streams: Row[Sequence]) -> None:
        """Give the sequences that run their drafts for the next step.

        Args:
            running: all of them; what was proposed for one is read whatever it costs.
            streams: those of them that go on by one token in the next step, and may guess how they go on.
        """
        self._drafts = {}
        for sequence in running:
            sequence.draft = self._proposed(sequence)
            if sequence.draft:
                self._drafts[sequence] = Draft(sequence.draft, PROPOSAL, 0)
        n_sure = sum(1 + len(sequence.draft) for sequence in streams)
        guessers = [sequence for sequence in streams if not sequence.draft]
        if n_sure < self._n_batch:
            self._guess({s: draft for s in guessers if (draft := self._offer(s)).n_tokens}, n_sure)

    def judge(self, sequence: Sequence, n_drafted: int, n_accepted: int) -> None:
        """Learn from a draft of which `n_drafted` tokens were read, once those that were right are the sequence's."""
        draft = self._drafts[sequence]
        if draft.drafter != PROPOSAL:
            self._beliefs.judge(draft, self._guessing[sequence].luck, n_drafted, n_accepted)
        # A draw would come out otherwise the next time.
        if n_accepted < n_drafted and sequence.request.params.temperature <= 0.0:
            self._refuted.note(sequence.tokens[: sequence.n_read], sequence.draft[n_accepted])
        sequence.drafts = added(sequence.drafts, (DraftCount(draft.drafter, n_drafted, n_accepted),))

    def forget(self, sequence: Sequence) -> None:
        """A sequence has ended."""
        self._guessing.pop(sequence, None)
        self._drafts.pop(sequence, None)

    def _proposed(self, sequence: Sequence) -> tuple[int, ...]:
        """What of its request's proposal may come next: nothing once the output has left it."""
        proposal, n_output = sequence.request.proposal, sequence.n_output
        if len(proposal) <= n_output or not self._can_cut:
            return ()
        if tuple(sequence.tokens[sequence.n_prompt :]) != proposal[:n_output]:
            return ()
        tokens = proposal[n_output : n_output + min(self._n_useful(sequence), _PROPOSED_AT_ONCE)]
        return self._before_stop(tokens, sequence.request.stop_ids)

    def _n_useful(self, sequence: Sequence) -> int:
        """Most guesses that could be written: a step always gives one token more than it guessed."""
        n_left = min(sequence.request.params.max_tokens - sequence.n_output, self._n_ctx - len(sequence.tokens))
        return max(n_left - 1, 0)

    def _guess(self, offers: Mapping[Sequence, Draft], n_sure: int) -> None:
        """Share the room beside the `n_sure` tokens of a step out among what the drafters guess."""
        if not offers:
            return
        chances = [self._chance(sequence, draft) for sequence, draft in offers.items()]
        lengths = share_out(chances, n_sure, self._n_batch - n_sure, self.costs)
        if not any(lengths):
            self.costs.fade()
        wanted = dict(zip(offers, lengths, strict=True))
        for sequence, draft in self._kept(offers, wanted).items():
            self._drafts[sequence] = draft
            sequence.draft = draft.tokens[: wanted[sequence]]
            if wanted[sequence] == 0:
                self._fade(sequence, draft)

    def _kept(self, offers: Mapping[Sequence, Draft], wanted: Mapping[Sequence, int]) -> dict[Sequence, Draft]:
        """The drafts with what was promised, as far as it is wanted."""
        drafts = dict(offers)
        promises = [sequence for sequence, draft in offers.items() if draft.n_promised and wanted[sequence]]
        if self._model is None or not promises:
            return drafts
        wishes = [Wish(sequence.held_slot, sequence.tokens, wanted[sequence]) for sequence in promises]
        guesses = self._model.guess(wishes, piece_ms=self.costs.step_ms)
        for sequence in promises:
            tokens = guesses.get(sequence.held_slot, ())
            drafts[sequence] = replace(drafts[sequence], tokens=self._before_stop(tokens, sequence.request.stop_ids))
        return drafts

    def _offer(self, sequence: Sequence) -> Draft:
        """What its drafters guess, as far as it could be written."""
        n_max = min(self._max_draft, sequence.request.max_draft, self._n_useful(sequence))
        if n_max < 1:
            return NO_DRAFT
        guessing = self._guessing.get(sequence)
        if guessing is None:
            drafters = self._make_drafters(sequence.request)
            guessing = self._guessing[sequence] = _Guessing(drafters, Luck(_work_of(sequence.request)))
        for drafter in guessing.drafters:
            draft = drafter.propose(sequence.tokens, n_max)
            tokens = self._before_stop(draft.tokens, sequence.request.stop_ids)
            tokens = self._refuted.before(sequence.tokens, tokens)
            if tokens:
                return replace(draft, tokens=tokens)
        return self._promise(sequence, n_max)

    def _promise(self, sequence: Sequence, n_max: int) -> Draft:
        """What the draft model could guess, if it pays to have it read what it has missed of the sequence."""
        n_tokens = 0 if self._model is None else self._model.room(sequence.tokens, n_max)
        if self._model is None or n_tokens == 0:
            return NO_DRAFT
        promise = Draft((), self._model.name, _MODEL_STRENGTH, n_promised=n_tokens)
        missed_ms = self._model.catch_up_ms(sequence.held_slot, sequence.tokens)
        if missed_ms > 0.0:
            gained = 1.0 - 1.0 / best_speed(self._chance(sequence, promise), self.costs)
            if missed_ms >= gained * self._n_useful(sequence) * self.costs.step_ms:
                self._fade(sequence, promise)
                return NO_DRAFT
        return promise

    def _fade(self, sequence: Sequence, draft: Draft) -> None:
        """A draft, there or promised, was not worth its cost: trust what is known of it a little less."""
        self._beliefs.fade(draft, self._guessing[sequence].luck)
        if draft.n_promised and self._model is not None:
            self._model.fade()

    def _before_stop(self, tokens: tuple[int, ...], stop_ids: frozenset[int]) -> tuple[int, ...]:
        """The tokens before the first one that would end the sequence: guessing the end saves nothing."""
        for index, token in enumerate(tokens):
            if token in stop_ids or self._vocabulary.is_stop(token):
                return tokens[:index]
        return tokens

    def _chance(self, sequence: Sequence, draft: Draft) -> Chance:
        price, step_ms = 0.0, self.costs.step_ms
        if draft.n_promised and self._model is not None and step_ms > 0.0:
            price = self._model.guess_ms / step_ms
        return Chance(self._beliefs.rates(draft, self._guessing[sequence].luck), price)


def added(left: tuple[DraftCount, ...], right: tuple[DraftCount, ...]) -> tuple[DraftCount, ...]:
    """The counts of both, one for each drafter, by name."""
    totals: dict[str, DraftCount] = {}
    for count in (*left, *right):
        known = totals.get(count.drafter, DraftCount(count.drafter, 0, 0))
        totals[count.drafter] = DraftCount(
            count.drafter, known.n_drafted + count.n_drafted, known.n_accepted + count.n_accepted
        )
    return tuple(totals[name] for name in sorted(totals))


def _work_of(request: GenerateRequest) -> tuple[int, int]:
    """What kind of work a request is: of those of one priority that may be about as long, guesses are alike."""
    return request.priority, size_class(request.params.max_tokens)
