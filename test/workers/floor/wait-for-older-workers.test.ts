import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { FLOOR } from '../../../domain/floor/floor.ts';
import { QUEUES } from '../../../domain/messages/names.ts';
import { StoppedWaitingError, waitForOlderWorkers } from '../../../workers/floor/wait-for-older-workers.ts';

/** Larger than any process id. */
const NO_PROCESS = 2 ** 30;

/** A server that lists these workers, each with the seconds since its last poll. */
function waiting(pollers: Record<string, number>, polled: string = QUEUES.main) {
  const reports = { lines: [] as string[], alerted: [] as string[] };
  const listed = Object.entries(pollers).map(([identity, ago]) => ({
    identity,
    lastAccessTime: { seconds: Math.floor(Date.now() / 1000) - ago },
  }));
  const stop = new AbortController();
  stop.abort();
  const deps = {
    client: {
      options: {},
      workflowService: {
        describeTaskQueue: ({ taskQueue }: { taskQueue: { name: string } }) =>
          Promise.resolve({ pollers: taskQueue.name === polled ? listed : [] }),
      },
    },
    store: {
      host: { findPools: () => Promise.resolve(['lab', 'cloud']) },
      research: {
        findOpenIds: () => Promise.resolve({ researchIds: ['a', 'b'] }),
        insertAlert: ({ researchId }: { researchId: string }) => Promise.resolve(void reports.alerted.push(researchId)),
      },
    },
    queues: [QUEUES.main],
    warn: (line: string) => reports.lines.push(line),
    signal: stop.signal,
  } as unknown as Parameters<typeof waitForOlderWorkers>[0] & { client: Client };
  return { ...reports, done: waitForOlderWorkers(deps) };
}

test.each([
  ['none polls', {}],
  [
    'those that poll are of this version, or a newer one',
    { [`1@box perpetua 0.${FLOOR}`]: 1, '1@box perpetua 0.99': 1 },
  ],
  ['an older one polled last 70 s ago', { '1@box': 71 }],
  ['the process of one on this machine is gone', { [`${NO_PROCESS}@${hostname()}`]: 1 }],
])('a worker does not wait where %s', async (_, pollers) => {
  const { done, lines } = waiting(pollers);
  await done;
  expect(lines).toEqual([]);
});

test.each([
  ['elsewhere', `${NO_PROCESS}@box`],
  ['on this machine', `${process.pid}@${hostname()}`],
  ['under a name that tells nothing', 'somebody'],
])('a worker waits for an older one %s, says so, and gives up only when it is stopped', async (_, name) => {
  const { done, lines, alerted } = waiting({ [name]: 1 });
  await expect(done).rejects.toBeInstanceOf(StoppedWaitingError);
  expect(lines).toEqual([expect.stringContaining(`still runs (${name}): stop it`)]);
  expect(alerted).toEqual(['a', 'b']);
});

test("a worker waits for an older one that serves nothing but one of the fleet's pools", async () => {
  const { done, lines } = waiting({ [`${NO_PROCESS}@box`]: 1 }, QUEUES.fleet('cloud'));
  await expect(done).rejects.toBeInstanceOf(StoppedWaitingError);
  expect(lines).toHaveLength(1);
});
