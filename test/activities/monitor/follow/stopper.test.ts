import { expect, test } from 'vitest';
import { createStopper } from '../../../../activities/monitor/follow/stopper.ts';
import type { Run } from '../../../../db/run/run.ts';
import type { Store } from '../../../../db/store.ts';
import type { Failure } from '../../../../domain/trial.ts';
import type { Compute } from '../../../../infra/compute.ts';

const STALLED: Failure = { label: 'stalled', message: 'no line for 9 s' };
const BEHIND: Failure = { label: 'cannot-win', message: 'it is behind' };

/** A stopper, its actions in order, and its failures. */
function open({ newer = false } = {}) {
  const did: string[] = [];
  const failed: unknown[] = [];
  const store = {
    run: {
      saveStop: ({ stop }: { stop: Failure }) => Promise.resolve(newer ? undefined : (did.push(stop.label), stop)),
    },
  };
  const compute = { kill: () => Promise.resolve(void did.push('kill')) };
  const stopper = createStopper({
    store: store as unknown as Store,
    compute: compute as unknown as Compute,
    key: { jobId: 'a/1', placement: 0 },
    run: { follower: 1, fence: 1 } as Run,
    fail: (error) => void failed.push(error),
  });
  return { stopper, did, failed };
}

test('the first decision is stored, then carried out, and no other is', async () => {
  const { stopper, did } = open();
  stopper.decide(STALLED);
  stopper.decide(BEHIND);
  await stopper.done();
  expect(did).toEqual(['stalled', 'kill']);
});

test('a decision is not carried out once nobody follows the run any more', async () => {
  const { stopper, did } = open();
  await stopper.done();
  stopper.decide(BEHIND);
  await stopper.done();
  expect(did).toEqual([]);
});

test('a monitor that was relieved stops nothing, and says so', async () => {
  const { stopper, did, failed } = open({ newer: true });
  stopper.decide(STALLED);
  await expect(stopper.done()).rejects.toThrow('a newer monitor took over');
  expect(did).toEqual([]);
  expect(failed).toHaveLength(1);
});
