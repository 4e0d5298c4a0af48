import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { FLOOR } from '../../../domain/floor/floor.ts';
import type { FloorDeps } from '../../../workers/floor/floor-deps.ts';
import { findOldRuns } from '../../../workers/floor/find-old-runs.ts';

interface Workflow {
  /** The memo in the list of workflows. */
  listed?: object;
  /** The memo in the description of the workflow. */
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
  const typeOf = (id: string) => {
    if (isJob(id)) return 'job';
    return isTrial(id) ? 'trial' : 'research';
  };
  async function* list() {
    await Promise.resolve();
    if (listFails) throw new Error('no such query');
    for (const [workflowId, { listed }] of Object.entries(workflows))
      yield { workflowId, runId: 'r', type: typeOf(workflowId), memo: listed };
  }
  const getHandle = (id: string) => ({
    describe: () => {
      asked.push(id);
      const { memo = {}, isOpen = true } = workflows[id] ?? { isOpen: false };
      return Promise.resolve({ runId: 'r', memo, status: { name: isOpen ? 'RUNNING' : 'COMPLETED' } });
    },
    fetchHistory: () => Promise.resolve({ events: workflows[id]?.events ?? BEGUN }),
  });
  const underWay = { researchIds: ids.filter((id) => typeOf(id) === 'research'), trialIds: ids.filter(isTrial) };
  const found = findOldRuns({
    client: { workflow: { list, getHandle } } as unknown as Client,
    store: {
      research: { findOpenIds: () => Promise.resolve(underWay) },
      learning: { findDueUpdates: () => Promise.resolve([]) },
      job: { findOpenJobs: () => Promise.resolve(ids.filter(isJob)) },
    } as unknown as FloorDeps['store'],
    warn: (line) => lines.push(line),
  });
  const typed = found.then((runs) => runs.map(({ type, workflowId }) => [type, workflowId]));
  return { ids: found.then((runs) => runs.map(({ workflowId }) => workflowId)), found: typed, asked, lines };
}
const ours = { floor: FLOOR };

test('if all workflows are of this version or a newer one, the worker reads only their list', async () => {
  const { ids, asked } = finding({ a: { listed: ours }, 'a/1': { listed: { floor: FLOOR + 1 } } });
  expect(await ids).toEqual([]);
  expect(asked).toEqual([]);
});

test('a workflow is old by its own description: a list may be behind, or leave memos out', async () => {
  const { ids } = finding({ a: {}, 'a/1': {}, b: { memo: ours }, c: { isOpen: false }, d: { memo: { floor: 1 } } });
  expect(await ids).toEqual(['a', 'a/1', 'd']);
});

test('a research that has not begun is not old, except after a continue-as-new; a trial always is', async () => {
  const started = { workflowExecutionStartedEventAttributes: {} };
  const continued = { workflowExecutionStartedEventAttributes: { continuedExecutionRunId: 'before' } };
  const { ids } = finding({ a: { events: [started] }, 'a/1': { events: [started] }, b: { events: [continued] } });
  expect(await ids).toEqual(['a/1', 'b']);
});

test('if Temporal does not list workflows, the worker reads those of the database, and warns', async () => {
  const { ids, lines } = finding({ a: { listed: ours }, 'b/1': { memo: ours } }, true);
  expect(await ids).toEqual(['a']);
  expect(lines).toEqual([expect.stringContaining('does not list the open workflows (no such query)')]);
});

test.each([false, true])('jobs are found as researches are; the list fails: %s', async (listFails) => {
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
