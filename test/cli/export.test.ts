import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eq } from 'drizzle-orm';
import { points, runs, trials } from '../../db/schema.ts';
import { readCurves } from '../../tasks/read-curves.ts';
import { insertStory } from './support/lineage.ts';
import { startServer, type Lineage, type Server } from './support/database.ts';
import { runOn } from './support/cli.ts';

let server: Server;
let story: Lineage;
let completed: { id: string; value: number | null };

beforeAll(async () => {
  server = await startServer();
  story = await server.open();
  await insertStory(story.db, 'toy');
  const [first] = await story.db.select().from(trials).where(eq(trials.status, 'completed')).limit(1);
  if (!first) throw new Error('expected a completed trial in the story, found none');
  completed = first;
  await story.db
    .insert(runs)
    .values({ trialId: first.id, placement: first.placement ?? 0, host: 'h', slotId: 'local/0', fence: 1 });
  await story.db.insert(points).values(
    Array.from({ length: 30 }, (_, seq) => ({
      trialId: first.id,
      placement: first.placement ?? 0,
      seq,
      step: seq,
      elapsed: seq,
      value: seq === 3 ? Number.NaN : 5 - seq / 10,
    })),
  );
});

afterAll(async () => {
  await story.close();
  await server.stop();
});

describe('export curves', () => {
  it('writes a line for each ended run with a curve, in the form that replay reads', async () => {
    const { code, stdout } = await runOn(story.url, ['export', 'curves', 'toy']);
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    const line = JSON.parse(stdout) as Record<string, unknown>;
    expect(line).toMatchObject({ track: 'toy', run: completed.id, status: 'completed' });
    expect((line['train'] as unknown[])[3]).toEqual([3, 'nan']);
    const steps = line['steps'] as number;
    const { curves } = readCurves(JSON.stringify({ ...line, steps: Math.min(steps, 29) }));
    expect(curves[0]?.final).toBe(completed.value);
    expect(curves[0]?.points).toHaveLength(30);
  });

  it('refuses a research that is not there', async () => {
    const { code, stderr } = await runOn(story.url, ['export', 'curves', 'nobody']);
    expect(code).toBe(2);
    expect(stderr).toContain('Expected the id of a research');
  });
});
