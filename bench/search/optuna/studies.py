"""Optuna's samplers behind lines of JSON, one answer for each request.

{"sampler": "tpe", "seed": 1, "knobs": [["float", 0, 1, "linear"], ["int", 0, 8, "log"], ["choice", 4]]} begins a study,
and a number reports the value of the last answer (lower is better). The answer to both is the next proposal:
{"values": [...], "cpuMs": CPU milliseconds of report and proposal}. A choice is an index.
"""

import json
import sys
import time
import warnings

import optuna

SAMPLERS = {"tpe": optuna.samplers.TPESampler, "cma-es": optuna.samplers.CmaEsSampler}


def suggest(trial, name: str, knob):
    kind, *limits = knob
    if kind == "choice":
        return trial.suggest_categorical(name, list(range(limits[0])))
    low, high, scale = limits
    method = trial.suggest_float if kind == "float" else trial.suggest_int
    return method(name, low, high, log=scale == "log")


def main() -> None:
    warnings.filterwarnings("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = trial = None
    knobs = []
    for line in sys.stdin:
        request = json.loads(line)
        began = time.process_time()
        if isinstance(request, dict):
            study = optuna.create_study(sampler=SAMPLERS[request["sampler"]](seed=request["seed"]))
            knobs = request["knobs"]
        else:
            study.tell(trial, request)
        trial = study.ask()
        values = [suggest(trial, f"x{i}", knob) for i, knob in enumerate(knobs)]
        answer = {"values": values, "cpuMs": 1000 * (time.process_time() - began)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
