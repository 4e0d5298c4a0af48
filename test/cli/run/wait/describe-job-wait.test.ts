import { expect, test } from 'vitest';
import { type JobProgress, describeJobWait } from '../../../../cli/run/wait/describe-job-wait.ts';

const WELL: JobProgress = {
  pool: 'gpu',
  waitsFor: null,
  failing: [],
  launchFailed: null,
  unstartedActivities: [],
  hasPoller: true,
};

test.each<[string, Partial<JobProgress>, string | null]>([
  ['nothing is wrong', {}, null],
  ['nobody has taken up its launch', { unstartedActivities: ['launch'] }, 'it waits for a free slot of the pool gpu'],
  [
    'nobody has taken up its launch, and no worker is there',
    { unstartedActivities: ['launch'], hasPoller: false },
    'no worker takes it up, so it does not begin. Start one: npx perpetua worker',
  ],
  [
    'nobody has taken up its workflow',
    { unstartedActivities: [null] },
    'no worker takes it up, so it does not begin. Start one: npx perpetua worker',
  ],
  [
    'nobody follows it',
    { unstartedActivities: ['monitor'] },
    'no worker takes it up, so it does not begin. Start one: npx perpetua worker',
  ],
  ['there is no room', { waitsFor: 'room on here: disk: 3 MiB' }, 'it waits for room on here: disk: 3 MiB'],
  [
    'its last launch failed, and the next one waits',
    { launchFailed: 'no method toy', unstartedActivities: ['launch'] },
    'its launch fails, and is tried again: no method toy',
  ],
  [
    'an activity fails',
    { failing: [{ activity: 'openJob', message: 'no rows' }], unstartedActivities: ['openJob'] },
    'openJob fails, and is tried again: no rows',
  ],
  [
    'its own code fails',
    { failing: [{ activity: null, message: 'a bug' }] },
    'its workflow fails, and is tried again: a bug',
  ],
])('where %s, that is said', (_, standing, why) => {
  expect(describeJobWait({ ...WELL, ...standing })).toBe(why);
});
