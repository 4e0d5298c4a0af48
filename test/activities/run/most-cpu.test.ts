import { expect, test } from 'vitest';
import { mostCpuOf } from '../../../activities/run/most-cpu.ts';
import { runs, trials } from '../../../db/schema.ts';
import type { Task } from '../../../domain/task/task.ts';
import { eq } from 'drizzle-orm';
import { insertReadyTrial, useDatabase } from '../../db/support.ts';

const bench = useDatabase();
const task = (kind: string) => ({ run: { budget: { kind, seconds: 3 } } }) as Task;

test('reference seconds allow the CPU time that the baseline took, answers included, or any to itself', async () => {
  const trialId = await insertReadyTrial(bench.db, 'charged');
  const { taskHash, researchId } = await bench.store.trial.loadTrial(trialId);
  const candidate = { researchId, taskHash, candidateId: 'another' };
  const most = (kind: string, run = candidate) => mostCpuOf(bench, run, task(kind));
  expect(await most('reference')).toBe(9);
  const { candidateId: baseline } = (await bench.store.trial.findBaselineCompute(candidate)) ?? { candidateId: '' };
  await bench.db.insert(runs).values([
    { jobId: trialId, placement: 0, host: 'here', slotId: 'here/0', fence: 1, end: { cpuSeconds: 50 } },
    {
      jobId: trialId,
      placement: 1,
      host: 'here',
      slotId: 'here/0',
      fence: 2,
      end: { cpuSeconds: 5, answerCpuSeconds: 1 },
    },
  ]);
  await bench.db
    .update(trials)
    .set({ candidateId: baseline, status: 'completed', placement: 1 })
    .where(eq(trials.id, trialId));
  expect(await most('reference')).toBe(9);
  await bench.store.run.saveAnswerCpu({ jobId: trialId, placement: 1, cpuSeconds: 3 });
  expect(await most('reference')).toBe(12);
  expect(await most('reference', { ...candidate, candidateId: baseline })).toBe(9);
  expect(await most('cpu')).toBe(4.5);
  expect(await most('wall')).toBeNull();
});
