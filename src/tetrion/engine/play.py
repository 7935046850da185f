"""Whole games, compiled: any mixture of agents under one set of rules, in slices, on as many threads as there are."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from tetrion.engine.adversary import worst_piece
from tetrion.engine.agents import CompiledAgent, Playable, compiled_agents
from tetrion.engine.ahead import SEARCH, choose_ahead, choose_drop_ahead
from tetrion.engine.board import columns_of, heights_of, settle
from tetrion.engine.choose import ONE, SIXTEEN, choose_any, choose_on_lanes, choose_one_by_one
from tetrion.engine.columns import largest
from tetrion.engine.compiler import Entry, compiled, entry_with
from tetrion.engine.drops import choose_drop
from tetrion.engine.leaders import NO_PLACEMENT, Choice
from tetrion.engine.motion import enters
from tetrion.engine.near import Scratch, settle_on_lanes
from tetrion.engine.pieces import PIECE_OF, TALL, WIDTH
from tetrion.engine.randomisers import WORST, deal, keys
from tetrion.engine.reach import reach_in_time
from tetrion.engine.rules import ABOVE, DROPPED, NO_ENTRY, TIMED, TOP_ROW, Rules
from tetrion.engine.scoring import frames_a_row, frames_to_entry, level_of, points_of
from tetrion.engine.words import Array, popcount
from tetrion.errors import AgentError

MOST_KNOWN = 8  # pieces: the current one, those of the longest preview, and one more

GAME = np.dtype(
    [
        ("key", np.uint64),  # of its randomness
        ("bag", np.int64),  # what the randomiser remembers, such as the pieces left in the bag
        ("pieces", np.int64),  # placed so far
        ("lines", np.int64),
        ("score", np.int64),
        ("frames", np.int64),  # that it has lasted, where there is a clock
        ("clears", np.int64, 4),  # how often one, two, three and four lines were cleared at once
        ("board", np.int32, WIDTH),
        ("agent", np.int32),  # who plays
        ("status", np.int32),
        ("placement", np.int64, 3),  # the last one: orientation, column, row
        ("known", np.int64),  # how many pieces are dealt and not yet placed
        ("queue", np.int64, MOST_KNOWN),  # these pieces, the current one first
    ],
    align=True,
)
PLAYING, OVER, CAPPED = range(3)

UNLIMITED = 2**62

Games = np.ndarray[Any, Any]


class Setting(NamedTuple):
    """Everything that stays the same while games are played."""

    agents: Array
    tables: Array
    rules: Array
    most_pieces: int
    most_lines: int

    @classmethod
    def of(
        cls, agents: Sequence[Playable], rules: Rules, most_pieces: int = UNLIMITED, most_lines: int = UNLIMITED
    ) -> Self:
        """What is played by: some agents, rules, and caps on the length of a game."""
        for agent in agents:
            check_preview(CompiledAgent(*agent), rules)
        return cls(*compiled_agents(agents), rules.compiled(), most_pieces, most_lines)


def check_preview(agent: CompiledAgent, rules: Rules) -> None:
    """Make sure that the rules show as many next pieces as an agent looks at."""
    if agent.depth > rules.preview + 1:
        wanted = agent.depth - 1
        raise AgentError(
            f"depth={agent.depth} needs {wanted} next piece{'s'[: wanted > 1]} to be known; {rules} shows "
            f"{rules.preview}. Use {rules.with_(preview=wanted)}."
        )


def new_games(count: int, seed: int, first: int = 0, agent: int = 0) -> Games:
    """Games number `first`, `first + 1`, … of a seed, not yet begun."""
    games = np.zeros(count, GAME)
    games["key"] = keys(seed, first, count)
    games["agent"] = agent
    return games


@compiled
def remember(game: Any, piece: int) -> None:
    """Put a piece behind those that are known."""
    game.queue[game.known] = piece
    game.known += 1


@compiled
def deal_next(game: Any, rules: Any) -> None:
    """Deal one piece, whatever the board looks like."""
    piece, bag = deal(rules, game.key, game.pieces + game.known, game.bag)
    game.bag = bag
    remember(game, piece)


@compiled
def deal_ahead(game: Any, rules: Any, scratch: Scratch) -> None:
    """Deal until the current piece and those of the preview are known."""
    while game.known <= rules.preview:
        deal_next(game, rules)


@compiled
def deal_any(game: Any, rules: Any, scratch: Scratch) -> None:
    """The same by any randomiser; after the first piece the adversary looks at the board."""
    while game.known <= rules.preview:
        if rules.randomiser == WORST and game.pieces + game.known > 0:
            remember(game, worst_piece(game.board, rules, scratch))
        else:
            deal_next(game, rules)


@compiled
def commit(settle: Callable[..., int], game: Any, rules: Any, choice: Choice) -> None:
    """Place the current piece for good: remove full rows, count, and end the game if that ends it."""
    orientation, x, row = choice
    full, lines = settle(game.board, orientation, x, row), 0
    if full:
        lines = popcount(full)
        game.lines += lines
        game.clears[lines - 1] += 1
    game.score += points_of(rules, lines, level_of(rules, game.lines))
    game.pieces += 1
    game.placement[0], game.placement[1], game.placement[2] = orientation, x, row
    game.known -= 1
    for place in range(game.known):
        game.queue[place] = game.queue[place + 1]
    if rules.over == ABOVE and row + TALL[orientation] > rules.height:
        game.status = OVER
    if rules.over == TOP_ROW and largest(heights_of(columns_of(game.board, 0))) >= rules.height:
        game.status = OVER


@compiled
def interval_of(game: Any, rules: Any) -> int:
    """How many frames the current piece takes for a row."""
    return frames_a_row(rules, level_of(rules, game.lines), game.frames)


@compiled
def place_at_once(game: Any, rules: Any, choice: Choice, scratch: Scratch) -> None:
    """Place the current piece for good, without a clock."""
    commit(settle, game, rules, choice)


@compiled
def place_on_lanes(game: Any, rules: Any, choice: Choice, scratch: Scratch) -> None:
    """The same, all columns at once."""
    commit(settle_on_lanes, game, rules, choice)


@compiled
def place_in_time(game: Any, rules: Any, choice: Choice, scratch: Scratch) -> None:
    """Place the current piece for good; where time counts, let it pass until the next piece enters."""
    orientation, x, row = choice
    lines, frames = game.lines, 0
    if rules.movement == TIMED:
        piece, turn = int(PIECE_OF[orientation]), 0
        while rules.turned[piece, turn] != orientation:
            turn += 1
        frames = reach_in_time(game.board, rules, piece, interval_of(game, rules), scratch.room, turn, x, row)
    commit(settle_on_lanes, game, rules, choice)
    if rules.movement == TIMED:
        game.frames += frames + frames_to_entry(rules, row, game.lines - lines)


@compiled
def play_game(
    deal: Callable[..., None],
    choose: Callable[..., Choice],
    place: Callable[..., None],
    game: Any,
    setting: Setting,
    budget: int,
    scratch: Scratch,
) -> int:
    """Go on with a game until it is over, capped, or `budget` pieces are placed; tells how many were."""
    agent, rules, begun = setting.agents[game.agent], setting.rules[0], game.pieces
    while game.status == PLAYING and game.pieces - begun < budget:
        if game.pieces >= setting.most_pieces or game.lines >= setting.most_lines:
            game.status = CAPPED
            break
        deal(game, rules, scratch)
        if rules.over == NO_ENTRY and not enters(game.board, rules, int(game.queue[0])):
            game.status = OVER
            break
        choice = choose(game, rules, interval_of(game, rules), agent, setting.agents, setting.tables, scratch)
        if choice[0] == NO_PLACEMENT:
            game.status = OVER
            break
        place(game, rules, choice, scratch)
    return int(game.pieces - begun)


@compiled
def play_games(
    deal: Callable[..., None],
    choose: Callable[..., Choice],
    place: Callable[..., None],
    scratch: Scratch,
    games: Games,
    setting: Setting,
    budget: int,
) -> int:
    """Go on with games one after another until `budget` pieces are placed; tells how many were."""
    played = 0
    for g in range(len(games)):
        if games[g].status == PLAYING and played < budget:
            played += play_game(deal, choose, place, games[g], setting, budget - played, scratch)
    return played


@entry_with(SIXTEEN, seconds=20)
def play_drops(memory: Array, games: Games, setting: Setting, budget: int) -> int:
    """Play a slice of many games by straight drops that can be judged by their neighbourhood: the fastest way."""
    return play_games(deal_ahead, choose_drop, place_on_lanes, memory[0], games, setting, budget)


@entry_with(SIXTEEN, seconds=20)
def play_on_lanes(memory: Array, games: Games, setting: Setting, budget: int) -> int:
    """Play a slice of many games by straight drops, all columns at once; the adversary cannot deal."""
    return play_games(deal_ahead, choose_on_lanes, place_on_lanes, memory[0], games, setting, budget)


@entry_with(ONE, seconds=20)
def play_one_by_one(memory: Array, games: Games, setting: Setting, budget: int) -> int:
    """Play a slice of many games by straight drops, one placement after another; the adversary cannot deal."""
    return play_games(deal_ahead, choose_one_by_one, place_at_once, memory[0], games, setting, budget)


@entry_with(SIXTEEN, seconds=30)
def play_any(memory: Array, games: Games, setting: Setting, budget: int) -> int:
    """Play a slice of many games by any rules, all columns at once."""
    return play_games(deal_any, choose_any, place_in_time, memory[0], games, setting, budget)


@entry_with(SEARCH, seconds=25)
def play_drops_ahead(memory: Array, games: Games, setting: Setting, budget: int) -> int:
    """Play a slice of many games by straight drops judged by their neighbourhood, for agents that look ahead."""
    return play_games(deal_ahead, choose_drop_ahead, place_on_lanes, memory[0], games, setting, budget)


@entry_with(SEARCH, seconds=50)
def play_ahead(memory: Array, games: Games, setting: Setting, budget: int) -> int:
    """Play a slice of many games by any rules and agents: those too that look ahead or have two modes."""
    return play_games(deal_any, choose_ahead, place_in_time, memory[0], games, setting, budget)


@entry_with(SIXTEEN, seconds=4)
def place_piece(memory: Array, games: Games, setting: Setting, orientation: int, x: int, row: int) -> None:
    """Place the current piece of the first of the games."""
    place_in_time(games[0], setting.rules[0], (orientation, x, row), memory[0])


def looks_ahead(setting: Setting) -> bool:
    """Whether an agent does more than weigh the placements of one piece in one mode."""
    agents = setting.agents
    return bool((agents["depth"] > 1).any() or agents["expect"].any() or agents["other"].any())


def drops_nearby(setting: Setting) -> bool:
    """Whether all placements are straight drops that can be judged by their neighbourhood."""
    rules = setting.rules[0]
    drops = rules["movement"] == DROPPED and rules["over"] < TOP_ROW and rules["randomiser"] != WORST
    return bool(drops and setting.agents["near"].all())


def fastest(setting: Setting) -> Entry[[Games, Setting, int], int]:
    """The fastest way to play on the CPU."""
    rules = setting.rules[0]
    if drops_nearby(setting):
        return play_drops_ahead if looks_ahead(setting) else play_drops
    if looks_ahead(setting):
        return play_ahead
    return play_on_lanes if rules["movement"] == DROPPED and rules["randomiser"] != WORST else play_any
