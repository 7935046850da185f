"""The expressions of claims and pages: names of measurements, their parts, and functions of them.

An expression such as `ratio(tuned.lines, becker.lines)` is written in Python's syntax. A measurement is called by its
name, with underscores instead of other characters; `.lines`, `.score` and `.pieces` are its mean per game, or its mean
over the seeds of a training. The first words of several names stand for all these measurements: `without` is the group
of `without_wells` and `without_holes`. Nothing else of Python can be used, so that reading a claim executes no code.
"""

import ast
import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any

from tetrion.errors import TetrionError, UnknownNameError
from tetrion.papers.measured_values import METRICS, compute_mean, compute_mean_over_seeds

Functions = Mapping[str, Callable[..., Any]]


class ExpressionError(TetrionError):
    """An expression that cannot be read."""


def to_identifier(name: str) -> str:
    """Return the name of a measurement or of a part of it as it stands in expressions."""
    return re.sub(r"\W+", "_", name)


@cache
def parse_expression(text: str) -> ast.expr:
    """Return the syntax tree of an expression."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ExpressionError(
            f"An expression such as `ratio(first.lines, second.lines)` is expected; given {text!r}."
        ) from error


def check_expression(text: str, measurements: Collection[str], functions: Functions) -> None:
    """Raise an error with the nearest name if an expression uses an unknown measurement or function."""
    called = set()
    tree = parse_expression(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Name):
                raise ExpressionError(f"Only functions can be called; given {text!r}.")
            called.add(node.func)
            if node.func.id not in functions:
                raise UnknownNameError("function", node.func.id, sorted(functions), listing=f"It is used in {text!r}.")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node not in called and not get_names(node.id, measurements):
            raise UnknownNameError("measurement", node.id, sorted(measurements), listing=f"It is used in {text!r}.")
        if not isinstance(node, _NODE_TYPES):
            raise ExpressionError(f"{type(node).__name__} cannot be used in an expression; given {text!r}.")


_NODE_TYPES = (
    *(ast.Name, ast.Load, ast.Attribute, ast.Subscript, ast.Call, ast.keyword, ast.Constant, ast.List, ast.Tuple),
    *(ast.UnaryOp, ast.USub),
)


def get_names(name: str, measurements: Collection[str]) -> list[str]:
    """Return the measurement of a name; or else, if several names begin with it and an underscore, all of these."""
    if name in measurements:
        return [name]
    names = [measurement for measurement in measurements if measurement.startswith(f"{name}_")]
    return names if len(names) > 1 else []


def evaluate_expression(text: str, results: Mapping[str, Any], functions: Functions) -> Any:
    """Return the value of an expression from the results of all measurements, by their names in expressions."""
    return _evaluate(parse_expression(text), results, functions)


def _evaluate(node: ast.AST, results: Mapping[str, Any], functions: Functions) -> Any:
    match node:
        case ast.Name(id=name):
            names = get_names(name, results)
            return results[name] if names == [name] else {part[len(name) + 1 :]: results[part] for part in names}
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(operand=operand):
            return -_evaluate(operand, results, functions)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [_evaluate(element, results, functions) for element in elements]
        case ast.Attribute(value=owner, attr=name):
            return get_part(_evaluate(owner, results, functions), name)
        case ast.Subscript(value=owner, slice=key):
            return get_part(_evaluate(owner, results, functions), _evaluate(key, results, functions))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords):
            return functions[name](
                *(_evaluate(argument, results, functions) for argument in arguments),
                **{str(keyword.arg): _evaluate(keyword.value, results, functions) for keyword in keywords},
            )
    raise ExpressionError(f"{type(node).__name__} cannot be used in an expression.")


def get_part(owner: Any, key: Any) -> Any:
    """Return a part of a result: a mean of games or of seeds, an element of a list, or an entry by its name."""
    if not isinstance(owner, Mapping):
        return owner[key] if isinstance(key, int) else getattr(owner, key)
    if key in METRICS and isinstance(owner.get("runs"), list):
        return compute_mean_over_seeds(owner, key)
    if key in METRICS and isinstance(owner.get(key), Mapping) and "played" in owner[key]:
        return compute_mean(owner, key)
    if key in owner:
        return owner[key]
    parts = {to_identifier(name): part for name, part in owner.items()}
    if key not in parts:
        raise KeyError(str(UnknownNameError("part of a result", str(key), sorted(parts))))
    return parts[key]
