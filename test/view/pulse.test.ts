import { expect, test } from 'vitest';
import { describePulse, describeSilence, type Pulse } from '../../view/pulse.ts';

const CALM: Pulse = { beatSeconds: 4, temporal: { state: 'answers', oldestTaskSeconds: 0 }, needed: true };
const answers = (oldestTaskSeconds: number) => ({ state: 'answers' as const, oldestTaskSeconds });

test.each<[Partial<Pulse>, ReturnType<typeof describePulse>]>([
  [{}, { still: false, worker: 'worker 4 s ago', temporal: '' }],
  [{ beatSeconds: 29.4 }, { still: false, worker: 'worker 29 s ago', temporal: '' }],
  [{ beatSeconds: 30 }, { still: true, worker: 'no worker for 30 s', temporal: '' }],
  [{ beatSeconds: null }, { still: true, worker: 'no worker', temporal: '' }],
  [{ temporal: answers(12) }, { still: false, worker: 'worker 4 s ago', temporal: 'a workflow task waits for 12 s' }],
  [
    { temporal: answers(70) },
    { still: true, worker: 'worker 4 s ago', temporal: 'a workflow task waits for 1 min 10 s' },
  ],
  [
    { temporal: { state: 'silent', oldestTaskSeconds: null } },
    { still: true, worker: 'worker 4 s ago', temporal: 'Temporal does not answer' },
  ],
  [
    { temporal: { state: 'unknown', oldestTaskSeconds: null } },
    { still: false, worker: 'worker 4 s ago', temporal: '' },
  ],
  // Without a research that has not ended, nobody misses a worker.
  [
    { beatSeconds: null, needed: false },
    { still: false, worker: 'no worker', temporal: '' },
  ],
])('the pulse %j is described', (change, words) => {
  expect(describePulse({ ...CALM, ...change })).toEqual(words);
});

test('`perpetua status` names the silence of all workers, if a research needs one', () => {
  expect(describeSilence('running', 90)).toEqual([
    'no worker for 1 min 30 s: it stands still or has ended. See: npx perpetua doctor',
  ]);
  for (const seconds of [null, 0, 29]) expect(describeSilence('running', seconds)).toEqual([]);
  expect(describeSilence('stopped', 90)).toEqual([]);
});
