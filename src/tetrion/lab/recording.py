"""A game from its first piece on as pictures at regular times: whoever plays, and however long it takes to think."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import pairwise

from tetrion.agents import AnyAgent, DataAgent, Explanation, OwnAgent, RandomKeys, data_agent
from tetrion.agents.keys import KEYS_A_SECOND
from tetrion.board import Placement
from tetrion.drawing.candidates import marks_of
from tetrion.drawing.motion import CLEAR, LOCK, SLIDE, Moving, eased
from tetrion.drawing.scenes import in_sight
from tetrion.drawing.stack import Stack
from tetrion.drawing.videos import Sight, Told
from tetrion.drawing.ways import way
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.words import counted
from tetrion.game import Game
from tetrion.position import Position
from tetrion.replay import Replay

APPEARS, TURNS, STEPS = 120, 60, 30  # milliseconds: before the first key, after a turn, for a step down
THINKS = 500  # more before the first key, where thoughts are to be read
STAYS = 2000  # how long the last picture is seen
CONSIDERED = 12  # placements whose thoughts are told

Timed = tuple[float, Callable[[float], Sight]]  # so many milliseconds, and what is seen after some of them


@dataclass(frozen=True)
class Film:
    """What is recorded: who plays (an agent, or a replay that has been played), by which rules, and how much of it."""

    player: AnyAgent | Replay
    rules: Rules
    seed: int
    pieces: int
    thinks: bool = False

    @property
    def name(self) -> str:
        """Who plays, in words."""
        if isinstance(self.player, Replay):
            return self.player.agent or "a person"
        return self.player.name

    def game(self) -> Game:
        """The game before its first piece."""
        return Game(self.rules, self.seed, self.player.number if isinstance(self.player, Replay) else 0)


@dataclass
class Made:
    """How far a recording is: the game, how many pictures there are of it, and up to which piece they are written."""

    game: Game
    pictures: int = 0
    written: int = 0
    pieces: int = 0


def pictures(film: Film, a_second: int, made: Made) -> Iterator[Sight]:
    """What is seen of a game, so many times a second; a picture that stays is the same object again."""
    gap, due = 1000 / a_second, 0.0
    for milliseconds, sight in timed(film, made.game):
        while due < milliseconds:
            made.pictures += 1
            yield sight(due)
            due += gap
        due -= milliseconds


def timed(film: Film, game: Game) -> Iterator[Timed]:
    """Everything that is seen of a game, from piece to piece."""
    scene = Staging(film, game)
    if isinstance(film.player, RandomKeys):
        yield from scene.keys(film.player)
    else:
        with ExitStack() as ended_by_us:
            choose = chooser(film, game, ended_by_us)
            while not game.over and game.pieces < film.pieces:
                yield from scene.move(choose(game.position))
    yield from scene.end()


def chooser(film: Film, game: Game, ended_by_us: ExitStack) -> Callable[[Position], Placement]:
    """Who says where the next piece goes."""
    player = film.player
    if isinstance(player, Replay):
        placements = player.placements
        return lambda position: placements[position.pieces]
    if isinstance(player, OwnAgent):
        child = ended_by_us.enter_context(player.start())
        child.begin(game.seed, game.number)
        return child.choose
    if isinstance(player, RandomKeys):
        raise TetrionError(f"{player.name} presses keys; it chooses no placements.")
    return player.choose


class Staging:
    """A game on its way into a film: what stands on its board and beside it."""

    def __init__(self, film: Film, game: Game) -> None:
        self.film, self.game, self.stack = film, game, Stack(height=film.rules.height)
        self.heights: list[int] = []
        self.thinker = thinker_of(film.player)
        self.told = self.tell()

    def tell(self) -> Told:
        """What stands beside the board before a piece is placed."""
        game, film, thinker = self.game, self.film, self.thinker
        numbers = [("Lines", game.lines)] + ([("Level", game.level)] if film.rules.levels != "fixed" else [])
        modes = thinker is not None and thinker.second is not None and not game.over
        return Told(
            film.name,
            str(film.rules),
            film.seed,
            game.score,
            game.pieces,
            (*numbers, ("Pieces", game.pieces)),
            game.next,
            film.rules.preview,
            thinker.mode(game.position) if thinker and modes else "",
            bool(thinker and modes and thinker.in_second_mode(game.position)),
            film.thinks,
            self.explanation(),
            self.stack,
            tuple(self.heights),
        )

    def explanation(self) -> Explanation | None:
        """Why the piece goes where it goes, as far as the agent can tell and it is wanted."""
        if not self.film.thinks or self.thinker is None or isinstance(self.film.player, RandomKeys):
            return None
        if self.game.over:
            return Explanation(self.thinker.name, "", (), 0)
        return self.thinker.explain(self.game.position, CONSIDERED)

    def move(self, placement: Placement) -> Iterator[Timed]:
        """A piece appears, goes its way, drops and locks, and full rows go."""
        self.told, position = self.tell(), self.game.position
        entered = self.game.falling
        path = [*([entered] if entered else []), *way(position, placement)[1]]
        path = without_last_fall(path) or [replace(placement, row=self.film.rules.rows)]
        path = [in_sight(self.stack, step) for step in path]
        yield APPEARS + (THINKS if self.film.thinks else 0), staying(self.sight(Moving(self.stack, path[0])))
        for before, after in pairwise(path):
            across = before.column - after.column if before.rotation == after.rotation else 0
            there = self.sight(Moving(self.stack, after))
            if abs(across) == 1 and before.row == after.row:
                yield SLIDE, sliding(there, across)
            else:
                yield STEPS if after.row < before.row else TURNS, staying(there)
        yield from self.lock(placement, path[-1], lambda: self.game.place(placement))

    def lock(self, placement: Placement, above: Placement | None, place: Callable[[], object]) -> Iterator[Timed]:
        """A piece comes to rest, and full rows go; `place` lets the game know."""
        lying, lines = self.stack.with_piece(placement), self.game.lines
        place()
        landed = Moving(lying, landed=placement, above=above)
        yield LOCK, lambda elapsed: self.sight(replace(landed, locked=elapsed), False)
        if self.game.lines > lines:
            yield CLEAR, lambda elapsed: self.sight(Moving(lying, clearing=elapsed), False)
            lying = lying.cleared()
        self.stack = lying
        self.heights.append(len(lying.rows))

    def keys(self, agent: RandomKeys) -> Iterator[Timed]:
        """A game of keys in real time, until it is over or has its pieces."""
        for _ in agent.presses(self.game):
            locked = self.game.placements_made[len(self.heights) :]
            for placement in locked:
                yield from self.lock(placement, None, lambda: None)
            if self.game.over or self.game.pieces >= self.film.pieces:
                return
            self.told = self.tell() if locked else self.told
            yield 1000 / KEYS_A_SECOND, staying(self.sight(Moving(self.stack, self.falling())))

    def falling(self) -> Placement | None:
        """Where the piece in play is seen."""
        return in_sight(self.stack, self.game.falling) if self.game.falling else None

    def end(self) -> Iterator[Timed]:
        """The last picture."""
        self.told, game = self.tell(), self.game
        words = f"{counted(game.lines, 'line')}, {counted(game.score, 'point')}" if game.over else ""
        last = replace(self.sight(Moving(self.stack, out=game.over), False), ends=words)
        yield STAYS, staying(last)

    def sight(self, moving: Moving, considered: bool = True) -> Sight:
        """A picture, with the placements that are considered while a piece is in play."""
        candidates = self.told.explanation.candidates if self.told.explanation else ()
        marks = marks_of(candidates[0].shares, self.film.rules.rows) if candidates else None
        ranked = tuple(candidate.placement for candidate in candidates) if considered else ()
        return Sight(moving, self.told, ranked, marks)


def staying(sight: Sight) -> Callable[[float], Sight]:
    """A picture that does not change."""
    return lambda elapsed: sight


def sliding(there: Sight, across: int) -> Callable[[float], Sight]:
    """A piece that slides from so many columns away to where it is in a picture."""

    def seen(elapsed: float) -> Sight:
        away = across * (1 - eased(elapsed / SLIDE)), 0.0
        return replace(there, moving=replace(there.moving, away=away))

    return seen


def thinker_of(player: AnyAgent | Replay) -> DataAgent | None:
    """Who can tell why: an agent made of numbers, or the one that a replay names, if it is known."""
    if isinstance(player, DataAgent):
        return player
    if isinstance(player, Replay) and player.agent:
        try:
            return data_agent(player.agent)
        except TetrionError:
            return None
    return None


def without_last_fall(path: list[Placement]) -> list[Placement]:
    """A way without the steps straight down at its end, which are a drop."""
    end = len(path)
    while end > 1 and (path[end - 1].rotation, path[end - 1].column) == (path[end - 2].rotation, path[end - 2].column):
        end -= 1
    return path[:end]
