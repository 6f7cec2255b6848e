"""What a host loop's items are from one turn to the next: not known, but not what they were."""

from __future__ import annotations

from omnilint.analysis.values import JaxArray, Static, Tup, Unknown, Value, serials


class Turn(Unknown):
    """An item of a loop in a later turn: anything, and not what it was in the turn before."""

    __slots__ = ("serial",)

    def __init__(self) -> None:
        self.serial = next(serials)

    def key(self) -> object:
        return ("turn", self.serial)


class NumberOfTurn(Static):
    """The same of an item that is certainly no tracer."""

    __slots__ = ("serial",)

    def __init__(self, kind: str, from_shape: bool) -> None:
        super().__init__(kind, from_shape)
        self.serial = next(serials)

    def key(self) -> object:
        return (*super().key(), "turn", self.serial)


def in_next_turn(item: Value) -> Value:
    """What a loop's item is in the next turn, where compiled functions may have read what it was in this one."""
    if type(item) is Unknown:
        return Turn()
    if type(item) is Static and item.taint is None:
        return NumberOfTurn(item.kind, item.from_shape)
    if isinstance(item, Tup):
        return Tup(in_next_turn(part) for part in item.items)
    return item.but() if isinstance(item, JaxArray) else item


def made_of(made: Value, *parts: Value) -> Value:
    """What is computed of an item of a turn is another one in the next turn, as the item is."""
    return in_next_turn(made) if any(isinstance(part, (Turn, NumberOfTurn)) for part in parts) else made
