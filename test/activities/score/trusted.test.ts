import { expect, test } from 'vitest';
import { ALONE, APART, useAsked } from './support/asked.ts';

const { bench, ended, talksThat } = useAsked();

test.each([
  [
    'is trusted where both its run and the program that answered were in a sandbox',
    'both',
    { run: APART, talk: APART, trusted: true },
  ],
  ['is not trusted where only its run was', 'run-only', { run: APART, talk: ALONE, trusted: false }],
  ['is not trusted where only the program that answered was', 'talk-only', { run: ALONE, talk: APART, trusted: false }],
])('a score %s', async (_, id, { run, talk, trusted }) => {
  const { key, worker } = await ended(`trusted-${id}`, { answer: 'read -r n; echo 2', held: run });
  await worker(
    null,
    talksThat((end) => end, talk),
  ).score();
  expect(await bench.store.trial.loadTrial(key.trialId)).toMatchObject({ status: 'completed', value: 2, trusted });
});
