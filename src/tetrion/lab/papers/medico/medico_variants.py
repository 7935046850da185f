"""Variants of Medico's bot: removed or changed weights, other fill levels, other danger zones, learnt weights."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from tetrion.agents import SecondMode, WeightedAgent, load_weighted_agent
from tetrion.engine.agent_records import FeatureTerms
from tetrion.engine.bitboard import Outcome
from tetrion.engine.custom_features import CustomFeature
from tetrion.engine.feature_registry import BOARD_FEATURE, PLACEMENT_FEATURE
from tetrion.lab.reproduction.measurements import MeasurementContext, TrainingMeasurement, summarise_games

MEDICO_BOT = load_weighted_agent("medico")
MEDICO_SECOND_MODE = MEDICO_BOT.second_mode or SecondMode({})
MEDICO_THRESHOLD = 100  # sum of heights at which our agent enters recovery mode
MEDICO_MAX_PIECES = 5000  # cap of games with learnt weights
FEW_LINES_FEATURES = ("one_line", "two_lines", "three_lines")
MEDICO_TRAINING = TrainingMeasurement(
    "tuned",
    "medico-tuned",
    seed_count=3,
    quick_changes=("generations=5", "games.count=4", "validation.games=4", "validation.final_games=40"),
)
_LINE_FEATURES = (*FEW_LINES_FEATURES, "four_lines")
_ZONE_GAMES, _QUICK_ZONE_GAMES = 3000, 60
_LEARNT_GAMES, _QUICK_LEARNT_GAMES = 200, 20


def replace_weights(
    name: str,
    scoring: Mapping[str, Any],
    recovery: Mapping[str, Any],
    features: Mapping[str, CustomFeature] | None = None,
) -> WeightedAgent:
    """Return the bot with other weights in its two modes."""
    second = replace(MEDICO_SECOND_MODE, weights=recovery)
    return replace(MEDICO_BOT, name=name, weights=scoring, second_mode=second, features=features or {})


def remove_parameters(*features: str) -> WeightedAgent:
    """Return the bot without the given features, in both modes."""
    scoring, recovery = (
        {name: weight for name, weight in weights.items() if name not in features}
        for weights in (MEDICO_BOT.weights, MEDICO_SECOND_MODE.weights)
    )
    return replace_weights(f"medico without {', '.join(features)}", scoring, recovery)


def change_mode_selector(selector: str, threshold: int) -> WeightedAgent:
    """Return the bot with a mode that depends on another feature and threshold."""
    second = replace(MEDICO_SECOND_MODE, selector=selector, threshold=threshold)
    return replace(MEDICO_BOT, name=f"medico by {selector} from {threshold}", second_mode=second)


def change_scoring_weights(name: str, weights: Mapping[str, Any]) -> WeightedAgent:
    """Return the bot with some weights of its scoring mode changed; recovery mode is unchanged."""
    return replace_weights(name, {**MEDICO_BOT.weights, **weights}, MEDICO_SECOND_MODE.weights)


def scale_weights(name: str, features: tuple[str, ...], divisor: float) -> WeightedAgent:
    """Return the bot with the weights of some features divided by a number, in both modes."""
    scoring, recovery = (
        {
            feature: weight / divisor if feature in features else weight
            for feature, weight in get_numeric_weights(weights).items()
        }
        for weights in (MEDICO_BOT.weights, MEDICO_SECOND_MODE.weights)
    )
    return replace_weights(name, scoring, recovery)


def get_numeric_weights(weights: FeatureTerms) -> dict[str, float]:
    """Return the weights of a mode that are numbers; the bot has no others."""
    return {name: weight for name, weight in weights.items() if isinstance(weight, int | float)}


def make_equivalent_without_board_fill() -> WeightedAgent:
    """Return a bot without board fill, in which every hole costs 1 point more and every line gives 10 points more.

    The sum of heights is the number of filled cells plus the holes, every piece adds four cells, and every line removes
    ten, so this bot should make the same decisions as the report's bot.
    """
    compensation = {"holes": -1, **{name: 10 * lines for lines, name in enumerate(_LINE_FEATURES, 1)}}
    scoring, recovery = (
        {
            name: weight + compensation.get(name, 0)
            for name, weight in get_numeric_weights(weights).items()
            if name != "aggregate_height"
        }
        for weights in (MEDICO_BOT.weights, MEDICO_SECOND_MODE.weights)
    )
    return replace_weights("medico, equivalent without board fill", scoring, recovery)


CHANGED_WEIGHTS = {  # by the name of the measurement
    "scoring mode without 1, 2 and 3 lines": change_scoring_weights(
        "medico, no few lines in scoring mode", dict.fromkeys(FEW_LINES_FEATURES, 0)
    ),
    "scoring mode with recovery rewards": change_scoring_weights(
        "medico, recovery rewards in scoring mode",
        {name: get_numeric_weights(MEDICO_SECOND_MODE.weights)[name] for name in FEW_LINES_FEATURES},
    ),
    "low weight of holes": scale_weights("medico, low weight of holes", ("holes",), 50),
    "low weights of lines": scale_weights("medico, low weights of lines", _LINE_FEATURES, 100),
}


class DangerZone(NamedTuple):
    """A reading of the danger zone: rows from the top, columns from `first_column` to before `end_column`.

    `counts_board` is whether any cell of the board counts instead of the cells of the placed pieces.
    """

    rows: int
    first_column: int
    end_column: int
    counts_board: bool = False

    def make_feature(self) -> CustomFeature:
        """Return the feature that is 1 if a cell lies in the zone."""
        rows, first_column, end_column, counts_board = self

        def danger_zone(outcome: Outcome) -> int:
            cells = 0
            for column in range(first_column, end_column):
                cells |= outcome.columns[column] if counts_board else outcome.piece_columns[column]
            return 1 if cells >> max(outcome.rows - rows, 0) else 0

        return CustomFeature(danger_zone, 1, BOARD_FEATURE if counts_board else PLACEMENT_FEATURE)

    def make_agent(self) -> WeightedAgent:
        """Return the bot with this danger zone."""
        feature = self.make_feature()
        scoring, recovery = (
            {feature.name if name == "danger" else name: weight for name, weight in weights.items()}
            for weights in (MEDICO_BOT.weights, MEDICO_SECOND_MODE.weights)
        )
        return replace_weights(f"medico, {self}", scoring, recovery, {feature.name: feature})


# The report's “near the top center of the board, which is where the following new piece appears”.
SPAWN_ZONE = "the zone is the top two rows of the middle four columns, where pieces spawn"
AGENT_ZONE = "the zone is the top four rows of the middle four columns, as in our agent"
DANGER_ZONES = {  # that of the report and other readings; completes "agrees if …"
    SPAWN_ZONE: DangerZone(2, 3, 7),
    "the zone is the top four rows of the middle two columns": DangerZone(4, 4, 6),
    "the zone is the top four rows of the middle six columns": DangerZone(4, 2, 8),
    "the zone is the top six rows of the middle four columns": DangerZone(6, 3, 7),
    "any cell of the board in the zone counts, not only those of the placed pieces": DangerZone(4, 3, 7, True),
}


def measure_danger_zones(context: MeasurementContext) -> dict[str, Any]:
    """Play games with every reading of the danger zone except that of our agent."""
    games = _QUICK_ZONE_GAMES if context.is_quick else _ZONE_GAMES
    return {
        label: summarise_games(context.play(zone.make_agent(), games=games)) for label, zone in DANGER_ZONES.items()
    }


def measure_learnt_weights(context: MeasurementContext) -> dict[str, Any]:
    """Play games with the learnt weights and the threshold of the report's bot, for each seed of the training."""
    seed_count, changes = MEDICO_TRAINING.get_plan(context.is_quick)
    seeds = range(context.seed, context.seed + seed_count)
    runs = context.train_seeds(MEDICO_TRAINING.recipe, MEDICO_TRAINING.name, seeds, changes)
    games = _QUICK_LEARNT_GAMES if context.is_quick else _LEARNT_GAMES
    summaries = [
        summarise_games(
            context.play(run.best_agent.with_(threshold=MEDICO_THRESHOLD), games=games, max_pieces=MEDICO_MAX_PIECES)
        )
        for run in runs
    ]
    return {
        "runs": [
            {
                "result": {
                    "uncorrected": {"score": {"mean": part["score"]["played"], "ci95": part["score"]["played_ci95"]}}
                }
            }
            for part in summaries
        ]
    }
