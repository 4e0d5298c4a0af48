import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { FLOOR } from '../../../domain/floor/floor.ts';
import type { FloorDeps } from '../../../workers/floor/floor-deps.ts';
import { findOldRuns } from '../../../workers/floor/find-old-runs.ts';

interface Workflow {
  /** As the list tells it, and as the server itself does. */
  listed?: object;
  memo?: object;
  isOpen?: boolean;
  /** Types of its events. */
  events?: object[];
}
const BEGUN = [{ workflowExecutionStartedEventAttributes: {} }, { workflowTaskCompletedEventAttributes: {} }];

/** A server with these workflows, and a database with the same under way. */
function finding(workflows: Record<string, Workflow>, listFails = false) {
  const asked: string[] = [];
  const lines: string[] = [];
  const ids = Object.keys(workflows);
  const isTrial = (id: string): boolean => /\/\d+$/.test(id);
  const isJob = (id: string): boolean => id.includes('/') && !isTrial(id);
  const typeOf = (id: string) => (isJob(id) ? 'job' : isTrial(id) ? 'trial' : 'research');
  async function* list() {
    await Promise.resolve();
    if (listFails) throw new Error('no such query');
    for (const [workflowId, { listed }] of Object.entries(workflows))
      yield { workflowId, runId: 'r', type: typeOf(workflowId), memo: listed };
  }
  const getHandle = (id: string) => ({
    describe: () => {
      asked.push(id);
      const { memo = {}, isOpen = true } = workflows[id] ?? {};
      return Promise.resolve({ runId: 'r', memo, status: { name: isOpen ? 'RUNNING' : 'COMPLETED' } });
    },
    fetchHistory: () => Promise.resolve({ events: workflows[id]?.events ?? BEGUN }),
  });
  const underWay = { researchIds: ids.filter((id) => typeOf(id) === 'research'), trialIds: ids.filter(isTrial) };
  const found = findOldRuns({
    client: { workflow: { list, getHandle } } as unknown as Client,
    store: {
      research: { findUnderWay: () => Promise.resolve(underWay) },
      learning: { findDueUpdates: () => Promise.resolve([]) },
      job: { findOpenJobs: () => Promise.resolve(ids.filter(isJob)) },
    } as unknown as FloorDeps['store'],
    warn: (line) => lines.push(line),
  });
  const told = found.then((runs) => runs.map(({ type, workflowId }) => [type, workflowId]));
  return { ids: found.then((runs) => runs.map(({ workflowId }) => workflowId)), found: told, asked, lines };
}
const ours = { floor: FLOOR };

test('where all are of this version, or a newer one, nothing but the list is asked for', async () => {
  const { ids, asked } = finding({ a: { listed: ours }, 'a/1': { listed: { floor: FLOOR + 1 } } });
  expect(await ids).toEqual([]);
  expect(asked).toEqual([]);
});

test('old is what says so itself: a list may be behind, or leave memos out', async () => {
  const { ids } = finding({ a: {}, 'a/1': {}, b: { memo: ours }, c: { isOpen: false }, d: { memo: { floor: 1 } } });
  expect(await ids).toEqual(['a', 'a/1', 'd']);
});

test('a research that nobody has taken up yet is not old, but for one that was handed over, and a trial', async () => {
  const started = { workflowExecutionStartedEventAttributes: {} };
  const continued = { workflowExecutionStartedEventAttributes: { continuedExecutionRunId: 'before' } };
  const { ids } = finding({ a: { events: [started] }, 'a/1': { events: [started] }, b: { events: [continued] } });
  expect(await ids).toEqual(['a/1', 'b']);
});

test('where Temporal does not list them, those that the database knows are asked for, and that is said', async () => {
  const { ids, lines } = finding({ a: { listed: ours }, 'b/1': { memo: ours } }, true);
  expect(await ids).toEqual(['a']);
  expect(lines).toEqual([expect.stringContaining('does not list the open workflows (no such query)')]);
});

test.each([false, true])('jobs are found as researches are, where the list fails: %s', async (listFails) => {
  const started = { workflowExecutionStartedEventAttributes: {} };
  const { found } = finding(
    { 'server/a/x': {}, 'server/a/y': { memo: ours }, 'command/a/z': { events: [started] }, 'a/1': {} },
    listFails,
  );
  expect((await found).sort()).toEqual([
    ['job', 'server/a/x'],
    ['trial', 'a/1'],
  ]);
});
