"""An agent that plays in a background thread, so that the window never waits for it."""

import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

from tetrion.agents import Agent, Player, as_agent
from tetrion.agents.code_consent import CodeConsentError
from tetrion.app.agent_code import AgentLoader, check_agent_code
from tetrion.app.crash_log import log_crash, translate_to_window
from tetrion.app.engine_loading import get_engine_loader
from tetrion.errors import TetrionError

BackgroundJob = Callable[[Player], None]


class BackgroundAgent(AgentLoader):
    """A thread that loads an agent and runs jobs with its player; `problem` holds the error message if one failed.

    The player is only used in this thread, or while no job runs, because it may have state.
    """

    def __init__(self, agent: Agent | str | Path) -> None:
        self.agent: Agent | None = None
        self.problem = ""
        self._given_agent = agent
        self._player: Player | None = None
        self._is_closed = False
        self._jobs_given = 0
        self._jobs_done = 0
        self._jobs: SimpleQueue[BackgroundJob | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run_thread, name="tetrion-agent", daemon=True)
        self._thread.start()

    @property
    def name(self) -> str:
        """The agent's name; before the agent is loaded, how it was given."""
        return self.agent.name if self.agent else str(getattr(self._given_agent, "name", self._given_agent))

    @property
    def is_busy(self) -> bool:
        """Whether a job runs or waits."""
        return self._jobs_done < self._jobs_given and not self.problem

    @property
    def is_compiling(self) -> bool:
        """Whether the agent waits for the engine to be compiled."""
        return get_engine_loader().is_compiling and self.is_busy

    def run_job(self, job: BackgroundJob) -> None:
        """Run a job in the thread, after those that were given before it."""
        self._jobs_given += 1
        self._jobs.put(job)

    def restart(self) -> "BackgroundAgent":
        """Close this thread without waiting and return a new one with the same agent."""
        self.close()
        return BackgroundAgent(self.agent or self._given_agent)

    def close(self) -> None:
        """Stop the agent without waiting; the process of a Python agent that is still thinking is killed."""
        self._is_closed = True
        self._jobs.put(None)
        if self._player is not None:
            threading.Thread(target=self._player.close, name="tetrion-close-agent", daemon=True).start()

    def _run_thread(self) -> None:
        try:
            if isinstance(self._given_agent, str | Path):
                check_agent_code(self._given_agent)
            agent = as_agent(self._given_agent)
            self._player = agent.start_player()
            if self._is_closed:
                return
            self.agent = agent
            while (job := self._jobs.get()) is not None:
                job(self._player)
                self._jobs_done += 1
        except CodeConsentError as error:
            self.code_file = error.path
            self.problem = translate_to_window(str(error))
        except TetrionError as error:
            self.problem = "" if self._is_closed else str(error)
        except Exception as error:  # an agent must not crash the window
            self.problem = f"{self.name} crashed: {error!r}. Details are in {log_crash(error)}."
        finally:
            if self._player is not None:
                self._player.close()
