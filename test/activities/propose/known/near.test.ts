import { expect, test } from 'vitest';
import { nearBefore } from '../../../../activities/propose/known/near.ts';
import type { ProposeContext } from '../../../../activities/propose/propose-context.ts';

const filesOf = (rate: number) => ({ 'train.mjs': `const LR = ${rate};\n` });
const SIBLING = { n: 7, status: 'completed', failure: null, failureMessage: null, value: 2 };

/** Compares a change of a knob by a trial with this operator. */
const nearOf = (operator: string | null) =>
  nearBefore(
    {
      deps: {
        store: {
          trial: {
            findSiblings: () => Promise.resolve(['sibling']),
            loadCandidates: () => Promise.resolve([filesOf(0.31)]),
            findKnownCandidate: () => Promise.resolve(SIBLING),
          },
        },
      },
      trial: { operator },
      version: { task: { metric: { name: 'loss' }, search: { novelty: { name: 'near', threshold: 0.9 } } } },
      files: filesOf(0.3),
    } as unknown as ProposeContext,
    filesOf(0.32),
  );

test('a change of a knob is much like another one, except by the operator that changes knobs alone', async () => {
  expect(await nearOf('tweak')).toContain('trial 7');
  expect(await nearOf(null)).toContain('trial 7');
  expect(await nearOf('knobs-only')).toBeNull();
});
