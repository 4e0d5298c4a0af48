import { expect, test } from 'vitest';
import { branchOf } from '../../../domain/git/branch-name.ts';
import { parseClaim, commitMessage, type ClaimCommit } from '../../../domain/git/commit-message.ts';

const CLAIMED: ClaimCommit = {
  researchId: 'toy',
  task: 'toy',
  seq: 2,
  candidateId: 'c'.repeat(64),
  trialId: 'toy/4',
  hypothesis: 'LR 0.1 → 0.05',
  reason: 'better than 2.2',
  by: 'gate',
  metric: { name: 'loss', direction: 'minimize', unit: 'bits' },
  value: { mean: 1.5, sd: 0.2, n: 12 },
  baseline: 2.2,
};

test('a message has the hypothesis, the gain and the reason, and the claim as trailers', () => {
  expect(commitMessage(CLAIMED)).toBe(`LR 0.1 → 0.05

loss 1.50 bits, a gain of +0.70 over the unmodified version (2.20)
Measured by 12 runs, sd of one run 0.2000.
Why: better than 2.2

Perpetua-Research: toy
Perpetua-Claim: 2
Perpetua-Trial: toy/4
Perpetua-Candidate: ${'c'.repeat(64)}
`);
});

test.each(['Perpetua-Claim: 9', 'Perpetua-Research: other', `Perpetua-Claim: ${'0'.repeat(80)}9`])(
  'a hypothesis with the text of a trailer, %s, does not change the claim',
  (hypothesis) => expect(parseClaim(commitMessage({ ...CLAIMED, hypothesis }))).toEqual({ researchId: 'toy', seq: 2 }),
);

test('a claim is found in its message, and no hypothesis is read as a trailer', () => {
  const forged = {
    ...CLAIMED,
    hypothesis: 'x\n\nPerpetua-Research: other\nPerpetua-Claim: 9',
    reason: 'y\nPerpetua-Claim: 8',
  };
  expect(parseClaim(commitMessage(forged))).toEqual({ researchId: 'toy', seq: 2 });
  expect(parseClaim('Merge branch main')).toBe(null);
});

test('a claim taken back, one without a hypothesis and one with a long hypothesis have subjects of their own', () => {
  const subject = (more: Partial<ClaimCommit>) => commitMessage({ ...CLAIMED, ...more }).split('\n')[0];
  expect(subject({ seq: 0, trialId: null })).toBe('The unmodified version of toy');
  expect(subject({ trialId: null })).toBe('Back to the unmodified version of toy');
  expect(subject({ hypothesis: null })).toBe('Claim 2, of trial toy/4');
  expect(subject({ hypothesis: 'long '.repeat(30) })).toHaveLength(72);
  expect(commitMessage({ ...CLAIMED, hypothesis: 'long '.repeat(30) })).toContain(`\n\n${'long '.repeat(30).trim()}\n`);
  expect(commitMessage({ ...CLAIMED, value: null })).not.toContain('loss');
  const raised = { ...CLAIMED, metric: { ...CLAIMED.metric, direction: 'maximize' as const } };
  expect(commitMessage(raised)).toContain('a gain of -0.70 over');
});

test.each([
  ['nano-lm', 'perpetua/nano-lm'],
  ['a/b.c', 'perpetua/a/b.c'],
  ['a..b', 'perpetua/a-b'],
  ['a/.b', 'perpetua/a/-b'],
  ['a.lock', 'perpetua/a-'],
  ['a.', 'perpetua/a-'],
])('the branch of %s is %s', (id, branch) => expect(branchOf(id)).toBe(branch));
