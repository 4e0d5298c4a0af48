import { expect, test } from 'vitest';
import { readAgent } from '../../../../db/reads/trial/read-agent.ts';
import { jobs, runs } from '../../../../db/schema.ts';
import { proposalJobOf } from '../../../../domain/agent/proposal-job.ts';
import { insertResearch, storeTrials, trialRow } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../support.ts';

const bench = useDatabase();

test('the seconds of an agent are those of all its runs that have ended, its state that of the last', async () => {
  await insertResearch(bench.db, 'reads');
  await storeTrials(bench.db, trialRow('reads', 1));
  const jobId = proposalJobOf('reads/1');
  const spec = { shape: 'to-an-end' } as const;
  const job = {
    id: jobId,
    kind: 'proposal',
    researchId: 'reads',
    taskHash: 'task-1',
    pool: 'agents',
    priority: 3,
    spec,
  };
  await bench.db.insert(jobs).values({ ...job, kind: 'proposal' });
  expect(await readAgent(bench.db, 'reads/1')).toBeNull();
  const run = { jobId, host: 'h', slotId: 's', fence: 1 };
  const end = { reason: 'exit', exitCode: 1, signal: null, wallSeconds: 10, cpuSeconds: 2, changed: [] };
  await bench.db.insert(runs).values({ ...run, placement: 0, end });
  await bench.db.insert(runs).values({ ...run, placement: 1 });
  const both = { seconds: 10, cpuSeconds: 2 };
  expect(await readAgent(bench.db, 'reads/1')).toMatchObject({ ...both, isOver: false, ending: null });
  const last = { ...end, exitCode: 0, wallSeconds: 5, cpuSeconds: 1, changed: ['run.sh'] };
  await bench.db.insert(runs).values({ ...run, placement: 2, end: last });
  expect(await readAgent(bench.db, 'reads/1')).toMatchObject({
    seconds: 15,
    cpuSeconds: 3,
    isOver: true,
    ending: null,
    tampering: ['run.sh'],
  });
});
