import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { batchOf } from '../../../domain/learning/batch.ts';
import type { StepBatch } from '../../../domain/learning/step.ts';
import { planOf } from '../search/update/plans.ts';
import { FACTS, PARENT, rollout } from './rollouts.ts';

/** Reads a batch as a step does. Needs only the standard library of Python. */
const READ = `
import sys
from perpetua_trainer.batch import read_batch
from perpetua_trainer.input.refusal import Refusal
try:
    print("taken", len(read_batch(sys.stdin.buffer.read()).rollouts))
except Refusal as refusal:
    print(refusal.code, refusal.path)
`;
const python = (code: string, input = '') => spawnSync('python3', ['-c', code], { cwd: 'trainer', input });
const hasPython = python('import sys; sys.exit(sys.version_info < (3, 11))').status === 0;
const skipped = hasPython ? '' : ' (skipped: no python3 of 3.11 or newer)';

function batch(update: unknown, adjustments: Record<string, number> = {}): StepBatch {
  const rollouts = ['learning/1', 'learning/2'].map((id) => rollout({ id, teacherPromptIds: [1, 2, 9] }));
  const assembled = batchOf({
    plan: planOf(update),
    rollouts,
    facts: FACTS,
    parent: PARENT,
    seed: 1,
    adjustments,
  });
  if (!assembled.ok) throw new Error(assembled.words);
  return { ...assembled.batch, stepKey: 'e'.repeat(64) };
}

describe.skipIf(!hasPython)(`the trainer, which reads strictly,${skipped}`, () => {
  it.each([
    'grpo',
    'ppo',
    'sdpo',
    { name: 'grpo', adapter: { kind: 'full' }, oldLogprobs: 'sampler', dualClip: null, lr: 0 },
    { name: 'ppo', valueClip: null, isCap: null, epochs: 4, gradientCheckpointing: true },
    { name: 'sdpo', distillation: 'top-k', teacher: 'ema', distillationWeight: 0.9 },
    { name: 'sdpo', distillation: 'sampled-token', ratioCap: null, distillationWeight: 0, grpo: { stdFloor: 1 } },
  ])('accepts a batch of %j', (update) => {
    const { stdout, stderr } = python(READ, JSON.stringify(batch(update, { entropyCoefficient: 0.02, lr: 1e-3 })));
    expect([String(stdout), String(stderr)]).toEqual(['taken 2\n', '']);
  });

  it('accepts the checkpoint with which a research began', () => {
    const { stdout } = python(READ, JSON.stringify({ ...batch('grpo'), reference: PARENT }));
    expect(String(stdout)).toBe('taken 2\n');
  });

  it('refuses a batch with an unknown key', () => {
    const made = batch('grpo');
    const { stdout } = python(READ, JSON.stringify({ ...made, algorithm: { ...made.algorithm, gamma: 1 } }));
    expect(String(stdout)).toBe('unknown-key algorithm.gamma\n');
  });
});
