"""Optuna's CMA-ES behind lines of JSON, one answer for each request.

A request is {"id": 1, "key": "...", "knobs": [["float", 0.1, 1, "log"], ["int", 1, 8, "linear"]], "direction":
"minimize", "population": 6, "seed": 1, "solutions": [[[0.2, 3], 0.5], ...]}. `solutions` are the knobs and the value of
all scored candidates, oldest first. The answer is {"id": 1, "values": [...]} or {"id": 1, "error": "..."}.

The values depend on the request alone. This process keeps the study of each key, so that it adds only new solutions. If
an earlier solution changed, it builds the study anew.
"""

import json
import sys
import warnings

import optuna

MOST_STUDIES = 16
# Generations that one study of Optuna holds: each of its steps reads all trials of its study.
MOST_GENERATIONS = 20


def distribution(kind, low, high, scale):
    make = optuna.distributions.FloatDistribution if kind == "float" else optuna.distributions.IntDistribution
    return make(low, high, log=scale == "log")


class Replayed:
    """A study that got solutions in order.

    Optuna counts generations by marks that it sets on a trial when it draws. So each solution takes the marks of a draw
    that was made just before it. A result of an earlier generation counts in the generation that is open.
    """

    def __init__(self, request):
        self.population = request["population"]
        self.direction = request["direction"]
        self.space = {f"x{i}": distribution(*knob) for i, knob in enumerate(request["knobs"])}
        self.solutions = []
        self.study = self.create(0)
        self.held = 0

    def create(self, seed):
        sampler = optuna.samplers.CmaEsSampler(
            seed=seed, popsize=self.population, warn_independent_sampling=False
        )
        return optuna.create_study(direction=self.direction, sampler=sampler)

    def latest(self, seed):
        """A new study with the trials that a sampler reads: those since the last generation."""
        scored = self.study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.COMPLETE,))
        study = self.create(seed)
        study.add_trials(scored[-2 * self.population :])
        return study

    def extends(self, solutions) -> bool:
        return solutions[: len(self.solutions)] == self.solutions

    def add(self, solutions):
        for values, value in solutions[len(self.solutions) :]:
            if self.held == MOST_GENERATIONS * self.population:
                self.study, self.held = self.latest(0), 2 * self.population
            drawn = self.study.tell(self.study.ask(self.space), state=optuna.trial.TrialState.FAIL)
            self.study.add_trial(
                optuna.trial.create_trial(
                    params={f"x{i}": x for i, x in enumerate(values)},
                    distributions=self.space,
                    value=value,
                    system_attrs=drawn.system_attrs,
                )
            )
            self.held += 1
        self.solutions = solutions

    def ask(self, seed):
        # In a study of their own, the seed alone decides the draw: in the whole study the number of earlier draws would,
        # too.
        params = self.latest(seed % 2**32).ask(self.space).params
        return [params[name] for name in self.space]


def answer(request, studies):
    key = json.dumps([request[part] for part in ("key", "knobs", "direction", "population")])
    replayed = studies.pop(key, None)
    if replayed is None or not replayed.extends(request["solutions"]):
        replayed = Replayed(request)
    replayed.add(request["solutions"])
    studies[key] = replayed
    while len(studies) > MOST_STUDIES:
        del studies[next(iter(studies))]
    return replayed.ask(request["seed"])


def main() -> None:
    warnings.filterwarnings("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    studies = {}
    # The input ends with the worker, and this process with it.
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = {"values": answer(request, studies)}
        except Exception as error:  # noqa: BLE001, the worker stores it with the trial
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"id": request["id"], **reply}), flush=True)


if __name__ == "__main__":
    main()
