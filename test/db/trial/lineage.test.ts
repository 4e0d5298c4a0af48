import { describe, expect, test } from 'vitest';
import { candidates, trials } from '../../../db/schema.ts';
import { BASELINE, insertResearch, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();
const owned = ['random', 'person'];

/** True if `asked` has written code in a research with these trials. `made`: candidate, parent, proposer. */
async function written(id: string, asked: string, made: [string, string | null, string | null][]): Promise<boolean> {
  await insertResearch(bench.db, id, { lastN: made.length });
  const row = { immutableHash: 'i', files: {} };
  const ids = made.map(([candidate]) => ({ id: candidate, ...row }));
  await bench.db.insert(candidates).values(ids).onConflictDoNothing();
  await bench.db
    .insert(trials)
    .values(
      made.map(([candidateId, parentId, proposer], i) => trialRow(id, i + 1, { candidateId, parentId, proposer })),
    );
  return bench.store.trial.hasForeignEdits({ researchId: id, candidateId: asked, owned });
}

describe('a candidate has written code', () => {
  test('if a model made it', async () => {
    expect(await written('model', 'a', [['a', BASELINE, 'llm']])).toBe(true);
  });

  test('if its knobs were drawn from a candidate of a model, over any number of candidates', async () => {
    const line: [string, string, string][] = [
      ['a', BASELINE, 'random'],
      ['b', 'a', 'llm'],
      ['c', 'b', 'random'],
      ['d', 'c', 'random'],
      ['e', BASELINE, 'random'],
    ];
    expect(await written('line', 'd', line)).toBe(true);
    const asked = ['a', 'b', 'c', 'e'].map((candidateId) =>
      bench.store.trial.hasForeignEdits({ researchId: 'line', candidateId, owned }),
    );
    expect(await Promise.all(asked)).toEqual([false, true, true, false]);
  });

  test('if one of its several proposers was a model', async () => {
    const twice: [string, string, string][] = [
      ['a', BASELINE, 'random'],
      ['a', BASELINE, 'llm'],
    ];
    expect(await written('twice', 'a', twice)).toBe(true);
  });

  test('only if a model is in its line, even in a circular one', async () => {
    const circle: [string, string, string][] = [
      ['a', 'b', 'random'],
      ['b', 'a', 'random'],
    ];
    expect(await written('circle', 'a', circle)).toBe(false);
  });
});

describe('a candidate has no written code', () => {
  test('if a person injected it', async () => {
    expect(await written('person', 'a', [['a', BASELINE, 'person']])).toBe(false);
  });

  test('if it is the baseline, even if a model proposed it again', async () => {
    const runs: [string, string | null, string | null][] = [
      [BASELINE, null, null],
      ['a', BASELINE, 'llm'],
      [BASELINE, 'a', 'llm'],
      ['b', BASELINE, 'random'],
    ];
    expect(await written('owner', BASELINE, runs)).toBe(false);
    expect(await bench.store.trial.hasForeignEdits({ researchId: 'owner', candidateId: 'b', owned })).toBe(false);
  });

  test('if only another research has it from a model', async () => {
    await written('theirs', 'a', [['a', BASELINE, 'llm']]);
    expect(await written('ours', 'a', [['a', BASELINE, 'random']])).toBe(false);
  });
});
