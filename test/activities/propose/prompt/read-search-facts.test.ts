import { expect, test } from 'vitest';
import { readSearchFacts } from '../../../../activities/propose/prompt/read-search-facts.ts';
import type { ActivityDeps } from '../../../../activities/deps.ts';
import { nodes } from '../../../../db/schema.ts';
import { NO_READS, type ContextReads } from '../../../../domain/search/context.ts';
import { BASELINE, insertResearch, storeTrials, trialRow } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';

const bench = useDatabase();
const ended = (value: number) => ({
  status: 'completed' as const,
  value,
  endedAt: new Date(),
  verdict: 'none' as const,
});

/** Stores candidates a, b, … with these parents and values; trial n makes the n-th, from 2. */
async function story(id: string, made: readonly [name: string, parent: string, value: number | null][]): Promise<void> {
  await insertResearch(bench.db, id, { lastN: made.length + 1 });
  const idOf = (name: string): string => (name === 'original' ? BASELINE : `${id} ${name}`);
  for (const [name] of made) {
    const files = { 'train.mjs': `const LR = 0.1; // ${name}\n` };
    await bench.store.trial.saveCandidate({ id: idOf(name), immutableHash: 'i', files });
  }
  await storeTrials(bench.db, [
    trialRow(id, 1, { kind: 'baseline', candidateId: BASELINE, ...ended(2) }),
    ...made.map(([name, parent, value], i) =>
      trialRow(id, i + 2, {
        candidateId: idOf(name),
        parentId: idOf(parent),
        hypothesis: `idea ${name}`,
        ...(value === null ? { status: 'crashed' as const, failure: 'exit-code' as const } : ended(value)),
      }),
    ),
  ]);
}

async function read(id: string, parent: string, reads: Partial<ContextReads>) {
  const research = await bench.store.research.findResearch(id);
  if (!research) return expect.unreachable();
  const deps = { store: bench.store } as unknown as ActivityDeps;
  const parentId = parent === 'original' ? BASELINE : `${id} ${parent}`;
  return readSearchFacts(deps, { research, parentId, reads: { ...NO_READS, ...reads }, minDelta: 0.01 });
}

test('the lineage has the ancestors of the parent, the leaders by their means, and the ideas by outcome', async () => {
  await story('tree', [
    ['a', 'original', 1.75],
    ['b', 'a', 1],
    ['c', 'original', 2.5],
    ['d', 'b', null],
    ['a', 'c', 1.25],
  ]);
  const { lineage, inspirations, stalls } = await read('tree', 'b', { lineage: 2 });
  expect(lineage).toMatchObject({
    path: [
      { n: null, value: 2, runs: 1 },
      { n: 2, value: 1.5, runs: 2, hypothesis: 'idea a' },
      { n: 3, value: 1, runs: 1, hypothesis: 'idea b' },
    ],
    isCut: false,
    leaders: [
      { n: 3, value: 1 },
      { n: 2, value: 1.5 },
    ],
    groups: [
      { outcome: 'better', trials: 3 },
      { outcome: 'worse', trials: 1, ideas: [{ n: 4, hypothesis: 'idea c' }] },
      { outcome: 'failed', trials: 1, ideas: [{ n: 5, hypothesis: 'idea d' }] },
    ],
  });
  expect(inspirations).toBeUndefined();
  expect(stalls).toEqual({ withoutBest: null, children: null });
});

test('a long line of ancestors is cut at its oldest end', async () => {
  const made = Array.from({ length: 40 }, (_, i): [string, string, number] => [
    `c${i}`,
    i === 0 ? 'original' : `c${i - 1}`,
    2,
  ]);
  await story('long', made);
  const { lineage } = await read('long', 'c39', { lineage: 1 });
  expect(lineage?.path).toHaveLength(30);
  expect(lineage?.isCut).toBe(true);
  expect(lineage?.path.at(-1)).toMatchObject({ n: 41, hypothesis: 'idea c39' });
});

test('inspirations are good candidates away from the parent, with the diff from its files', async () => {
  await story('far', [
    ['a', 'original', 1.5],
    ['b', 'a', 1.4],
    ['x', 'original', 1.6],
    ['y', 'x', 1.7],
  ]);
  const { inspirations } = await read('far', 'b', { inspirations: 2 });
  expect(inspirations?.map(({ n, niche, diff }) => [n, niche, diff.split('\n').slice(3, 5)])).toEqual([
    [5, null, ['-const LR = 0.1; // b', '+const LR = 0.1; // y']],
    [2, null, ['-const LR = 0.1; // b', '+const LR = 0.1; // a']],
  ]);
  const node = { researchId: 'far', seq: 1, depth: 1 };
  await bench.db.insert(nodes).values([
    { ...node, candidateId: 'far b', niche: 'island 1' },
    { ...node, candidateId: 'far a', niche: 'island 2' },
    { ...node, candidateId: 'far y', niche: 'island 1' },
  ]);
  const byNiche = await read('far', 'b', { inspirations: 1 });
  expect(byNiche.inspirations).toMatchObject([{ n: 2, niche: 'island 2' }]);
});

test('stalls count the trials that ran since the best one, and compare the last trials from the parent', async () => {
  await story('stuck', [
    ['a', 'original', 1.5],
    ['b', 'a', 1.7],
    ['c', 'a', null],
    ['d', 'a', 1.8],
    ['e', 'original', 2.2],
  ]);
  expect((await read('stuck', 'a', { stuck: 4, saturation: 3 })).stalls).toEqual({
    withoutBest: { trials: 4, since: 2 },
    children: { trials: 3, verdict: 'no better' },
  });
  expect((await read('stuck', 'original', { stuck: 5, saturation: 2 })).stalls).toEqual({
    withoutBest: null,
    children: null,
  });
  // No candidate beats the original.
  await story('never', [
    ['a', 'original', 2.5],
    ['b', 'original', 2.6],
  ]);
  expect((await read('never', 'original', { stuck: 2, saturation: 2 })).stalls).toEqual({
    withoutBest: { trials: 2, since: null },
    children: { trials: 2, verdict: 'worse' },
  });
});
