import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { nothing, useAsked } from './support/asked.ts';

const { bench, ended } = useAsked();

test('what answers cost is known once, by the last that were scored, where a worker dies before its verdict', async () => {
  const counts = 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done';
  const { key, worker, kept } = await ended('dies', { answer: `read -r n; ${counts}; echo 2` });
  const cost = async (): Promise<number> => {
    const end = (await bench.store.run.findRun(key))?.end as { answerCpuSeconds?: number } | null | undefined;
    return end?.answerCpuSeconds ?? 0;
  };
  const reach = (point: string): void => {
    if (point === 'scored') throw new Error('died');
  };
  await expect(worker(null, { reach }).score()).rejects.toThrow('died');
  expect(await kept()).toEqual({ ...nothing, shortage: null });
  expect(await cost()).toBeGreaterThan(0);
  await bench.db.execute(
    sql`update runs set "end" = "end" || '{"answerCpuSeconds": 99}'::jsonb where trial_id = ${key.trialId}`,
  );
  await worker(null).score();
  expect(await kept()).toEqual({ status: 'completed', failure: null, shortage: null });
  expect(await cost()).toBeGreaterThan(0);
  expect(await cost()).toBeLessThan(99);
});
