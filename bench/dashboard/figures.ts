import type pg from 'pg';
import { FIGURES, type FigureName } from '../../dashboard/api/figures.ts';
import type { Research } from '../../dashboard/api/research.ts';
import { research } from '../../dashboard/server/routes/research.ts';
import { connect } from '../../db/connect.ts';
import { createPageCaches } from '../../db/reads/page/page-caches.ts';

export type Value = number | null;
/** Functions that read a figure from an answer. */
export type FigureReaders<Data> = Partial<Record<FigureName, (data: Data) => Value>>;

/** Figures of the page of a research. */
export const RESEARCH_FIGURES: FigureReaders<Research> = {
  'trials.started': ({ status }) => status.trials.started,
  'trials.ended': ({ status }) => status.trials.ended,
  'trials.running': ({ status }) => status.trials.running,
  'trials.completed': ({ status }) => status.trials.byStatus.completed,
  'trials.aborted': ({ status }) => status.trials.byStatus.aborted,
  'trials.cancelled': ({ status }) => status.trials.cancelled,
  'trials.crashed': ({ status }) => status.trials.byStatus.crashed,
  'trials.timed_out': ({ status }) => status.trials.byStatus.timed_out,
  'trials.diverged': ({ status }) => status.trials.byStatus.diverged,
  'trials.rejected': ({ status }) => status.trials.byStatus.rejected,
  'trials.cached': ({ status }) => status.trials.byStatus.cached,
  'trials.lost': ({ status }) => status.trials.byStatus.lost,
  'verdicts.keep': ({ status }) => status.verdicts.keep,
  'verdicts.absorbed': ({ status }) => status.verdicts.absorbed,
  'verdicts.discard': ({ status }) => status.verdicts.discard,
  'verdicts.confirm': ({ status }) => status.verdicts.confirm,
  'verdicts.none': ({ status }) => status.verdicts.none,
  'best.value': ({ status }) => status.best?.value ?? null,
  'baseline.value': ({ status }) => status.baseline?.value ?? null,
  'baseline.sd': ({ status }) => status.baseline?.sd ?? null,
  'baseline.n': ({ status }) => status.baseline?.n ?? null,
  'lead.value': ({ status }) => status.lead?.value ?? status.best?.value ?? null,
  'rawBest.value': ({ status }) => status.gain.raw?.value ?? null,
  'claims.made': ({ claims }) => claims.length,
  'races.running': ({ status }) => status.races.length,
  'abort.stopped': ({ status }) => status.earlyAbort?.stopped ?? 0,
  'abort.savedSeconds': ({ status }) => status.earlyAbort?.savedSeconds ?? 0,
  'research.window': ({ status }) => status.window,
  'research.activeSeconds': ({ status }) => status.activeSeconds,
  'budget.trials': ({ status }) => status.budget.trials.spent,
  'budget.proposals': ({ status }) => status.budget.proposals.spent,
  'budget.hours': ({ status }) => status.budget.hours.spent,
  'budget.slotSeconds': ({ status }) => status.budget.slotSeconds.spent,
  'budget.tokens': ({ status }) => status.budget.tokens.spent,
  'budget.usd': ({ status }) => status.budget.usd.spent,
  'limit.trials': ({ status }) => status.budget.trials.limit,
  'limit.proposals': ({ status }) => status.budget.proposals.limit,
  'limit.hours': ({ status }) => status.budget.hours.limit,
  'limit.slotSeconds': ({ status }) => status.budget.slotSeconds.limit,
  'limit.tokens': ({ status }) => status.budget.tokens.limit,
  'limit.usd': ({ status }) => status.budget.usd.limit,
  'slots.total': ({ status }) => status.slots.total,
  'slots.leased': ({ status }) => status.slots.leased,
  'rates.requests': ({ status }) => status.rates?.requests ?? 0,
  'rates.answers': ({ status }) => status.rates?.answers ?? 0,
  'rates.badRate': ({ status }) => status.rates?.badRate ?? null,
  'rates.duplicateRate': ({ status }) => status.rates?.duplicateRate ?? null,
  'rates.limitedRate': ({ status }) => status.rates?.limitedRate ?? null,
  'rates.usdPerClaim': ({ status }) => status.rates?.perClaim?.usd ?? null,
  'rates.tokensPerClaim': ({ status }) => status.rates?.perClaim?.tokens ?? null,
  'rates.latencyP50': ({ status }) => status.rates?.latencySeconds?.p50 ?? null,
  'rates.latencyP95': ({ status }) => status.rates?.latencySeconds?.p95 ?? null,
  'spend.usd': ({ status }) => status.spend.usd,
  'spend.tokens': ({ status }) => status.spend.tokens,
  'spend.slotSeconds': ({ status }) => status.spend.slotSeconds,
};

/** Value of a figure by its SQL, with as many of the parameters as the SQL has. Throws unless it gives one value. */
export async function valueOfFigure(
  client: Pick<pg.Client, 'query'>,
  name: FigureName,
  parameters: readonly (string | null)[],
): Promise<Value> {
  const text = FIGURES[name];
  const most = Math.max(0, ...[...text.matchAll(/\$(\d)/g)].map(([, digit]) => Number(digit)));
  const { rows, fields } = await client.query<{ value: Value }>(text, parameters.slice(0, most));
  if (rows.length !== 1 || fields.length !== 1)
    throw new Error(`Expected one number of ${name}, got ${rows.length} rows of ${fields.length} columns`);
  return rows[0]?.value ?? null;
}

/** Figures of the page of a research that differ from their SQL, in words. The database must not change meanwhile. */
export async function findDifferingFigures(databaseUrl: string, researchId: string): Promise<string[]> {
  const { db, pool, close } = connect(databaseUrl, { max: 2, onError: () => undefined });
  try {
    const now = new Date();
    const page = await db.transaction(
      (tx) =>
        research.read(
          {
            db: tx,
            now,
            home: '/nowhere',
            temporal: null,
            caches: createPageCaches(),
            lookAtTemporal: () => ({ state: 'unknown', oldestTaskSeconds: null }),
          },
          research.input.parse({ id: researchId }),
        ),
      { isolationLevel: 'repeatable read', accessMode: 'read only' },
    );
    if (page === undefined) throw new Error(`Expected a research ${researchId}, found none`);
    const differ: string[] = [];
    for (const [name, read] of Object.entries(RESEARCH_FIGURES) as [FigureName, (data: Research) => Value][]) {
      const [shown, queried] = [read(page), await valueOfFigure(pool, name, [researchId, now.toISOString()])];
      if (!isSame(shown, queried)) differ.push(`${researchId}: ${name} is ${queried}, the page has ${shown}`);
    }
    return differ;
  } finally {
    await close();
  }
}

/** Compares two values with a tolerance, since Postgres adds up in another order. */
const isSame = (one: Value, other: Value): boolean =>
  one === other || (one !== null && other !== null && Math.abs(one - other) <= 1e-9 * Math.abs(one));
