import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { beginProposal } from '../../../../activities/propose/begin.ts';
import { fillTree } from '../../../../activities/propose/parent/fill-tree.ts';
import { settle } from '../../../../activities/outcome/settle.ts';
import { changeTask } from '../../../../activities/research/change/change-task.ts';
import * as schema from '../../../../db/schema.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';
import { settingsOf } from '../../../../domain/task/overrides.ts';
import { Task } from '../../../../domain/task/task.ts';
import { KINDS_OUTSIDE_SEARCH, type TrialKind, type TrialStatus } from '../../../../domain/trial.ts';
import { BASELINE, insertResearch, storeTrials, TASK, trialRow } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { recomputedTree, rounded, storedTree } from '../../../support/database/tree-oracle.ts';
import { changeOn } from '../../research/change/support.ts';

const bench = useDatabase();
const task = Task.parse({ ...TASK, search: { parent: 'puct' } });
const SCORED = Array.from({ length: 8 }, () => 'completed' as const);
/** Outcomes, two in three with a score. */
const ENDS: readonly TrialStatus[] = [...SCORED, 'crashed', 'lost', 'aborted', 'cached'];

/** A research whose rule is `puct`, with moves of which each is a transaction of the product. */
function moves(id: string, seed: number) {
  const random = createRandom(seed);
  let last = 0;
  const open: { n: number; candidate: string | null }[] = [];
  const known = [BASELINE];
  const insert = async (row: { kind: TrialKind; candidateId?: string; parentId?: string }): Promise<number> => {
    last += 1;
    const [version] = await bench.db.select().from(schema.researches).where(eq(schema.researches.id, id));
    await storeTrials(bench.db, trialRow(id, last, { ...row, taskHash: version!.taskHash }));
    return last;
  };
  const end = (n: number, status: TrialStatus) =>
    settle(bench.store, {
      trialId: `${id}/${n}`,
      researchId: id,
      status,
      value: status === 'completed' ? 1 + random.below(1000) / 7 : null,
      metrics: {},
      evaluatorNotes: null,
      trusted: true,
      failure: status === 'completed' || status === 'cached' ? null : { label: 'exit-code', message: 'it failed' },
    });
  const begin = async (): Promise<number> => {
    const n = await insert({ kind: 'search' });
    await beginProposal(bench.store, { trial: await bench.store.trial.loadTrial(`${id}/${n}`), task });
    return n;
  };
  return {
    begin,
    /** A search trial that begins, with a candidate that may be known. */
    propose: async (): Promise<void> => {
      const n = await begin();
      const candidate = `${id}-${random.below(20)}`;
      await bench.store.trial.saveProposal({
        trialId: `${id}/${n}`,
        candidate: { id: candidate, immutableHash: 'i', files: { 'train.mjs': candidate } },
        knobs: {},
        structure: null,
        hypothesis: '',
        expectedDelta: null,
        edits: [],
        runsBefore: 0,
      });
      open.push({ n, candidate });
    },
    reject: async (): Promise<void> => {
      await end(await begin(), 'rejected');
    },
    /** A further run of a candidate. */
    repeat: async (): Promise<void> => {
      const candidateId = known[random.below(known.length)]!;
      open.push({ n: await insert({ kind: 'confirm', candidateId }), candidate: candidateId });
    },
    inject: async (): Promise<void> => {
      const candidateId = `${id}-${random.below(20)}`;
      await bench.store.trial.saveCandidate({ id: candidateId, immutableHash: 'i', files: {} });
      open.push({ n: await insert({ kind: 'injected', candidateId, parentId: BASELINE }), candidate: candidateId });
    },
    /** A sample of a policy's evaluation, or a run of an ablation, which is no node. */
    evaluate: async (): Promise<void> => {
      const kind = KINDS_OUTSIDE_SEARCH[random.below(2)]!;
      const candidateId = `${id}-evaluated-${random.below(3)}`;
      await bench.store.trial.saveCandidate({ id: candidateId, immutableHash: 'i', files: {} });
      open.push({ n: await insert({ kind, candidateId, parentId: BASELINE }), candidate: null });
    },
    end: async (): Promise<void> => {
      const [trial] = open.splice(random.below(open.length), 1);
      if (!trial) return;
      await end(trial.n, ENDS[random.below(ENDS.length)]!);
      if (trial.candidate !== null) known.push(trial.candidate);
    },
  };
}

const opened = (id: string) => insertResearch(bench.db, id, { settings: settingsOf(task), seedRoot: id, lastN: 1000 });

/** Compares the stored tree with one that is computed from the trials, and with one that is filled anew. */
async function compare(id: string): Promise<void> {
  const tree = await recomputedTree(bench, id);
  expect(rounded(await storedTree(bench, id))).toEqual(rounded(tree));
  const research = await bench.store.research.findResearch(id);
  expect(research?.nodes).toBe(tree.length);
}

describe('the tree of a research', () => {
  test.each([1, 2, 3])(
    'equals a recomputation from its trials after each choice and outcome (seed %i)',
    async (seed) => {
      const id = `kept-${seed}`;
      await opened(id);
      const research = moves(id, seed);
      const draws = createRandom(seed * 31);
      await research.begin();
      const steps = [research.propose, research.propose, research.end, research.end, research.reject];
      const rare = [research.repeat, research.inject, research.evaluate];
      for (let step = 0; step < 50; step += 1) {
        const among = draws.below(5) === 0 ? rare : steps;
        await among[draws.below(among.length)]!();
        await compare(id);
      }
      const tree = await storedTree(bench, id);
      expect(tree.length).toBeGreaterThan(3);
      // A tree that is built anew from the trials is the same.
      await bench.store.withResearch(id, (tx, row) => fillTree(tx, { ...row, nodes: null }));
      expect(rounded(await storedTree(bench, id))).toEqual(rounded(tree as never));
    },
  );

  test('is filled before the first choice of a research that an older version began', async () => {
    await opened('older');
    const ended = { status: 'completed' as const, endedAt: new Date() };
    await bench.store.trial.saveCandidate({ id: 'older-a', immutableHash: 'i', files: {} });
    await storeTrials(bench.db, [
      trialRow('older', 1, { kind: 'baseline', candidateId: BASELINE, value: 4, ...ended }),
      trialRow('older', 2, { candidateId: 'older-a', parentId: BASELINE, value: 3, ...ended }),
      trialRow('older', 3, { parentId: 'older-a' }),
    ]);
    await storeTrials(bench.db, trialRow('older', 4));
    const begun = await beginProposal(bench.store, { trial: await bench.store.trial.loadTrial('older/4'), task });
    expect(begun.parentReason).toMatch(/^puct /);
    await compare('older');
    // A repeated call returns the stored choice and counts no second visit.
    const again = await beginProposal(bench.store, { trial: await bench.store.trial.loadTrial('older/4'), task });
    expect(again.parentId).toBe(begun.parentId);
    await compare('older');
  });

  test('is built again after a change of the task, from the trials under its metric', async () => {
    const input = await changeOn(bench)('switched', 'another');
    await bench.db
      .update(schema.researches)
      .set({ settings: settingsOf(task) })
      .where(eq(schema.researches.id, 'switched'));
    const research = moves('switched', 5);
    for (let i = 0; i < 6; i += 1) await research.propose();
    for (let i = 0; i < 3; i += 1) await research.end();
    await compare('switched');
    Object.assign(input.method, { settings: settingsOf(task) });
    await changeTask(bench.store, input);
    // Trials that began under the former metric end, and are no part of the new tree.
    await research.end();
    await research.propose();
    await compare('switched');
    for (let i = 0; i < 3; i += 1) await research.end();
    await compare('switched');
  });

  test('is not kept for a rule that does not read it', async () => {
    await insertResearch(bench.db, 'lead', { settings: settingsOf(TASK), lastN: 5 });
    await storeTrials(bench.db, trialRow('lead', 1));
    await beginProposal(bench.store, { trial: await bench.store.trial.loadTrial('lead/1'), task: TASK });
    expect(await storedTree(bench, 'lead')).toEqual([]);
    expect((await bench.store.research.findResearch('lead'))?.nodes).toBeNull();
  });
});
