"""A Python agent: a class with a method `choose(position)` that returns one of `position.placements()`.

Play a game of a hundred pieces:  python examples/python_agent.py
Evaluate it over many games:      tetrion bench examples/python_agent.py:Careful --rules standard-10x10
"""

from tetrion import Game, Placement, Position, check_agent


class Careful:
    """An agent that avoids holes first, and then keeps the stack low and flat."""

    def choose(self, position: Position) -> Placement:
        """Return the placement that leads to the board with the lowest cost."""

        def cost(placement: Placement) -> tuple[int, int]:
            features = position.after(placement).board.measure_features()
            return features["holes"], 2 * features["aggregate_height"] + features["bumpiness"]

        return min(position.placements(), key=cost)


def main() -> None:
    """Check the agent, play a short game and print the final board."""
    check_agent(Careful)
    game = Game("standard", seed=7)
    game.play(Careful(), 100)
    print(game.board)
    print(f"{game.pieces} pieces, {game.lines} lines")


if __name__ == "__main__":
    main()
