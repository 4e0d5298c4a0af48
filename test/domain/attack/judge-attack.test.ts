import { describe, expect, test } from 'vitest';
import type { Attack } from '../../../domain/attack/attack.ts';
import { type AttackStandard, judgeAttack, type AttackTrial, worst } from '../../../domain/attack/judge-attack.ts';
import { chooseAttacks, reportAttacks } from '../../../domain/attack/report-attacks.ts';
import { ATTACKS } from '../../../domain/attack/table.ts';

const attack: Attack = {
  name: 'it',
  where: 'run',
  tries: 'cheat',
  acts: () => ({}),
  expected: ['candidate-protocol', 'completed'],
};
const strict: Attack = { ...attack, expected: ['out-of-memory'] };
const answering: Attack = { ...strict, where: 'answer' };
const bench: AttackStandard = {
  metric: { name: 'error', direction: 'minimize', minDelta: 0 },
  baseline: [5, 5.1, 4.9],
  isAsked: null,
};
const seen = (more: Partial<AttackTrial> = {}): AttackTrial => ({
  ...{ trialId: 'a/4', status: 'completed', failure: null, message: null, value: 5, verdict: 'discard' },
  logTail: 'x\nperpetua-attack: tried it\n',
  ...more,
});
const failed = (failure: AttackTrial['failure'], more: Partial<AttackTrial> = {}): AttackTrial =>
  seen({ status: 'crashed', failure, message: 'words', value: null, ...more });

describe('an attack', () => {
  test.each<[string, Attack, AttackTrial, Partial<AttackStandard>, string]>([
    ['that ends as expected has held', attack, failed('candidate-protocol'), {}, 'held'],
    ['that ends with another label has held: it has no score', strict, failed('exit-code'), {}, 'held'],
    ['that is scored as honest work is has held', attack, seen(), {}, 'held'],
    ['that the gate keeps is broken', attack, seen({ verdict: 'keep' }), {}, 'BROKEN'],
    ['that is better than luck is broken, whatever the gate says', attack, seen({ value: 0 }), {}, 'BROKEN'],
    ['that luck explains has held', attack, seen({ value: 4.8 }), {}, 'held'],
    ['that is scored where nothing should be is broken', strict, seen(), {}, 'BROKEN'],
    ['that breaks the evaluator is broken', attack, failed('evaluator-failed'), {}, 'BROKEN'],
    ['that lasts longer than the evaluator may is broken', attack, failed('evaluator-timeout'), {}, 'BROKEN'],
    ['that a machine lost is not known', attack, seen({ status: 'lost', failure: 'machine-lost' }), {}, 'unknown'],
    ['that never began does not apply', attack, seen({ logTail: '' }), {}, 'not applicable'],
    [
      'that has a score without its program being asked does not apply',
      answering,
      seen(),
      { isAsked: false },
      'not applicable',
    ],
    ['that has a score although it is asked is broken', answering, seen(), { isAsked: true }, 'BROKEN'],
    ['of answers is not known where nobody tried whether they are asked for', answering, seen(), {}, 'unknown'],
    [
      'of a baseline without noise is broken by any gain',
      attack,
      seen({ value: 4.999 }),
      { baseline: [5, 5, 5] },
      'BROKEN',
    ],
    [
      'that is worse in the other direction is broken',
      attack,
      seen({ value: 9 }),
      { metric: { ...bench.metric, direction: 'maximize' } },
      'BROKEN',
    ],
  ])('%s', (_, one, trial, more, verdict) => {
    expect(judgeAttack(one, trial, { ...bench, ...more }).verdict).toBe(verdict);
  });

  test('that reached something is broken however it ended, and what it reached is said', () => {
    const logTail = 'perpetua-attack: tried it\nperpetua-attack: reached /etc/shadow (123)\n';
    for (const trial of [seen({ logTail }), failed('exit-code', { logTail }), seen({ logTail, status: 'lost' })])
      expect(judgeAttack(attack, trial, bench)).toEqual({ verdict: 'BROKEN', why: 'it reached /etc/shadow (123)' });
  });

  test('that lacks a program does not apply', () => {
    const logTail = 'perpetua-attack: tried it\nperpetua-attack: lacks perl\n';
    expect(judgeAttack(attack, seen({ logTail }), bench)).toMatchObject({ verdict: 'not applicable' });
  });

  test('of several candidates is as bad as the worst', () => {
    const held = { verdict: 'held', why: '' } as const;
    expect(worst([held, { verdict: 'BROKEN', why: 'it' }, held])).toEqual({ verdict: 'BROKEN', why: 'it' });
    expect(worst([])).toMatchObject({ verdict: 'unknown' });
  });
});

test('no two attacks have one name, and each says what it tries', () => {
  expect(new Set(ATTACKS.map(({ name }) => name)).size).toBe(ATTACKS.length);
  for (const { name, tries } of ATTACKS) {
    expect(name).toMatch(/^[a-z0-9-]+$/);
    expect(tries).toMatch(/^[a-z].{9,}$/);
  }
});

test('an attack on answers brings the one along that tells whether they are asked for', () => {
  const names = (only: string[]): string[] => chooseAttacks(ATTACKS, only).chosen.map(({ name }) => name);
  expect(names(['answer-nan'])).toEqual(['answer-dies', 'answer-nan']);
  expect(names(['plant'])).toEqual(['plant']);
  expect(names([])).toHaveLength(ATTACKS.length);
  expect(chooseAttacks(ATTACKS, ['plnat']).unknown).toEqual(['plnat']);
});

test('a trial that a machine lost and that was run again says nothing; one that was not leaves its attack unknown', () => {
  const plan = [{ attack, fits: true, candidates: [{}] }] as const;
  const lost = { ...seen({ trialId: 'a/4', status: 'lost', failure: 'contended' }), attack: 'it' };
  const again = { ...failed('candidate-protocol', { trialId: 'a/5' }), attack: 'it' };
  const rowOf = (tried: (typeof lost)[]) => reportAttacks(plan as never, { ...bench, tried })[0];
  expect(rowOf([lost, again])).toMatchObject({ seen: ['candidate-protocol'], trials: ['a/5'], verdict: 'held' });
  expect(rowOf([lost])).toMatchObject({ seen: ['contended'], verdict: 'unknown' });
  expect(rowOf([])).toMatchObject({ seen: [], verdict: 'unknown', why: 'none of its candidates ran' });
});
