"""MaskablePPO of sb3-contrib learns Tetris from the features of all afterstates.

Install:             pip install -e ".[learning]"
Learn and evaluate:  python examples/maskable_ppo.py --task jumanji --json result.json

One small network scores each placement by the features of its afterstate. The scores are the logits of the policy, and
the action mask excludes illegal placements. The algorithm itself is that of the library, unmodified.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from tetrion import SummaryStatistics

try:
    import gymnasium
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import VecExtractDictObs, VecMonitor, VecNormalize
    from torch import nn

    from tetrion.envs import StableBaselinesVecEnv
except ModuleNotFoundError as error:
    sys.exit(
        f'This example needs {error.name}. Install it in the folder of the repository: pip install -e ".[learning]"'
    )

TASKS: dict[str, dict[str, Any]] = {  # the reward is what the evaluation counts, too
    "jumanji": {"id": "tetrion/JumanjiAfterstates-v0", "reward": "score"},
    "standard-10x10": {"id": "tetrion/Afterstates-v0", "rules": "standard-10x10", "reward": "lines"},
}
FEATURES = (
    *("landing_height", "eroded_cells", "row_transitions", "column_transitions", "holes", "wells", "hole_depth"),
    *("rows_with_holes", "lines", "four_lines", "max_height", "bumpiness", "deepest_well", "number_of_wells"),
    *("last_column_cells", "aggregate_height", "diversity"),
)
TRAINING_GAMES = 64  # played at once
HELD_OUT_SEED = 2**40  # training uses the seeds from --seed on, one per game


def make_placement_network(placements: int, features: int, hidden: int = 64) -> nn.Sequential:
    """Return a network that scores each placement by its features; all placements share the same weights."""
    return nn.Sequential(
        nn.Unflatten(1, (placements, features)),
        nn.Linear(features, hidden),
        nn.ReLU(),
        nn.Linear(hidden, 1),
        nn.Flatten(),
    )


def make_games(task: str, count: int, seed: int, **options: Any) -> VecExtractDictObs:
    """Return a number of games of a task with consecutive seeds; an observation is the features of all placements."""
    games = StableBaselinesVecEnv(gymnasium.make_vec(num_envs=count, features=FEATURES, **TASKS[task], **options))
    games.seed(seed)
    return VecExtractDictObs(games, "features")


def train(task: str, steps: int, seed: int) -> MaskablePPO:
    """Train a policy and print the progress; the reward is the score or the number of lines."""
    gamma = 0.995
    games = VecMonitor(make_games(task, TRAINING_GAMES, seed))
    model = MaskablePPO(
        "MlpPolicy",
        VecNormalize(games, norm_obs=False, gamma=gamma),
        learning_rate=lambda remaining: 1e-3 * remaining,
        n_steps=128,
        batch_size=1024,
        n_epochs=4,
        gamma=gamma,
        ent_coef=0.005,
        policy_kwargs={"net_arch": {"pi": [], "vf": [64, 64]}, "activation_fn": nn.ReLU},
        seed=seed,
        device="cpu",
        verbose=1,
    )
    model.policy.action_net = make_placement_network(*games.observation_space.shape)
    model.policy.optimizer.add_param_group({"params": model.policy.action_net.parameters()})
    return model.learn(steps, log_interval=50)


def play_held_out_games(model: MaskablePPO, task: str, count: int) -> SummaryStatistics:
    """Play games to their ends with the most probable placements, and summarise their scores or lines."""
    limit = {} if task == "jumanji" else {"max_episode_steps": -1}
    games = make_games(task, count, HELD_OUT_SEED, **limit)
    observations = games.reset()
    totals = np.zeros(count, np.int64)
    is_playing = np.ones(count, np.bool_)
    while is_playing.any():
        masks = np.stack(games.env_method("action_masks"))
        actions = masks.argmax(axis=1)  # of games that have ended: any, because their next episodes do not count
        shown = observations[is_playing]
        actions[is_playing], _ = model.predict(shown, action_masks=masks[is_playing], deterministic=True)
        observations, _, is_ended, infos = games.step(actions)
        for game in np.flatnonzero(is_ended & is_playing):
            totals[game] = infos[game][TASKS[task]["reward"]]
        is_playing &= ~is_ended
    return SummaryStatistics.from_numbers(totals)


def main() -> None:
    """Train, evaluate and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task", choices=TASKS, default="jumanji", help="what to learn")
    parser.add_argument("--steps", type=int, default=4_000_000, help="number of placements in training")
    parser.add_argument("--seed", type=int, default=1, help="seed of training")
    parser.add_argument("--games", type=int, default=500, help="number of held-out games")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the result to FILE")
    options = parser.parse_args()
    if options.steps < 1 or not 0 <= options.seed < 2**32 or options.games < 3:
        parser.error("--steps must be at least 1, --seed a number below 2^32, and --games at least 3.")
    if options.json and not options.json.absolute().parent.is_dir():
        parser.error(f"The folder {options.json.parent} does not exist. Create it, or give another FILE.")
    torch.set_num_threads(1)  # the networks are too small for more
    start = time.perf_counter()
    model = train(options.task, options.steps, options.seed)
    seconds = time.perf_counter() - start
    print(f"{model.num_timesteps:,} steps in {seconds:,.0f} seconds. Playing {options.games} held-out games.")
    result = play_held_out_games(model, options.task, options.games)
    metric = TASKS[options.task]["reward"]
    assert result.ci95
    low, high = result.ci95
    print(f"Mean {metric}: {result.mean:,.1f} (95 % interval {low:,.1f} to {high:,.1f})")
    if options.json:
        record = {"learner": "MaskablePPO", "task": options.task, "seed": options.seed, "steps": model.num_timesteps}
        record |= {"seconds": round(seconds), "metric": metric, "games": options.games}
        record |= {"mean": result.mean, "low": low, "high": high}
        options.json.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
