"""The state as a node sees it: a live mapping that merges through the key strategies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from hookstepper.engine.strategies import KeyStrategy, apply_update


class State(Mapping[str, Any]):
    """The live state of a run; also notes which keys were read.

    It is handed to nodes and routers on the run's own thread. Parallel branches get a shallow copy each.
    A key with the value None counts as absent for `value`, not for `in`.
    """

    __slots__ = ("_data", "_strategies", "reads", "store")

    def __init__(
        self, data: dict[str, Any], strategies: Mapping[str, KeyStrategy] | None = None, store: Any = None
    ) -> None:
        self._data = data
        self._strategies: Mapping[str, KeyStrategy] = {} if strategies is None else strategies
        self.reads: set[str] = set()
        """Keys that were read since this was last cleared."""
        self.store = store
        """Long-term memory of the run, None if it has none."""

    def __getitem__(self, key: str) -> Any:
        self.reads.add(key)
        return self._data[key]

    def __contains__(self, key: object) -> bool:
        return key in self._data

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __repr__(self) -> str:
        return f"State({self._data!r})"

    def value(self, key: str, default: Any = None, kind: type | tuple[type, ...] | None = None) -> Any:
        """The value of `key`, or `default` if it is absent, None, or not of `kind`."""
        self.reads.add(key)
        found = self._data.get(key)
        if found is None or (kind is not None and not isinstance(found, kind)):
            return default
        return found

    def update(self, values: Mapping[str, Any]) -> None:
        """Merge `values` through the key strategies, at once; a node may do so before it returns."""
        apply_update(self._data, values, self._strategies)

    def put(self, values: Mapping[str, Any]) -> None:
        """Set values as they are, past the key strategies; `MARK_FOR_REMOVAL` deletes a key."""
        apply_update(self._data, values, {})

    def become(self, data: dict[str, Any]) -> None:
        """Hold these values from now on; views that were handed out follow."""
        self._data.clear()
        self._data.update(data)

    @property
    def data(self) -> Mapping[str, Any]:
        """A live view that cannot be written and notes no reads."""
        return MappingProxyType(self._data)

    @property
    def strategies(self) -> Mapping[str, KeyStrategy]:
        """The key strategies; keys that are not named here are replaced."""
        return self._strategies

    def copy(self) -> State:
        """A shallow copy with its own keys: what a parallel branch works on."""
        return State(dict(self._data), self._strategies, self.store)
