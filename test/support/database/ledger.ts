import { expect, vi } from 'vitest';
import { processesOf } from '../../../bench/support/processes-of.ts';
import type { TestStack } from '../stack.ts';

export { processesOf };

/** Trials, curves and counts of a research, read by SQL to check them after a fault. */
export async function readLedger(stack: Pick<TestStack, 'query'>, researchId: string) {
  const trials = await stack.query<{
    n: number;
    kind: string;
    status: string | null;
    value: number | null;
    verdict: string;
    seed: string;
  }>('select n, kind, status, value, verdict, seed::text from trials where research_id = $1 order by n', [researchId]);
  const curves = await stack.query<{ steps: string }>(
    `select string_agg(step::text, ' ' order by seq) as steps
     from points join trials on trials.id = points.trial_id and trials.placement = points.placement
     where research_id = $1 group by trials.n order by trials.n`,
    [researchId],
  );
  const [counts] = await stack.query<Record<string, number>>(
    `select
       (select count(*) from runs join trials on trials.id = runs.trial_id where research_id = $1)::int as runs,
       (select count(*) from slots where state = 'leased')::int as leased,
       (select coalesce(sum(repeated), 0)
        from calls join trials on trials.id = calls.trial_id where research_id = $1)::int as repeated`,
    [researchId],
  );
  return { trials, curves: curves.map(({ steps }) => steps), counts: counts ?? {} };
}

/** Waits until no slot is held: a trial may be counted a moment before its slot is free. */
export const expectSlotsFree = ({ query }: Pick<TestStack, 'query'>): Promise<void> =>
  // Not `expect.poll`, which tests beside each other cannot share.
  vi.waitFor(
    async () => expect(await query(`select id, trial_id from slots where state = 'leased'`)).toEqual([]),
    60_000,
  );

/** Expects one event for the admission, the start and the end of each trial, whatever died meanwhile. */
export async function expectEventsOnce({ query }: Pick<TestStack, 'query'>, researchId: string): Promise<void> {
  const recorded = await query<{ n: number; kind: string }>(
    `select n, kind from events
     where research_id = $1 and kind in ('trial-admitted', 'trial-started', 'trial-ended') order by n, kind`,
    [researchId],
  );
  const happened = await query<{ n: number; kind: string }>(
    `select n, has.kind from trials, lateral (values ('trial-admitted', true),
       ('trial-started', started_at is not null), ('trial-ended', status is not null)) has (kind, so)
     where research_id = $1 and so order by n, has.kind`,
    [researchId],
  );
  expect(recorded).toEqual(happened);
}

interface Judged {
  n: number;
  kind: string;
  value: number;
  verdict: string;
}

/**
 * Expects each completed trial to have the verdict of a strict gate, worked out again: the baseline first, then in the
 * order of their ends. One statement reads them all, since a research may go on meanwhile.
 */
export async function expectStrictVerdicts({ query }: Pick<TestStack, 'query'>, researchId: string): Promise<void> {
  const trials = await query<Judged>(
    `select n, kind, value, verdict from trials where research_id = $1 and status = 'completed'
     order by kind = 'baseline' desc, ended_at`,
    [researchId],
  );
  let best = -Infinity;
  const expected = trials.map(({ n, kind, value }) => {
    const better = value > best;
    if (better) best = value;
    if (kind === 'baseline') return { n, verdict: 'none' };
    return { n, verdict: better ? 'keep' : 'discard' };
  });
  expect(trials.length).toBeGreaterThan(0);
  expect(trials.map(({ n, verdict }) => ({ n, verdict }))).toEqual(expected);
}

/** Time for a supervisor to clean up and exit after the end of its run. A process that stays longer is a leftover. */
const LINGERS_MS = 60_000;

/** Expects that no process of this home is left. */
export const expectNoProcesses = (home: string, marker?: string): Promise<void> =>
  expect.poll(() => processesOf(home, marker), { timeout: LINGERS_MS }).toEqual([]);
