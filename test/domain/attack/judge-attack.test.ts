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
const exploit: Attack = { ...attack, where: 'exploit', expected: ['completed'] };
const answering: Attack = { ...strict, where: 'answer' };
const bench: AttackStandard = {
  metric: { name: 'error', direction: 'minimize', minDelta: 0 },
  baseline: [5, 5.1, 4.9],
  isAsked: null,
};
const seen = (more: Partial<AttackTrial> = {}): AttackTrial => ({
  trialId: 'a/4',
  status: 'completed',
  failure: null,
  message: null,
  value: 5,
  verdict: 'discard',
  logTail: 'x\nperpetua-attack: tried it\n',
  ...more,
});
const failed = (failure: AttackTrial['failure'], more: Partial<AttackTrial> = {}): AttackTrial =>
  seen({ status: 'crashed', failure, message: 'words', value: null, ...more });

describe('an attack', () => {
  test.each<[string, Attack, AttackTrial, Partial<AttackStandard>, string]>([
    ['has held if it ends as expected', attack, failed('candidate-protocol'), {}, 'held'],
    ['has held if it ends with another label, since it has no score', strict, failed('exit-code'), {}, 'held'],
    ['has held if its score is that of honest work', attack, seen(), {}, 'held'],
    ['is broken if the gate keeps it', attack, seen({ verdict: 'keep' }), {}, 'BROKEN'],
    ['is broken if its score beats luck, whatever the verdict of the gate', attack, seen({ value: 0 }), {}, 'BROKEN'],
    ['has held if luck explains its score', attack, seen({ value: 4.8 }), {}, 'held'],
    ['is broken if it has a score though it should have none', strict, seen(), {}, 'BROKEN'],
    ['is broken if the evaluator fails', attack, failed('evaluator-failed'), {}, 'BROKEN'],
    ['is broken if the evaluator times out', attack, failed('evaluator-timeout'), {}, 'BROKEN'],
    ['is unknown if a machine lost it', attack, seen({ status: 'lost', failure: 'machine-lost' }), {}, 'unknown'],
    ['of the author has held if the evaluator refuses it', exploit, failed('candidate-protocol'), {}, 'held'],
    ['of the author is judged by its score, without a mark in its log', exploit, seen({ logTail: '' }), {}, 'held'],
    ['of the author is broken by a score that beats luck', exploit, seen({ logTail: '', value: 0 }), {}, 'BROKEN'],
    ['of the author is unknown in a race', exploit, seen({ verdict: 'confirm', value: 4 }), {}, 'unknown'],
    ['of the author is broken if the evaluator fails', exploit, failed('evaluator-failed'), {}, 'BROKEN'],
    ['does not apply if it never began', attack, seen({ logTail: '' }), {}, 'not applicable'],
    [
      'does not apply if it has a score and the evaluator asks its program nothing',
      answering,
      seen(),
      { isAsked: false },
      'not applicable',
    ],
    ['is broken if it has a score and the evaluator asks it', answering, seen(), { isAsked: true }, 'BROKEN'],
    ['on answers is unknown if no attack tested whether the evaluator asks for them', answering, seen(), {}, 'unknown'],
    [
      'is broken by any gain over a baseline without noise',
      attack,
      seen({ value: 4.999 }),
      { baseline: [5, 5, 5] },
      'BROKEN',
    ],
    [
      'is broken by a gain in the other direction',
      attack,
      seen({ value: 9 }),
      { metric: { ...bench.metric, direction: 'maximize' } },
      'BROKEN',
    ],
  ])('%s', (_, one, trial, more, verdict) => {
    expect(judgeAttack(one, trial, { ...bench, ...more }).verdict).toBe(verdict);
  });

  test('is broken if it reached something, however it ended, and the reason names the target', () => {
    const logTail = 'perpetua-attack: tried it\nperpetua-attack: reached /etc/shadow (123)\n';
    const why = 'the attack reached /etc/shadow (123)';
    for (const trial of [seen({ logTail }), failed('exit-code', { logTail }), seen({ logTail, status: 'lost' })])
      expect(judgeAttack(attack, trial, bench)).toEqual({ verdict: 'BROKEN', why });
  });

  test('does not apply if it lacks a program', () => {
    const logTail = 'perpetua-attack: tried it\nperpetua-attack: lacks perl\n';
    expect(judgeAttack(attack, seen({ logTail }), bench)).toMatchObject({ verdict: 'not applicable' });
  });

  test('with several candidates has the verdict of the worst', () => {
    const held = { verdict: 'held', why: '' } as const;
    expect(worst([held, { verdict: 'BROKEN', why: 'it' }, held])).toEqual({ verdict: 'BROKEN', why: 'it' });
    expect(worst([])).toMatchObject({ verdict: 'unknown' });
  });
});

test('every attack has a name of its own and a text of what it tries', () => {
  expect(new Set(ATTACKS.map(({ name }) => name)).size).toBe(ATTACKS.length);
  for (const { name, tries } of ATTACKS) {
    expect(name).toMatch(/^[a-z0-9-]+$/);
    expect(tries).toMatch(/^[a-z].{9,}$/);
  }
});

test('an attack on answers adds the attack that tests whether the evaluator asks for them', () => {
  const names = (only: string[]): string[] => chooseAttacks(ATTACKS, only).chosen.map(({ name }) => name);
  expect(names(['answer-nan'])).toEqual(['answer-dies', 'answer-nan']);
  expect(names(['plant'])).toEqual(['plant']);
  expect(names([])).toHaveLength(ATTACKS.length);
  expect(chooseAttacks(ATTACKS, ['plnat']).unknown).toEqual(['plnat']);
});

test('a lost trial that was run again is ignored; one that was not leaves its attack unknown', () => {
  const plan = [{ attack, fits: true, candidates: [{}] }] as const;
  const lost = { ...seen({ trialId: 'a/4', status: 'lost', failure: 'contended' }), attack: 'it' };
  const again = { ...failed('candidate-protocol', { trialId: 'a/5' }), attack: 'it' };
  const rowOf = (tried: (typeof lost)[]) => reportAttacks(plan as never, { ...bench, tried })[0];
  expect(rowOf([lost, again])).toMatchObject({ seen: ['candidate-protocol'], trials: ['a/5'], verdict: 'held' });
  expect(rowOf([lost])).toMatchObject({ seen: ['contended'], verdict: 'unknown' });
  expect(rowOf([])).toMatchObject({ seen: [], verdict: 'unknown', why: 'none of its candidates ran' });
});
