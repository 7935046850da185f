"""An agent of your own: a class with `choose(position)`, which gives back one of `position.placements()`.

Watch it play a hundred pieces:  python examples/own_agent.py
Measure it over many games:      tetrion bench examples/own_agent.py:Careful --rules standard-10x10
"""

from tetrion import Game, Placement, Position


class Careful:
    """It makes as few holes as it can, and then builds as low and as flat as it can."""

    def choose(self, position: Position) -> Placement:
        """The placement that leads to the board with the least cost."""

        def cost(placement: Placement) -> tuple[int, int]:
            board = position.after(placement).board.measure_features()
            return board["holes"], 2 * board["aggregate_height"] + board["bumpiness"]

        return min(position.placements(), key=cost)


def main() -> None:
    """Play a short game and show how it stands."""
    agent, game = Careful(), Game("standard", seed=7)
    while not game.is_over and game.pieces < 100:
        game.place(agent.choose(game.position))
    print(game.board)
    print(f"{game.pieces} pieces, {game.lines} lines")


if __name__ == "__main__":
    main()
