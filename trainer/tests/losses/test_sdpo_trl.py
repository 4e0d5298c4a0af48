"""Tests of the losses of SDPO against TRL's experimental ones: the same values and gradients."""

import pytest
import torch

from perpetua_trainer.losses.sdpo import full_logits_loss, sampled_token_loss, top_k_loss

theirs = pytest.importorskip("trl.experimental.sdpo.loss_utils")

TOKENS = torch.tensor([[3, 0, 7, 7], [1, 2, 11, 5]])


def of_tokens(logits: torch.Tensor) -> torch.Tensor:
    return torch.log_softmax(logits, dim=-1).gather(-1, TOKENS[..., None])[..., 0]


FORMS = {
    "sampled-token": (
        lambda student, teacher: sampled_token_loss(of_tokens(student), of_tokens(teacher)),
        lambda student, teacher: theirs.compute_sampled_token_self_distillation_loss(
            student, teacher, TOKENS, distillation_alpha=1.0
        ),
    ),
    "top-k": (
        lambda student, teacher: top_k_loss(student, teacher, 5),
        lambda student, teacher: theirs.compute_topk_self_distillation_loss(
            student, teacher, distillation_topk=5, distillation_alpha=1.0, distillation_add_tail=True
        ),
    ),
    "full-logits": (
        full_logits_loss,
        lambda student, teacher: theirs.compute_full_logit_self_distillation_loss(
            student, teacher, distillation_alpha=1.0
        ),
    ),
}


@pytest.mark.parametrize(("our_loss", "loss_of_trl"), FORMS.values(), ids=FORMS.keys())
def test_losses_and_gradients_are_those_of_trl(our_loss, loss_of_trl):
    generator = torch.Generator().manual_seed(6)
    student, teacher = 2 * torch.randn(2, 2, 4, 12, generator=generator, dtype=torch.float64)
    ours, other = student.clone().requires_grad_(), student.clone().requires_grad_()
    losses, expected = our_loss(ours, teacher), loss_of_trl(other, teacher)
    assert torch.allclose(losses, expected, rtol=0, atol=1e-6)
    losses.mean().backward()
    expected.mean().backward()
    assert torch.allclose(ours.grad, other.grad, rtol=1e-4, atol=1e-6)
