import { expect, test } from 'vitest';
import { describeEnd, describeKind, describeRace, describeScore } from '../../view/verdict.ts';

test('a trial that was up for a verdict ends as that, any other as what it failed of or how it ended', () => {
  expect(describeEnd({ status: 'completed', verdict: 'keep', failure: null })).toBe('keep');
  expect(describeEnd({ status: 'completed', verdict: 'none', failure: null })).toBe('completed');
  expect(describeEnd({ status: 'crashed', verdict: 'none', failure: 'exit-code' })).toBe('exit-code');
  expect(describeEnd({ status: 'timed_out', verdict: 'none', failure: null })).toBe('timed out');
});

test('a run that confirms a trial names it, and so does a race', () => {
  expect(describeKind({ kind: 'confirm', ofTrial: 4 })).toBe('confirm #4');
  expect(describeKind({ kind: 'search', ofTrial: null })).toBe('search');
  expect(describeRace({ ofTrial: 4, runs: 1 })).toBe('racing #4 against the best: 1 run so far');
  expect(describeRace({ ofTrial: null, runs: 2 })).toBe(
    'racing the unmodified version against the best: 2 runs so far',
  );
});

test('a score is marked where the candidate could have written it itself, and has no unit where there is none', () => {
  expect(describeScore({ value: 1.5, trusted: false }, 'bits')).toBe('1.500 bits untrusted');
  expect(describeScore({ value: 1.5, trusted: true })).toBe('1.500');
  expect(describeScore({ value: null, trusted: null }, 'bits')).toBe('–');
});
