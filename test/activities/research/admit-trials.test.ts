import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { admitTrials } from '../../support/database/admit-trials.ts';
import { advance, openGate } from '../../../domain/gate/gate.ts';
import { seriesOf } from '../../../domain/statistics/series.ts';
import { researches, taskVersions, trials, wantedRuns } from '../../../db/schema.ts';
import { BASELINE, CONFIG, insertResearch, TASK, trialRow, WINNER } from '../../cli/support/lineage.ts';
import { readAllEvents } from '../../db/event/read-all-events.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();

const ask = (researchId: string, key: string, room = 3) => ({
  researchId,
  key,
  room,
  activeSeconds: 0,
  proposals: true,
});
const lastN = async (id: string) =>
  (await bench.db.select().from(researches).where(eq(researches.id, id))).map((row) => row.lastN);

describe('an admission', () => {
  test('returns the same trials when it is repeated, and makes no others', async () => {
    await insertResearch(bench.db, 'same');
    const first = await admitTrials(bench.store, ask('same', 'k1'));
    expect(first.trials.map(({ n }) => n)).toEqual([1, 2, 3]);
    expect((await admitTrials(bench.store, ask('same', 'k1'))).trials).toEqual(first.trials);
    expect((await admitTrials(bench.store, ask('same', 'k1', 7))).trials).toEqual(first.trials);
    expect(await lastN('same')).toEqual([3]);
  });

  test('makes a research that starts one that runs, and leaves any other phase alone', async () => {
    const phaseAfter = async (id: string, phase: 'starting' | 'stopping', room: number) => {
      await insertResearch(bench.db, id, { phase });
      await admitTrials(bench.store, ask(id, 'k1', room));
      const [row] = await bench.db.select().from(researches).where(eq(researches.id, id));
      return row?.phase;
    };
    expect(await phaseAfter('starts', 'starting', 1)).toBe('running');
    expect(await phaseAfter('starts-nothing', 'starting', 0)).toBe('starting');
    expect(await phaseAfter('stops', 'stopping', 1)).toBe('stopping');
  });

  test('repeated at once from several workers is one admission', async () => {
    await insertResearch(bench.db, 'race');
    const stores = Array.from({ length: 6 }, () => bench.another());
    const all = await Promise.all(stores.map((store) => admitTrials(store, ask('race', 'k1'))));
    for (const admitted of all) expect(admitted).toEqual(all[0]);
    expect(await lastN('race')).toEqual([3]);
  });

  test("takes a person's idea before the runs that the gate asked for earlier", async () => {
    await insertResearch(bench.db, 'idea');
    const want = { researchId: 'idea', candidateId: BASELINE };
    await bench.db.insert(wantedRuns).values([
      { ...want, kind: 'confirm' },
      { ...want, kind: 'remeasure' },
      { ...want, kind: 'injected', proposal: { files: {}, hypothesis: 'mine' } },
    ]);
    const { trials: admitted } = await admitTrials(bench.store, ask('idea', 'k1', 2));
    expect(admitted.map(({ kind }) => kind)).toEqual(['injected', 'confirm']);
  });

  test('counts the hours without a claim anew from each claim', async () => {
    const id = 'barren';
    await insertResearch(bench.db, id, { budget: { counts: ['search'], whenSpent: 'stop', hoursWithoutClaim: 1 } });
    const afterHours = async (hours: number) => {
      const { trials: admitted, spent } = await admitTrials(bench.store, {
        ...ask(id, `k${hours}`, 1),
        activeSeconds: hours * 3600,
      });
      return spent ?? admitted.length;
    };
    expect(await afterHours(0.9)).toBe(1);
    expect(await afterHours(1)).toBe('budget.hoursWithoutClaim is spent: 1 of 1');
    const phase = { researchId: id, phase: 'running' as const, reason: null, window: 1 };
    await bench.store.research.recordPhase({ ...phase, activeSeconds: 1.5 * 3600 });
    const claim = { candidateId: WINNER, ofTrial: 1, previous: null, value: 1, sd: null, n: 1 };
    await bench.store.research.insertClaim({ researchId: id, ...claim, reason: 'better', by: 'gate' });
    expect(await afterHours(2.4)).toBe(1);
    expect(await afterHours(2.5)).toBe('budget.hoursWithoutClaim is spent: 1 of 1');
  });

  test('under other keys at once gives each trial a number of its own, without a gap', async () => {
    await insertResearch(bench.db, 'gap');
    const stores = Array.from({ length: 6 }, () => bench.another());
    const all = await Promise.all(stores.map((store, index) => admitTrials(store, ask('gap', `k${index}`, 2))));
    const numbers = all.flatMap(({ trials }) => trials.map(({ n }) => n)).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  });

  test('places trials of a task that was changed meanwhile in the pool of the new one', async () => {
    await insertResearch(bench.db, 'moved');
    const [version] = await bench.db.select().from(taskVersions).where(eq(taskVersions.hash, 'task-1'));
    if (!version) throw new Error('expected a version of the task');
    const resources = { ...TASK.run.resources, pool: 'gpu' };
    const task = { ...TASK, run: { ...TASK.run, resources } };
    await bench.db.insert(taskVersions).values({ ...version, hash: 'on-gpu', task });
    await bench.db.insert(wantedRuns).values({ researchId: 'moved', kind: 'baseline', candidateId: BASELINE });
    await bench.db.update(researches).set({ taskHash: 'on-gpu' }).where(eq(researches.id, 'moved'));
    const { trials: admitted } = await admitTrials(bench.store, ask('moved', 'k1', 2));
    const gpu = { taskHash: 'on-gpu', pool: 'gpu' };
    expect(admitted).toMatchObject([
      { kind: 'baseline', ...gpu },
      { kind: 'search', ...gpu },
    ]);
  });

  test('takes runs that the gate wants first, each once, and proposals within the budget', async () => {
    await insertResearch(bench.db, 'wants', { budget: { ...TASK.budget, trials: 2 } });
    const want = { researchId: 'wants', kind: 'baseline' as const, candidateId: BASELINE };
    await bench.db.insert(wantedRuns).values([want, want]);
    const first = await admitTrials(bench.store, ask('wants', 'k1', 3));
    expect(first.trials.map(({ kind }) => kind)).toEqual(['baseline', 'baseline', 'search']);
    const second = await admitTrials(bench.store, ask('wants', 'k2', 3));
    expect(second.trials.map(({ kind }) => kind)).toEqual(['search']);
    const third = await admitTrials(bench.store, ask('wants', 'k3', 3));
    expect(third).toMatchObject({ trials: [], spent: 'budget.trials is spent: 2 of 2', exhausted: false });
  });

  test('gives out no more proposals than their limit, and goes on if trials are refunded', async () => {
    const budget = { ...TASK.budget, trials: 10, proposals: 4 };
    await insertResearch(bench.db, 'proposes', { budget, admitted: { search: 2 }, lastN: 2 });
    expect((await admitTrials(bench.store, ask('proposes', 'k1'))).trials.map(({ n }) => n)).toEqual([3, 4]);
    const spent = 'budget.proposals is spent: 4 of 4';
    expect(await admitTrials(bench.store, ask('proposes', 'k2'))).toMatchObject({
      trials: [],
      spent,
      exhausted: false,
    });
    const admitted = { search: 10 };
    const all = { budget: { ...TASK.budget, trials: 10 }, admitted, lastN: 10, refunded: { search: 2 }, withoutNew: 2 };
    await insertResearch(bench.db, 'refunded', all);
    expect((await admitTrials(bench.store, ask('refunded', 'k1'))).trials.map(({ n }) => n)).toEqual([11, 12]);
  });

  test('gives out nothing once its runs have had their seconds on slots, wanted runs neither', async () => {
    await insertResearch(bench.db, 'slots', { budget: { ...TASK.budget, slotSeconds: 60 }, slotSeconds: 60.5 });
    await bench.db.insert(wantedRuns).values({ researchId: 'slots', kind: 'baseline', candidateId: BASELINE });
    const admitted = await admitTrials(bench.store, ask('slots', 'k1'));
    const spent = 'budget.slotSeconds is spent: 60.5 of 60';
    expect(admitted).toMatchObject({ trials: [], spent, exhausted: true });
    expect(admitted.board.budget.slotSeconds).toEqual({ spent: 60.5, limit: 60 });
  });

  test('lets a few proposals run beside a long baseline, and only the baseline while there may be none', async () => {
    const config = { ...CONFIG, baselineRuns: 10 };
    const open = async (id: string, more = {}) => {
      await insertResearch(bench.db, id, { gate: openGate(config, BASELINE).state, gateConfig: config, ...more });
      const want = { researchId: id, kind: 'baseline' as const, candidateId: BASELINE };
      await bench.db.insert(wantedRuns).values(Array.from({ length: 10 }, () => want));
    };
    const kinds = async (id: string, proposals = true) => {
      const order = [];
      for (let i = 0; i < 14; i += 1) {
        const { trials } = await admitTrials(bench.store, { ...ask(id, `k${i}`, 1), window: 2, proposals });
        order.push(trials[0]?.kind[0] ?? '-');
      }
      return order.join('');
    };
    await open('early');
    expect(await kinds('early')).toBe('bbbbsbbsbbsbbs');
    await open('wide');
    const first = await admitTrials(bench.store, ask('wide', 'k1', 6));
    expect(first.trials.map(({ kind }) => kind)).toEqual(Array.from({ length: 6 }, () => 'baseline'));
    await open('paused');
    expect(await kinds('paused', false)).toBe('bbbbbbbbbb----');
    await open('away', { endpointDown: 'connection refused' });
    expect(await kinds('away')).toBe('bbbbsbbbbbb---');
    await open('small', { budget: { ...TASK.budget, trials: 2 } });
    expect(await kinds('small')).toBe('bbbbbbbbbbss--');
    const counts = ['search' as const, 'injected' as const, 'baseline' as const];
    await open('counted baseline', { budget: { ...TASK.budget, trials: 30, counts } });
    expect(await kinds('counted baseline')).toBe('bbbbsbbsbbbbss');
    await open('by hand');
    const person = { researchId: 'by hand', kind: 'injected' as const, candidateId: BASELINE };
    await bench.db.insert(wantedRuns).values({ ...person, proposal: { parentId: BASELINE, hypothesis: 'mine' } });
    expect(await kinds('by hand')).toBe('bbbbbbbbbbisss');
  });

  test('counts what it gives out by kind, once, and decides by the counters of its research alone', async () => {
    await insertResearch(bench.db, 'counted', { budget: { ...TASK.budget, trials: 5, tokens: 100 } });
    await bench.db.insert(wantedRuns).values({ researchId: 'counted', kind: 'baseline', candidateId: BASELINE });
    const found = async () => (await bench.store.research.findResearch('counted'))?.admitted;
    for (const key of ['k1', 'k1']) await admitTrials(bench.store, ask('counted', key));
    expect(await found()).toEqual({ baseline: 1, search: 2 });
    await admitTrials(bench.store, ask('counted', 'k2', 2));
    expect(await found()).toEqual({ baseline: 1, search: 4 });
    await bench.store.research.updateResearch('counted', { admitted: { search: 5 } });
    expect(await admitTrials(bench.store, ask('counted', 'k3'))).toMatchObject({
      spent: 'budget.trials is spent: 5 of 5',
    });
    await bench.store.research.updateResearch('counted', { tokens: 100 });
    expect(await admitTrials(bench.store, ask('counted', 'k4'))).toMatchObject({ exhausted: true });
  });

  test('keeps one proposal under way while the endpoint is down, and nothing once the hours are spent', async () => {
    await insertResearch(bench.db, 'down', { endpointDown: 'connection refused' });
    const probe = await admitTrials(bench.store, ask('down', 'k1'));
    expect(probe).toMatchObject({ trials: [{ kind: 'search' }], endpointDown: 'connection refused' });
    expect(probe.trials).toHaveLength(1);
    expect(await admitTrials(bench.store, ask('down', 'k2'))).toMatchObject({ trials: [] });
    await insertResearch(bench.db, 'hours', { budget: { ...TASK.budget, hours: 1 } });
    await bench.db.insert(wantedRuns).values({ researchId: 'hours', kind: 'baseline', candidateId: BASELINE });
    const late = await admitTrials(bench.store, { ...ask('hours', 'k1'), activeSeconds: 3600 });
    expect(late).toMatchObject({ trials: [], exhausted: true, spent: 'budget.hours is spent: 1 of 1' });
    expect(await bench.db.select().from(trials).where(eq(trials.researchId, 'hours'))).toEqual([]);
  });
});

describe('at the end of the search', () => {
  /** A gate whose lead is far ahead, and whose race waits since earlier races took more runs than they had. */
  function waiting() {
    const gateConfig = { ...CONFIG, policy: 'noise-gated' as const, direction: 'maximize' as const };
    let gate = openGate(gateConfig, BASELINE).state;
    const feed = (kind: 'baseline' | 'search', candidateId: string, value: number): void => {
      const run = { kind, candidateId, parentId: BASELINE, ofTrial: null, seed: gate.counted.high + 1, value };
      gate = advance(gateConfig, { ...gate, effort: -20 }, { ...run, n: gate.counted.high + 1 }).state;
    };
    while (gate.calibrating) feed('baseline', BASELINE, Math.sin(gate.counted.high));
    feed('search', WINNER, 30);
    return { gate, gateConfig, lastN: gate.counted.high, admitted: { search: gate.searched } };
  }

  test('a lead that waits for its race is raced, once nothing runs any more, and once', async () => {
    const { gate, ...found } = waiting();
    const budget = { ...TASK.budget, trials: gate.searched };
    await insertResearch(bench.db, 'last', { ...found, gate, budget });
    await bench.db.insert(trials).values(trialRow('last', gate.counted.high));
    const early = await admitTrials(bench.store, ask('last', 'k1', 4));
    expect(early).toMatchObject({ trials: [], spent: expect.stringContaining('budget.trials is spent') as string });
    await bench.db.update(trials).set({ status: 'completed' }).where(eq(trials.researchId, 'last'));
    const race = await admitTrials(bench.store, ask('last', 'k2', 4));
    expect(race.trials).toHaveLength(4);
    expect(await admitTrials(bench.store, ask('last', 'k2', 4))).toMatchObject({ trials: race.trials });
    const rest = await admitTrials(bench.store, ask('last', 'k3', 40));
    const kinds = [...race.trials, ...rest.trials].map(({ kind }) => kind).sort();
    expect(kinds.join(' ')).toBe(`${'confirm '.repeat(6)}${'remeasure '.repeat(6)}`.trim());
  });

  test('a claim that is taken back has its events, and the board of the end does not show it', async () => {
    const { gate, ...found } = waiting();
    const winner = gate.subjects.find(({ candidateId }) => candidateId === WINNER)!;
    const values = [30, 30, -30];
    Object.assign(winner, { values, fresh: seriesOf(values), claimedOnTies: true });
    const claimed = { ...gate, incumbentId: WINNER, previousId: BASELINE };
    const budget = { ...TASK.budget, trials: gate.searched };
    await insertResearch(bench.db, 'false', { ...found, gate: claimed, budget });
    const end = await admitTrials(bench.store, ask('false', 'k1', 4));
    expect(end.board.best.candidateId).toBe(BASELINE);
    const reason = 'demoted: it was claimed since its runs agreed, and its 3 runs now differ';
    const [taken] = (await readAllEvents(bench.db, 'false')).filter(({ kind }) => kind === 'claim-taken-back');
    expect(taken?.data).toMatchObject({ candidateId: WINNER, inPlace: BASELINE, by: 'gate', reason });
    const [claim] = await bench.db.query.claims.findMany({ where: (row) => eq(row.researchId, 'false') });
    expect(claim).toMatchObject({ candidateId: BASELINE, reason: `the claim before it was ${reason}` });
  });

  test('there is no race if the budget forbids any run, or if more may be tried', async () => {
    const { gate, ...found } = waiting();
    await insertResearch(bench.db, 'late', { ...found, gate, budget: { ...TASK.budget, usd: 1 }, usd: 2 });
    expect(await admitTrials(bench.store, ask('late', 'k1'))).toMatchObject({ trials: [], exhausted: true });
    await insertResearch(bench.db, 'goes on', { ...found, gate, budget: { ...TASK.budget, trials: 50 } });
    const { trials: next } = await admitTrials(bench.store, ask('goes on', 'k1', 2));
    expect(next.map(({ kind }) => kind)).toEqual(['search', 'search']);
    for (const id of ['late', 'goes on']) expect((await bench.store.research.findResearch(id))?.gate.races).toEqual([]);
  });
});
