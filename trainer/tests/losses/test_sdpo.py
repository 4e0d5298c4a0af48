"""Tests of the three forms of SDPO: by hand, against each other, and by finite differences in double precision."""

import math

import pytest
import torch

from perpetua_trainer.losses.sdpo import full_logits_loss, sampled_token_loss, top_k_loss

STUDENT = torch.tensor([[[0.6, 0.3, 0.1]]], dtype=torch.float64).log()
TEACHER = torch.tensor([[[0.2, 0.3, 0.5]]], dtype=torch.float64).log()
KL = 0.6 * math.log(3) + 0.1 * math.log(0.2)


def test_full_logits_have_the_reverse_divergence():
    assert full_logits_loss(STUDENT, TEACHER).item() == pytest.approx(KL)
    assert full_logits_loss(STUDENT + 5, TEACHER - 2).item() == pytest.approx(KL)
    assert full_logits_loss(STUDENT, STUDENT).item() == pytest.approx(0)


def test_top_k_puts_all_others_into_one_bucket():
    # The buckets are the student's likeliest token, .6 against .2, and the tail, .4 against .8.
    expected = 0.6 * math.log(3) + 0.4 * math.log(0.5)
    assert top_k_loss(STUDENT, TEACHER, 1).item() == pytest.approx(expected)
    assert top_k_loss(STUDENT, TEACHER, 3).item() == pytest.approx(KL)


def test_top_k_is_never_above_the_full_divergence():
    torch.manual_seed(1)
    student, teacher = torch.randn(2, 3, 4, 9, dtype=torch.float64)
    full = full_logits_loss(student, teacher)
    for k in range(1, 9):
        assert (top_k_loss(student, teacher, k) <= full + 1e-12).all()


def test_top_k_stays_finite_if_one_token_has_all_the_mass():
    student = torch.tensor([[[200.0, 0.0, 0.0]]], requires_grad=True)
    loss = top_k_loss(student, torch.zeros(1, 1, 3), 1)
    loss.sum().backward()
    assert math.isfinite(loss.item())
    assert student.grad.isfinite().all()


def test_sampled_tokens_have_the_score_functions_loss():
    logprobs = torch.tensor([[-1.0]], dtype=torch.float64, requires_grad=True)
    loss = sampled_token_loss(logprobs, torch.tensor([[-3.0]], dtype=torch.float64))
    loss.sum().backward()
    assert loss.item() == pytest.approx(-2.0)
    assert logprobs.grad.item() == pytest.approx(2.0)


def test_the_sampled_tokens_gradient_is_the_full_one_in_the_mean():
    logits = STUDENT.clone().requires_grad_()
    full = torch.autograd.grad(full_logits_loss(logits, TEACHER).sum(), logits)[0]
    logprobs = torch.log_softmax(logits, dim=-1)
    mean = (logprobs.exp().detach() * sampled_token_loss(logprobs, TEACHER)).sum()
    assert torch.allclose(torch.autograd.grad(mean, logits)[0], full)


def test_no_gradient_reaches_the_teacher():
    teacher = TEACHER.clone().requires_grad_()
    student = STUDENT.clone().requires_grad_()
    (full_logits_loss(student, teacher) + top_k_loss(student, teacher, 2)).sum().backward()
    assert teacher.grad is None


def test_gradients_are_those_of_finite_differences():
    torch.manual_seed(2)
    student = torch.randn(2, 3, 6, dtype=torch.float64, requires_grad=True)
    teacher = torch.randn(2, 3, 6, dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda logits: full_logits_loss(logits, teacher), student)
    assert torch.autograd.gradcheck(lambda logits: top_k_loss(logits, teacher, 3), student)
