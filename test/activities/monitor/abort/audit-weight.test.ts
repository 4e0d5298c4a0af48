import { expect, test, vi } from 'vitest';
import { createAbortLearner } from '../../../../activities/monitor/abort/abort-learner.ts';
import { abortSettings } from '../../../../domain/abort/settings.ts';
import type * as Rules from '../../../../domain/abort/rules.ts';
import type { FinishedCurve } from '../../../../domain/abort/types.ts';
import { insertResearch, TASK } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { fallingTo, STEPS } from '../../../domain/abort/support.ts';
import { abortRecord, insertEnded } from '../../../support/database/insert-ended.ts';

const learned = vi.hoisted((): FinishedCurve[] => []);
vi.mock('../../../../domain/abort/rules.ts', async (original) => {
  const rules = await original<typeof Rules>();
  const { createRecordingRule: noting } = await import('../../../support/recording-rule.ts');
  const openRule: typeof rules.openRule = (...args) => noting(rules.openRule(...args), learned);
  return { ...rules, openRule };
});

const bench = useDatabase();

test('an audited run weighs as much as the runs that it stands for: the inverse of its probability', async () => {
  await insertResearch(bench.db, 'audited');
  const ends = [null, abortRecord(), abortRecord({ abort: true, audited: true, auditProbability: 0.05 })];
  for (const [n, abort] of ends.entries())
    await insertEnded(bench.db, ['audited', n + 1], { curve: fallingTo(2), ...(abort && { abort }) });
  const task = { ...TASK, search: { ...TASK.search, abort: 'matched-time' as const } };
  const settings = abortSettings({ ...task, progress: { ...TASK.progress, steps: STEPS } } as typeof TASK, null);
  if (!settings) throw new Error('Expected a task whose runs may be stopped');
  await createAbortLearner({ store: bench.store, researchId: 'audited', taskHash: 'task-1', settings }).refresh();
  expect(learned.map(({ weight }) => weight)).toEqual([1, 1, 20]);
});
