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
import {
  type NicheOf,
  recomputedTree,
  rounded,
  storedNiches,
  storedTree,
} from '../../../support/database/tree-oracle.ts';
import { changeOn } from '../../research/change/support.ts';

const bench = useDatabase();
const described = {
  ...TASK,
  secondary: [{ name: 'size' }],
  knobs: [{ file: 'train.mjs', name: 'LR', type: 'float', range: [0, 1] }],
};
const task = Task.parse({ ...TASK, search: { parent: 'puct' } });
const onIslands = Task.parse({
  ...described,
  search: { parent: { name: 'islands', count: 3, migration: 0.3, patience: 1 } },
});
const inCells = Task.parse({
  ...described,
  search: {
    parent: {
      name: 'map-elites',
      by: [
        { metric: 'size', edges: [10, 20] },
        { knob: 'LR', edges: [0.5] },
      ],
    },
  },
});
const SCORED = Array.from({ length: 8 }, () => 'completed' as const);
/** Outcomes, two in three with a score. */
const ENDS: readonly TrialStatus[] = [...SCORED, 'crashed', 'lost', 'aborted', 'cached'];

/** A learning rate of a candidate; the files of every fourth one have none. */
const rateOf = (id: string): number | null => {
  const number = Number(/\d+$/.exec(id)?.[0]);
  return number % 4 === 0 ? null : (number % 10) / 10;
};

/** Its knobs, as a proposal stores them. */
const knobsOf = (id: string) => {
  const rate = rateOf(id);
  return rate === null ? {} : { 'train.mjs:LR': rate };
};

const filesOf = (id: string) => ({ 'train.mjs': `const LR = ${rateOf(id) ?? 'unknown()'};\n// ${id}\n` });

/** A research with moves of which each is a transaction of the product. */
function moves(id: string, seed: number, task: Task) {
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
      metrics: random.below(4) === 0 ? {} : { size: 5 * random.below(6) },
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
        candidate: { id: candidate, immutableHash: 'i', files: filesOf(candidate) },
        knobs: knobsOf(candidate),
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
      await bench.store.trial.saveCandidate({ id: candidateId, immutableHash: 'i', files: filesOf(candidateId) });
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

const opened = (id: string, method: Task) =>
  insertResearch(bench.db, id, { settings: settingsOf(method), seedRoot: id, lastN: 1000 });

/** Compares the stored tree with one that is computed from the trials, and with one that is filled anew. */
async function compare(id: string, nicheOf?: NicheOf): Promise<void> {
  const tree = await recomputedTree(bench, id, nicheOf);
  expect(rounded(await storedTree(bench, id))).toEqual(rounded(tree));
  const research = await bench.store.research.findResearch(id);
  expect(research?.nodes).toBe(tree.length);
}

const islandOf: NicheOf = ({ candidateId, niche }, { seq, parentNiche }) =>
  candidateId === BASELINE ? null : (niche ?? parentNiche ?? `island ${(seq % 3) + 1}`);

const cellOf: NicheOf = ({ candidateId, metrics }) => {
  const rate = candidateId === BASELINE ? 0.1 : rateOf(candidateId!);
  const bin = (value: unknown, bins: readonly (readonly [number, string])[]): string =>
    typeof value === 'number' ? bins.find(([edge]) => value < edge)![1] : 'missing';
  const size = bin(metrics?.['size'], [
    [10, '<10'],
    [20, '10–20'],
    [Infinity, '≥20'],
  ]);
  const speed = bin(rate, [
    [0.5, '<0.5'],
    [Infinity, '≥0.5'],
  ]);
  return `size ${size}, LR ${speed}`;
};

describe('the tree of a research', () => {
  test.each([
    { name: 'puct', seed: 1, steps: 50, method: task },
    { name: 'puct', seed: 2, steps: 50, method: task },
    { name: 'islands', seed: 3, steps: 100, method: onIslands, nicheOf: islandOf },
    { name: 'map-elites', seed: 4, steps: 50, method: inCells, nicheOf: cellOf },
  ])(
    'equals a recomputation from its trials after each choice and outcome ($name, seed $seed)',
    async ({ seed, steps: count, method, nicheOf }) => {
      const id = `kept-${seed}`;
      await opened(id, method);
      await bench.db.update(schema.taskVersions).set({ task: method }).where(eq(schema.taskVersions.hash, 'task-1'));
      const research = moves(id, seed, method);
      const draws = createRandom(seed * 31);
      await research.begin();
      const steps = [research.propose, research.propose, research.end, research.end, research.reject];
      const rare = [research.repeat, research.inject, research.evaluate];
      for (let step = 0; step < count; step += 1) {
        const among = draws.below(5) === 0 ? rare : steps;
        await among[draws.below(among.length)]!();
        await compare(id, nicheOf);
      }
      const tree = await storedTree(bench, id);
      const niches = await storedNiches(bench, id);
      expect(tree.length).toBeGreaterThan(3);
      expect(niches.length > 2).toBe(nicheOf !== undefined);
      expect(niches.some(({ isActive }) => !isActive)).toBe(nicheOf === islandOf);
      // A tree that is built anew from the trials is the same.
      await bench.store.withResearch(id, (tx, row) => fillTree(tx, { ...row, nodes: null }));
      expect(rounded(await storedTree(bench, id))).toEqual(rounded(tree as never));
      expect(await storedNiches(bench, id)).toEqual(niches);
      await bench.db.update(schema.taskVersions).set({ task: TASK }).where(eq(schema.taskVersions.hash, 'task-1'));
    },
  );

  test('is filled before the first choice of a research that an older version began', async () => {
    await opened('older', task);
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
    const research = moves('switched', 5, task);
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
