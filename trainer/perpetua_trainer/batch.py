"""Strict reader of batch.json: a key that is unknown, missing, not finite or contradictory is refused with its path.

Token ids are those that were sampled: no text is tokenised again. The loss mask marks the tokens to learn from, the
attention mask the tokens that the model sees.
"""

from dataclasses import dataclass

from .input import strict
from .input.algorithms import Algorithm, read_algorithm
from .input.masks import check_masks
from .input.strict import Node

VERSION = 1


@dataclass(frozen=True)
class Folder:
    """An absolute path of a folder, and the hash that its content must have."""

    path: str
    sha256: str


@dataclass(frozen=True)
class Adapter:
    """Weights that learn: low-rank ones of the target modules, or all weights."""

    kind: str  # lora | full
    rank: int = 0
    alpha: float = 0  # the adapter's output is scaled by alpha / rank
    targets: tuple[str, ...] = ()  # names of linear layers


@dataclass(frozen=True)
class Optimizer:
    """Settings of AdamW. weight_decay: share of lr. max_grad_norm: bound to which gradients are clipped."""

    lr: float
    betas: tuple[float, float]
    eps: float
    weight_decay: float
    max_grad_norm: float


@dataclass(frozen=True)
class Rollout:
    """A sampled completion and its reward.

    prompt_ids [P], completion_ids [C]: token ids. logprobs [C]: in nats, of the sampled distribution. loss_mask [C]: 1
    for tokens to learn from, else 0. entropy_mask [C]: 1 for those of them whose entropy counts; None for all of them.
    attention_mask [P + C]: 1 for tokens that the model sees; None for all ones. teacher_prompt_ids [Q]: the teacher's
    prompt; None without a teacher. policy_version: hash of the checkpoint that sampled, or "base". group: rollouts of a
    group share their prompt.
    """

    id: str
    group: str
    policy_version: str
    prompt_ids: list[int]
    completion_ids: list[int]
    logprobs: list[float]
    loss_mask: list[int]
    entropy_mask: list[int] | None
    attention_mask: list[int] | None
    reward: float
    outcome: str
    feedback: str | None
    teacher_prompt_ids: list[int] | None

    @property
    def deciding(self) -> list[int]:
        """1 for tokens whose entropy counts [C], else 0."""
        return self.loss_mask if self.entropy_mask is None else self.entropy_mask


@dataclass(frozen=True)
class Batch:
    """Rollouts and all settings of a step. parent: checkpoint to start from; None starts from the base.

    reference: checkpoint that takes the place of the base in a KL term and in a teacher; None: the base.

    tokenizer_sha256, template_sha256: hashes of the base's tokenizer and chat template. max_tokens: limit of a prompt
    with its completion. micro_batch: rollouts that run through the model together, at most. gradient_checkpointing: the
    backward pass computes the activations of each layer again.
    """

    step_key: str
    base: Folder
    parent: Folder | None
    reference: Folder | None
    adapter: Adapter
    algorithm: Algorithm
    optimizer: Optimizer
    seed: int
    tokenizer_sha256: str
    template_sha256: str
    max_tokens: int
    micro_batch: int
    gradient_checkpointing: bool
    rollouts: list[Rollout]

    @property
    def begins(self) -> bool:
        """True for the first step from the weights of the reference: optimisers, teacher and value head are new."""
        return self.reference is not None and self.parent.sha256 == self.reference.sha256

    @property
    def reads_base(self) -> bool:
        """True if the step computes with the base, or with the reference in its place."""
        sdpo = self.algorithm.sdpo
        return self.algorithm.kl_coefficient > 0 or (sdpo is not None and sdpo.teacher == "base")


KEYS = {
    "version",
    "stepKey",
    "base",
    "parent",
    "adapter",
    "algorithm",
    "optimizer",
    "seed",
    "tokenizer",
    "limits",
    "rollouts",
}


def read_batch(text: str | bytes) -> Batch:
    """Reads a batch. Raises Refusal."""
    root = strict.parse(text)
    if type(root.value) is dict and "version" in root.value and root.value["version"] != VERSION:
        raise root.at("version").refuse("wrong-version", str(VERSION))
    strict.record(root, KEYS, frozenset({"reference"}))
    limits = strict.record(root.at("limits"), {"maxTokens", "microBatch"}, frozenset({"gradientCheckpointing"}))
    checkpoints = "gradientCheckpointing" in limits.value
    tokenizer = strict.record(root.at("tokenizer"), {"sha256", "template"})
    parent = strict.optional(root.at("parent"), read_folder)
    reference = read_folder(root.at("reference")) if "reference" in root.value else None
    if reference is not None and parent is None:
        raise root.at("parent").refuse("settings", "a checkpoint, since the policy began with one (reference)", "null")
    algorithm = read_algorithm(root.at("algorithm"))
    max_tokens = strict.integer(limits.at("maxTokens"), 1)
    rollouts = strict.array(root.at("rollouts"), lambda node: read_rollout(node, max_tokens))
    check_together(root.at("rollouts"), rollouts)
    check_policy(root.at("rollouts"), rollouts, algorithm, "base" if parent is None else parent.sha256)
    return Batch(
        step_key=strict.hex64(root.at("stepKey")),
        base=read_folder(root.at("base")),
        parent=parent,
        reference=reference,
        adapter=read_adapter(root.at("adapter")),
        algorithm=algorithm,
        optimizer=read_optimizer(root.at("optimizer")),
        seed=strict.integer(root.at("seed"), 0),
        tokenizer_sha256=strict.hex64(tokenizer.at("sha256")),
        template_sha256=strict.hex64(tokenizer.at("template")),
        max_tokens=max_tokens,
        micro_batch=strict.integer(limits.at("microBatch"), 1),
        gradient_checkpointing=checkpoints and strict.boolean(limits.at("gradientCheckpointing")),
        rollouts=rollouts,
    )


def read_folder(node: Node) -> Folder:
    strict.record(node, {"path", "sha256"})
    path = strict.text(node.at("path"))
    if not path.startswith("/"):
        raise node.at("path").refuse("range", "an absolute path")
    return Folder(path, strict.hex64(node.at("sha256")))


def read_adapter(node: Node) -> Adapter:
    if type(node.value) is dict and node.value.get("kind") == "full":
        strict.record(node, {"kind"})
        return Adapter("full")
    strict.record(node, {"kind", "rank", "alpha", "targets", "dropout"})
    strict.choice(node.at("kind"), ("lora", "full"))
    if strict.number(node.at("dropout"), 0, 1) != 0:
        raise node.at("dropout").refuse("settings", "0: the policy that learns has to be the one that sampled")
    targets = strict.array(node.at("targets"), strict.text)
    return Adapter("lora", strict.integer(node.at("rank"), 1), strict.number(node.at("alpha"), 0), tuple(targets))


# A step of Adam moves each weight by about lr, whatever its gradient. Above 1, nothing of the old weights would remain.
LARGEST_RATE = 1.0
# A smaller eps can give 0/0 for a gradient of 0. All gradients of LoRA's A are 0 while its B is 0.
SMALLEST_EPS = 1e-12


def read_optimizer(node: Node) -> Optimizer:
    strict.record(node, {"name", "lr", "betas", "eps", "weightDecay", "maxGradNorm"})
    strict.choice(node.at("name"), ("adamw",))
    betas = strict.array(node.at("betas"), lambda item: strict.number(item, 0, 0.999999999))
    strict.check_length(node.at("betas"), 2, "Adam's averages")
    return Optimizer(
        lr=strict.number(node.at("lr"), 0, LARGEST_RATE),
        betas=(betas[0], betas[1]),
        eps=strict.number(node.at("eps"), SMALLEST_EPS),
        weight_decay=strict.number(node.at("weightDecay"), 0, 1),
        max_grad_norm=strict.number(node.at("maxGradNorm"), 1e-12),
    )


# Settings that change the sampled distribution, each with the only value that keeps it the policy's own.
NEUTRAL = {
    "temperature": 1,
    "topP": 1,
    "topK": 0,
    "minP": 0,
    "presencePenalty": 0,
    "frequencyPenalty": 0,
    "repetitionPenalty": 1,
}
ROLLOUT_KEYS = {
    *NEUTRAL,
    "id",
    "group",
    "policyVersion",
    "promptIds",
    "completionIds",
    "logprobs",
    "lossMask",
    "entropyMask",
    "attentionMask",
    "reward",
    "outcome",
    "feedback",
    "teacherPromptIds",
}


def read_rollout(node: Node, max_tokens: int) -> Rollout:
    """Reads a rollout whose tokens, with either prompt, are at most max_tokens. Raises Refusal."""
    node = with_entropy_mask(node)
    strict.record(node, ROLLOUT_KEYS)
    prompt = strict.array(node.at("promptIds"), token)
    completion = strict.array(node.at("completionIds"), token)
    teacher = strict.optional(node.at("teacherPromptIds"), lambda ids: strict.array(ids, token))
    for key, ids in (("promptIds", prompt), ("teacherPromptIds", teacher)):
        if ids is not None and len(ids) + len(completion) > max_tokens:
            got = f"{len(ids)} + {len(completion)}"
            raise node.at(key).refuse("over-long", f"at most {max_tokens} tokens with the completion", got)
    for key, neutral in NEUTRAL.items():
        if strict.number(node.at(key)) != neutral:
            expected = f"{neutral}: log-probabilities of another distribution teach the wrong one"
            raise node.at(key).refuse("off-policy", expected)
    rollout = Rollout(
        id=strict.text(node.at("id")),
        group=strict.text(node.at("group")),
        policy_version=version(node.at("policyVersion")),
        prompt_ids=prompt,
        completion_ids=completion,
        logprobs=strict.array(node.at("logprobs"), lambda item: strict.number(item, high=1e-4)),
        loss_mask=strict.array(node.at("lossMask"), bit),
        entropy_mask=strict.optional(node.at("entropyMask"), lambda mask: strict.array(mask, bit)),
        attention_mask=strict.optional(node.at("attentionMask"), lambda mask: strict.array(mask, bit)),
        reward=strict.number(node.at("reward")),
        outcome=strict.text(node.at("outcome")),
        feedback=strict.optional(node.at("feedback"), strict.text),
        teacher_prompt_ids=teacher,
    )
    check_masks(node, rollout)
    return rollout


def with_entropy_mask(node: Node) -> Node:
    """The rollout with the key entropyMask, which a batch may leave out."""
    return Node({"entropyMask": None, **node.value}, node.path) if type(node.value) is dict else node


def token(node: Node) -> int:
    return strict.integer(node, 0, 2**31 - 1)


def bit(node: Node) -> int:
    return strict.integer(node, 0, 1)


def version(node: Node) -> str:
    return "base" if node.value == "base" else strict.hex64(node)


def check_together(node: Node, rollouts: list[Rollout]) -> None:
    """Raises Refusal for doubled ids, groups without a common prompt, and a batch without a token to learn from."""
    seen: set[str] = set()
    prompts: dict[str, list[int]] = {}
    for index, rollout in enumerate(rollouts):
        if rollout.id in seen:
            raise node.at(index).at("id").refuse("duplicate", "each rollout once", f"{rollout.id} twice")
        seen.add(rollout.id)
        if prompts.setdefault(rollout.group, rollout.prompt_ids) != rollout.prompt_ids:
            raise (
                node.at(index)
                .at("promptIds")
                .refuse("settings", f"the prompt of the others of group {rollout.group}", "another")
            )
    if not any(any(rollout.loss_mask) for rollout in rollouts):
        raise node.refuse("empty", "a token to learn from (lossMask 1)", "none")


def check_policy(node: Node, rollouts: list[Rollout], algorithm: Algorithm, parent: str) -> None:
    """Raises Refusal for samples of another version than the parent, unless the loss corrects for the difference."""
    if corrects(algorithm):
        return
    for index, rollout in enumerate(rollouts):
        if rollout.policy_version != parent:
            expected = f"{parent}, the parent's; or isCap, or oldLogprobs sampler (with ratioCap in a distillation)"
            raise node.at(index).at("policyVersion").refuse("off-policy", expected)


def corrects(algorithm: Algorithm) -> bool:
    """Returns True if every part of the loss weighs samples by their probability under the policy."""
    if algorithm.is_cap is not None:
        return True
    # The clipped ratio corrects the policy gradient. A distillation has a ratio only with a cap.
    distils = algorithm.sdpo is not None and algorithm.sdpo.weight > 0
    return algorithm.old_logprobs == "sampler" and not (distils and algorithm.sdpo.ratio_cap is None)
