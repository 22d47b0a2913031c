"""Editing JSON with comments as text: what is added goes again, and nothing else moves."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.agents.setup.jsonc import JsoncError, Node, parse_jsonc
from gitmem.agents.setup.jsonc_edit import add_element, add_member, find_node, remove_item
from tests.support.jsonc_documents import PATIENT, VALUES, documents

Steps = tuple[str | int, ...]
OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "env", "x y"]), VALUES, max_size=4)


def _list_containers(node: Node, path: Steps = ()) -> list[Steps]:
    if node.kind == "plain":
        return []
    found = [path]
    keys = [item.key for item in node.items]
    for index, item in enumerate(node.items):
        if item.key is None:
            found += _list_containers(item.node, (*path, index))
        elif keys.count(item.key) == 1:
            found += _list_containers(item.node, (*path, item.key))
    return found


def _add(text: str, root: Node, path: Steps, value: Any) -> str:
    if find_node(root, path).kind == "object":
        return add_member(text, root, path, "new one", value)
    return add_element(text, root, path, value)


def _keeps(text: str, longer: str) -> bool:
    """Whether every character of the text stands in the longer one, in order."""
    rest = iter(longer)
    return all(character in rest for character in text)


@settings(PATIENT, max_examples=60)
@given(documents(VALUES))
def test_a_text_is_read_as_what_it_means(document: tuple[str, Any]) -> None:
    text, value = document
    root = parse_jsonc(text)
    assert root.value == value
    assert parse_jsonc(text[root.start : root.end]).value == value


@settings(PATIENT, max_examples=60)
@given(documents(OBJECTS), st.data(), VALUES)
def test_adding_keeps_every_character_and_means_one_more(
    document: tuple[str, Any], data: st.DataObject, new: Any
) -> None:
    text, _ = document
    root = parse_jsonc(text)
    path = data.draw(st.sampled_from(_list_containers(root)))
    added = _add(text, root, path, new)
    assert _keeps(text, added)
    before, after = find_node(root, path), find_node(parse_jsonc(added), path)
    assert after.items[-1].node.value == new
    assert [item.node.value for item in after.items[:-1]] == [i.node.value for i in before.items]


@settings(PATIENT, max_examples=60)
@given(documents(OBJECTS), st.data(), VALUES)
def test_what_was_added_last_goes_without_a_trace(
    document: tuple[str, Any], data: st.DataObject, new: Any
) -> None:
    text, _ = document
    root = parse_jsonc(text)
    filled = [path for path in _list_containers(root) if find_node(root, path).items]
    if not filled:
        return
    path = data.draw(st.sampled_from(filled))
    added = _add(text, root, path, new)
    container = find_node(parse_jsonc(added), path)
    assert remove_item(added, container, len(container.items) - 1) == text


@settings(PATIENT, max_examples=60)
@given(documents(OBJECTS), st.data())
def test_removing_one_leaves_the_others_and_every_comment_beside_it(
    document: tuple[str, Any], data: st.DataObject
) -> None:
    text, _ = document
    root = parse_jsonc(text)
    filled = [path for path in _list_containers(root) if find_node(root, path).items]
    if not filled:
        return
    path = data.draw(st.sampled_from(filled))
    container = find_node(root, path)
    index = data.draw(st.integers(0, len(container.items) - 1))
    left = find_node(parse_jsonc(remove_item(text, container, index)), path)
    kept = [item.node.value for i, item in enumerate(container.items) if i != index]
    assert [item.node.value for item in left.items] == kept


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("{", 1),
        ('{"a": 1', 1),
        ('{\n"a" 1}', 2),
        ('{"a": 1}\n}', 2),
        ('{"a": 1,, }', 1),
        ("{a: 1}", 1),
        ("{'a': 1}", 1),
        ('{"a": NaN}', 1),
        ('{"a": 01}', 1),
        ('{"a": "\n"}', 1),
        ('{"a": "\\x"}', 1),
        ("{} /* no end", 1),
        ("[1 2]", 1),
        ("[" * 5000, 1),
        ('{"a": ' * 5000, 1),
        ("1" * 10_000, 1),
        ("<<<<<<< HEAD\n{}\n", 1),
    ],
)
def test_what_is_not_json_is_an_error_with_its_line(text: str, line: int) -> None:
    with pytest.raises(JsoncError, match=f"^line {line}: "):
        parse_jsonc(text)


def test_a_name_that_stands_twice_is_no_place_to_write_to() -> None:
    root = parse_jsonc('{"hooks": {}, "hooks": {"Stop": []}}')
    with pytest.raises(JsoncError, match="twice"):
        root.find("hooks")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", '{\n  "k": [\n    1\n  ]\n}'),
        ("{}\n", '{\n  "k": [\n    1\n  ]\n}\n'),
        ('{"a": 1}', '{"a": 1, "k": [1]}'),
        ('{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"k": [\n\t\t1\n\t]\n}\n'),
        ('{\r\n  "a": 1 // one\r\n}', '{\r\n  "a": 1, // one\r\n  "k": [\r\n    1\r\n  ]\r\n}'),
        ('{\n    "a": 1,\n}', '{\n    "a": 1,\n    "k": [\n        1\n    ],\n}'),
        ("{ // nothing yet\n}", '{ // nothing yet\n  "k": [\n    1\n  ]\n}'),
    ],
)
def test_a_new_member_looks_as_its_neighbours_do(text: str, expected: str) -> None:
    assert add_member(text, parse_jsonc(text), (), "k", [1]) == expected
