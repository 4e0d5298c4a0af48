import { expect, test } from 'vitest';
import { renderServing } from '../../view/serving.ts';

test.each([
  [{ is: 'waiting' }, 'waits for a slot'],
  [{ is: 'starting' }, 'started, and has not said yet that it is ready'],
  [{ is: 'ready', host: 'box', at: '2026-01-02T03:04:05Z' }, 'ready on box since 2026-01-02T03:04:05Z'],
  [{ is: 'pausing', seconds: 1.2 }, 'is begun again in 2 s'],
] as const)('a server that is %j says so', (state, words) => {
  expect(renderServing({ taskName: 'toy', state, last: null })).toBe(`### a server of toy\n- ${words}`);
});

test('how its last run ended is shown beside that', () => {
  const shown = renderServing({ taskName: 'toy', state: { is: 'waiting' }, last: 'ended with exit code 3 on box' });
  expect(shown).toBe('### a server of toy\n- waits for a slot\n- its last run ended with exit code 3 on box');
});
