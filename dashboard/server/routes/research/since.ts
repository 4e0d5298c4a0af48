import { z } from 'zod';
import type { Tx } from '../../../../db/connect.ts';
import { metricView } from '../../../../db/reads/page/research/metric-view.ts';
import { readPosition } from '../../../../db/reads/page/series/read-position.ts';
import { readPeriod } from '../../../../db/reads/report/read-period.ts';
import { readResearch, readResearches, type ResearchView } from '../../../../db/reads/read-research.ts';
import { isCheck } from '../../../../domain/research/check-id.ts';
import { hasEnded } from '../../../../view/phase.ts';
import { standingOf } from '../../../../view/standing.ts';
import {
  SinceOneQuery,
  SinceQuery,
  type ResearchSince,
  type Since,
  type SinceOne,
} from '../../../api/research/since.ts';
import { route } from '../../route.ts';

const DAY_MS = 24 * 3_600_000;

const begin = (at: string | undefined, now: Date): Date => (at === undefined ? dayBefore(now) : new Date(at));

/** A day ago, on a full minute, so that the answers of a minute have one ETag. */
const dayBefore = (now: Date): Date => new Date(Math.floor(now.getTime() / 60_000) * 60_000 - DAY_MS);

export const since = route({
  path: 'researches/since',
  input: z.strictObject(SinceQuery.shape),
  read: async ({ db, now }, { at }): Promise<Since> => {
    const from = begin(at, now);
    const { sound } = await readResearches(db);
    const changed = sound.filter(
      ({ id, phase, updatedAt }) => !isCheck(id) && (!hasEnded(phase) || updatedAt.getTime() >= from.getTime()),
    );
    const researches: ResearchSince[] = [];
    for (const research of changed) researches.push(await readSince(db, { research, from, now }));
    return { since: from.toISOString(), researches, now: now.toISOString() };
  },
});

export const researchSince = route({
  path: 'research/:id/since',
  input: z.strictObject({ id: z.string(), ...SinceOneQuery.shape }),
  read: async ({ db, now }, { id, at, x: axis }): Promise<SinceOne | undefined> => {
    const research = await readResearch(db, { researchId: id });
    if (!research) return undefined;
    const from = begin(at, now);
    return {
      ...(await readSince(db, { research, from, now })),
      since: from.toISOString(),
      axis,
      x: await readPosition(db, { research, axis, at: from }),
      now: now.toISOString(),
    };
  },
});

async function readSince(
  db: Tx,
  { research, from, now }: { research: ResearchView; from: Date; now: Date },
): Promise<ResearchSince> {
  const { ended, claims, progress, stops, spend, slotShare } = await readPeriod(db, {
    research,
    from,
    now,
    isWhole: false,
  });
  return {
    id: research.id,
    metric: metricView(research.task),
    createdAt: research.createdAt.toISOString(),
    sd: standingOf(research).baseline?.sd ?? null,
    ended,
    claims: claims.length,
    progress,
    stops,
    spend,
    slotShare,
  };
}
