import { expect, test } from 'vitest';
import * as schema from '../../../../db/schema.ts';
import { hashOf, insertResearch, storeTrials, trialRow, WINNER } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../support.ts';

const bench = useDatabase();
const { runs, trials } = schema;

const PLATFORM = { hardware: 'CPU X, 4 cores', environment: 'env1' };
const KEY = { researchId: 'mine', taskHash: 'task-1', ...PLATFORM };
const RUN = { placement: 0, host: 'own', slotId: 's', fence: 1, end: { reason: 'exit' }, ...PLATFORM };

interface Measured {
  trial?: Partial<typeof trials.$inferInsert>;
  run?: Partial<typeof runs.$inferInsert>;
  researchId?: string;
}
let n = 0;

/** Stores a scored trial of a candidate of its own, with these changes. Returns its id, and what can be reused. */
async function measured({ trial, run, researchId = 'source' }: Measured = {}) {
  n += 1;
  const candidateId = hashOf(`candidate ${n}`);
  await bench.store.trial.saveCandidate({ id: candidateId, immutableHash: 'i', files: { 'train.mjs': `${n}` } });
  const row = {
    candidateId,
    status: 'completed',
    value: 3,
    trusted: true,
    runsBefore: 0,
    endedAt: new Date(),
  } as const;
  await storeTrials(bench.db, trialRow(researchId, n, { ...row, ...trial }));
  await bench.db.insert(runs).values({ jobId: `${researchId}/${n}`, ...RUN, ...run });
  return { id: `${researchId}/${n}`, found: await bench.store.trial.findReusable({ ...KEY, candidateId }) };
}

const REFUSED: Record<string, Measured> = {
  'unknown hardware': { run: { hardware: null } },
  'other hardware': { run: { hardware: 'CPU Y, 4 cores' } },
  'an unknown environment': { run: { environment: null } },
  'another environment': { run: { environment: 'env2' } },
  'an untrusted trial': { trial: { trusted: false } },
  'a trial of unknown trust': { trial: { trusted: null } },
  'an artefact that executes code': { trial: { artefactCode: 'a pickle' } },
  'a crashed trial': { trial: { status: 'crashed', failure: 'exit-code', value: null } },
  'a stopped trial': { trial: { status: 'aborted', failure: 'cannot-win', value: null } },
  'a copy': { trial: { status: 'cached', value: null } },
  'a trial under way': { trial: { status: null, value: null, endedAt: null } },
  'a reused value': { trial: { reusedFrom: 'other/1' } },
  'an injected trial': { trial: { kind: 'injected' } },
  'a run for a claim': { trial: { kind: 'confirm' } },
  'a run of a baseline': { trial: { kind: 'baseline' } },
  'a sample of an evaluation': { trial: { kind: 'evaluation' } },
  'a run that a person judged': { trial: { reason: 'overridden by a person: it cheats' } },
  'a reward that a person took back': { trial: { rewardParts: { taken: 1 } } },
  'a run on an earlier placement': { trial: { placement: 1 } },
  'a run that lacked something of its machine': { run: { shortage: 'disk' } },
  'a run that waited for a CPU': { run: { contention: 'load' } },
  'a run that was stopped': { run: { stop: { label: 'wall-clock', message: '' } } },
  'a run without an end': { run: { end: null } },
  'an attack': { researchId: 'attack/toy/1' },
  'a check': { researchId: 'check/toy/1' },
  'an evaluation of a policy': { researchId: 'eval/toy/k' },
  'a research that only measures': { researchId: 'measures only' },
  'the research itself': { researchId: 'mine' },
};

test('a scored run of a search is found, and none of another end, kind, platform or origin', async () => {
  for (const id of ['source', 'mine', 'attack/toy/1', 'check/toy/1', 'eval/toy/k']) await insertResearch(bench.db, id);
  await insertResearch(bench.db, 'measures only', { gateConfig: { measuresOnly: true } as never });
  const { id, found } = await measured();
  expect(found).toEqual({ trialId: id, value: 3, metrics: null });
  for (const [name, change] of Object.entries(REFUSED))
    expect([name, (await measured(change)).found]).toEqual([name, undefined]);
});

test('the first of several values is found, not the best, and none of another version of the task', async () => {
  const row = { candidateId: WINNER, status: 'completed', trusted: true } as const;
  await insertResearch(bench.db, 'several');
  const at = (second: number): Date => new Date(Date.UTC(2026, 1, 1, 0, 0, second));
  await storeTrials(bench.db, [
    trialRow('several', 1, { ...row, value: 1, endedAt: at(2) }),
    trialRow('several', 2, { ...row, value: 5, endedAt: at(1) }),
  ]);
  await bench.db.insert(runs).values([1, 2].map((number) => ({ jobId: `several/${number}`, ...RUN })));
  const key = { ...KEY, candidateId: WINNER };
  expect(await bench.store.trial.findReusable(key)).toMatchObject({ trialId: 'several/2', value: 5 });
  expect(await bench.store.trial.findReusable({ ...key, taskHash: 'task-2' })).toBeUndefined();
});
