"""Tests of adapters on one copy of frozen weights: a step and samples of other versions at the same time."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
import torch

from helpers.steps import bytes_of
from helpers.tiny import GRPO, SDPO, make_batch
from perpetua_trainer.weights.adapters import STEP, Adapters
from perpetua_trainer.batch import read_batch
from perpetua_trainer.model import load_base, lora_config
from perpetua_trainer.serve.sample import Row, sample
from perpetua_trainer.step import finish, load

VERSIONS = ("first", "second")
PROMPT = (5, 17, 40, 3)
ALGORITHMS = {"grpo with KL": GRPO | {"klCoefficient": 0.2}, "sdpo": SDPO}


@pytest.fixture
def adapters(base, runtime) -> Adapters:
    """The tiny model with adapters of two versions, of different targets, whose weights are not 0."""
    found = Adapters(load_base(base["path"], runtime).eval())
    generator = torch.Generator().manual_seed(4)
    for name, targets in zip(VERSIONS, (["q_proj"], ["v_proj", "down_proj"]), strict=True):
        value = make_batch(base)
        value["adapter"]["targets"] = targets
        found.add(name, lora_config(read_batch(json.dumps(value)).adapter))
        with torch.no_grad():
            for weight in found.weights(name).values():
                weight.copy_(0.3 * torch.randn(weight.shape, generator=generator))
    return found


def samples(adapters: Adapters, name: str | None, seed: int) -> tuple[list, list]:
    """Tokens and log-probabilities of four samples of a version, or of the base."""
    rows = [Row(PROMPT, 6, 1.0, 1.0, (), Random(f"{seed}/{index}")) for index in range(4)]
    with adapters.using(name) as model:
        sample(model, rows, lambda row: "length" if len(row.tokens) >= row.max_tokens else None)
    return [row.tokens for row in rows], [row.logprobs for row in rows]


@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=ALGORITHMS.keys())
def test_a_step_and_samples_of_older_versions_at_the_same_time_are_those_of_each_alone(
    base, runtime, tmp_path, adapters, algorithm
):
    batch = read_batch(json.dumps(make_batch(base, algorithm, stepKey="1" * 64)))
    finish(batch, tmp_path / "alone", load(batch, runtime), 0.0)
    asked = [(name, seed) for seed in range(8) for name in (None, *VERSIONS)]
    alone = [samples(adapters, name, seed) for name, seed in asked]
    before = sys.getswitchinterval()
    # Threads take turns as often as possible.
    sys.setswitchinterval(1e-6)
    try:
        state = load(batch, runtime, adapters)
        with ThreadPoolExecutor(3) as pool:
            step = pool.submit(finish, batch, tmp_path / "shared", state, 0.0)
            found = list(pool.map(lambda one: samples(adapters, *one), asked))
            step.result()
    finally:
        sys.setswitchinterval(before)
    assert found == alone
    assert bytes_of(tmp_path / "shared" / batch.step_key) == bytes_of(tmp_path / "alone" / batch.step_key)


def test_a_block_restores_the_adapter_of_the_block_around_it(adapters):
    with adapters.using("first"):
        with adapters.using(None):
            assert adapters.active is None
            with adapters.using("second"):
                assert adapters.active == "second"
            assert adapters.active is None
        assert adapters.active == "first"


def test_a_removed_adapter_leaves_the_others_and_the_base_as_they_were(base, runtime, adapters):
    asked = [(None, 1), ("second", 1)]
    before = [samples(adapters, *one) for one in asked]
    state = load(read_batch(json.dumps(make_batch(base))), runtime, adapters)
    assert state[0].model is adapters.model
    adapters.remove(STEP)
    adapters.remove("first")
    adapters.remove("first")
    assert [samples(adapters, *one) for one in asked] == before
    adapters.remove("second")
    assert samples(adapters, None, 1) == before[0]
    assert adapters.peft is None
