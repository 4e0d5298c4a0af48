import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { settle } from '../../../../activities/outcome/settle.ts';
import { claims, trials } from '../../../../db/schema.ts';
import type { OutcomeInput } from '../../../../db/trial/outcome.ts';
import { BASELINE, insertResearch, storeTrials, trialRow, WINNER } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { outcomeOf } from '../support/outcome-of.ts';

const bench = useDatabase();

/** Inserts a research with a baseline of 2, and runs 4, 5 and 6 of one candidate, of which 5 and 6 are copies. */
async function researchWithCopies(id: string): Promise<void> {
  await insertResearch(bench.db, id);
  const baseline = [1, 2, 3].map((n) => trialRow(id, n, { kind: 'baseline', candidateId: BASELINE }));
  const runs = [4, 5, 6].map((n) =>
    trialRow(id, n, { candidateId: WINNER, parentId: BASELINE, runsBefore: n - 4, proposer: 'policy' }),
  );
  await storeTrials(bench.db, [...baseline, ...runs]);
  for (const n of [1, 2, 3]) await end(id, n, { value: 2 });
}

const end = (id: string, n: number, more: Partial<OutcomeInput>) => settle(bench.store, outcomeOf(id, n, more));
const crash = { status: 'crashed', failure: { label: 'exit-code', message: 'so' } } as const;

async function conclusionsOf(id: string) {
  const rows = await bench.db
    .select({ n: trials.n, verdict: trials.verdict })
    .from(trials)
    .where(eq(trials.researchId, id))
    .orderBy(trials.n);
  const { gate, withoutNew } = (await bench.store.research.findResearch(id)) ?? expect.unreachable();
  const claimed = await bench.db.select({ ofTrial: claims.ofTrial }).from(claims).where(eq(claims.researchId, id));
  return { verdicts: rows.slice(3).map(({ verdict }) => verdict), searched: gate.searched, withoutNew, claimed };
}

test('a candidate is judged once, by the run that ends first, whichever it is', async () => {
  await researchWithCopies('in order');
  for (const n of [4, 5, 6]) await end('in order', n, { value: 1 });
  const judged = { searched: 1, claimed: [{ ofTrial: 4 }] };
  expect(await conclusionsOf('in order')).toEqual({ ...judged, withoutNew: 2, verdicts: ['keep', 'none', 'none'] });
  await researchWithCopies('copy first');
  for (const n of [5, 4, 6]) await end('copy first', n, { value: 1 });
  expect(await conclusionsOf('copy first')).toEqual({
    searched: 1,
    withoutNew: 1,
    claimed: [{ ofTrial: 5 }],
    verdicts: ['none', 'keep', 'none'],
  });
});

test('a candidate whose first run failed stays out, whatever its copies give', async () => {
  await researchWithCopies('out');
  await end('out', 4, crash);
  await end('out', 5, { value: 0.1 });
  await end('out', 6, crash);
  expect(await conclusionsOf('out')).toMatchObject({ searched: 0, claimed: [], verdicts: ['discard', 'none', 'none'] });
});

test('the first run of a candidate counts as such if a machine lost the one before', async () => {
  await researchWithCopies('lost');
  await end('lost', 4, { status: 'lost', failure: { label: 'machine-lost', message: 'gone' } });
  await end('lost', 5, { value: 1 });
  expect(await conclusionsOf('lost')).toMatchObject({ searched: 1, claimed: [{ ofTrial: 5 }] });
});
