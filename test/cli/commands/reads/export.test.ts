import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { and, eq } from 'drizzle-orm';
import { points, runs, trials } from '../../../../db/schema.ts';
import { readCurves } from '../../../../tasks/curves/read-curves.ts';
import { insertStory, trialRow, WINNER, storeTrials } from '../../support/lineage.ts';
import { sharedServer, type Lineage, type Server } from '../../support/database.ts';
import { runOn } from '../../support/cli.ts';

let server: Server;
let story: Lineage;
let completed: { id: string; value: number | null };

beforeAll(async () => {
  server = sharedServer();
  story = await server.open();
  await insertStory(story.db, 'toy');
  const [first] = await story.db
    .select()
    .from(trials)
    .where(and(eq(trials.status, 'completed'), eq(trials.kind, 'search')))
    .limit(1);
  if (!first) throw new Error('expected a completed trial in the story, found none');
  completed = first;
  await insertCurve(first);
  // A rule does not learn from runs that the gate requested.
  const confirm = trialRow('toy', 7, { kind: 'confirm', candidateId: WINNER, status: 'completed', value: 1.6 });
  await storeTrials(story.db, confirm);
  await insertCurve({ id: confirm.id, placement: 0 });
});

/** Stores a curve of twenty lines that ends at three quarters of the budget of one second. */
async function insertCurve({ id, placement }: { id: string; placement: number }): Promise<void> {
  await story.db.insert(runs).values({ jobId: id, placement, host: 'h', slotId: 'local/0', fence: 1 });
  await story.db.insert(points).values(
    Array.from({ length: 20 }, (_, seq) => ({
      jobId: id,
      placement,
      seq,
      step: seq,
      elapsed: seq / 25,
      value: seq === 3 ? Number.NaN : 5 - seq / 10,
    })),
  );
}

afterAll(async () => {
  await story.close();
});

describe('export curves', () => {
  it('writes a line for each proposal with a curve, and replay reads it as it is', async () => {
    const { code, stdout } = await runOn(story.url, ['export', 'curves', 'toy']);
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    const line = JSON.parse(stdout) as Record<string, unknown>;
    expect(line).toMatchObject({ track: 'toy', run: completed.id, status: 'completed', curveDirection: 'minimize' });
    expect((line['train'] as unknown[])[3]).toEqual([0.12, 'nan']);
    const { curves, skipped } = readCurves(stdout);
    expect(skipped).toEqual([]);
    expect(curves[0]).toMatchObject({ final: completed.value, budget: { kind: 'steps', total: 1 } });
    expect(curves[0]?.points).toHaveLength(20);
    expect(curves[0]?.points.at(-1)).toEqual({ step: 0.76, elapsed: 0.76, value: 3.1 });
  });

  it('marks a curve as not whole if the time of a line is unknown, since no rule learns from it', async () => {
    const seen = and(eq(points.jobId, completed.id), eq(points.seq, 7));
    await story.db.update(points).set({ elapsed: Number.NaN }).where(seen);
    const { skipped } = readCurves((await runOn(story.url, ['export', 'curves', 'toy'])).stdout);
    await story.db.update(points).set({ elapsed: 0.28 }).where(seen);
    const reason = 'it has "whole": false (the run did not end, or the time of a line is unknown)';
    expect(skipped).toEqual([{ line: 1, reason }]);
  });

  it('refuses an unknown research', async () => {
    const { code, stderr } = await runOn(story.url, ['export', 'curves', 'nobody']);
    expect(code).toBe(2);
    expect(stderr).toContain('Expected the id of a research');
  });
});
