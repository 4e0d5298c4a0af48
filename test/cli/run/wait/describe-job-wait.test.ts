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
  ['no worker has started its launch', { unstartedActivities: ['launch'] }, 'it waits for a free slot of the pool gpu'],
  [
    'no worker polls for its launch',
    { unstartedActivities: ['launch'], hasPoller: false },
    'no worker takes its work, so it does not start. Start one: npx perpetua worker',
  ],
  [
    'no worker has started its workflow',
    { unstartedActivities: [null] },
    'no worker takes its work, so it does not start. Start one: npx perpetua worker',
  ],
  [
    'no worker follows it',
    { unstartedActivities: ['monitor'] },
    'no worker takes its work, so it does not start. Start one: npx perpetua worker',
  ],
  ['there is no space', { waitsFor: 'room on here: disk: 3 MiB' }, 'it waits for room on here: disk: 3 MiB'],
  [
    'its last launch failed, and the next one waits',
    { launchFailed: 'no method toy', unstartedActivities: ['launch'] },
    'its launch fails and is retried: no method toy',
  ],
  [
    'an activity fails',
    { failing: [{ activity: 'openJob', message: 'no rows' }], unstartedActivities: ['openJob'] },
    'openJob fails and is retried: no rows',
  ],
  [
    'its own code fails',
    { failing: [{ activity: null, message: 'a bug' }] },
    'its workflow fails and is retried: a bug',
  ],
])('the wait of a job is described if %s', (_, standing, why) => {
  expect(describeJobWait({ ...WELL, ...standing })).toBe(why);
});
