import { z } from 'zod';
import { SERIES_AXES } from '../../../view/page/series/axis.ts';
import type { PeriodView } from '../../../view/report/period.ts';
import { At, Metric, Value } from '../shared.ts';

/** `at`: begin of the period; absent: 24 hours ago. */
export const SinceQuery = z.object({ at: At.optional() });

/** `x`: axis of the chart on which the begin is placed. */
export const SinceOneQuery = SinceQuery.extend({ x: z.enum(SERIES_AXES).default('trial') });

const Custom = <T>() => z.custom<T>((value) => value === null || typeof value === 'object');

/** A research in a period: figures of `perpetua report --json --since`, without the texts of its claims. */
export const ResearchSince = z.object({
  id: z.string(),
  metric: Metric,
  createdAt: At,
  /** Standard deviation of one run of the unmodified version, which gives the digits of its values. */
  sd: Value,
  ended: Custom<PeriodView['ended']>(),
  claims: z.int(),
  progress: Custom<PeriodView['progress']>(),
  stops: Custom<PeriodView['stops']>(),
  spend: Custom<PeriodView['spend']>(),
  slotShare: Value,
});
export type ResearchSince = z.infer<typeof ResearchSince>;

/** `GET research/:id/since?at=&x=`: a research in the period from `since` to now; `x`: its begin on the axis. */
export const SinceOne = ResearchSince.extend({ since: At, axis: z.enum(SERIES_AXES), x: z.number(), now: At });
export type SinceOne = z.infer<typeof SinceOne>;

/** `GET researches/since?at=`: the researches that changed in the period, in the order of the list. */
export const Since = z.object({ since: At, researches: z.array(ResearchSince), now: At });
export type Since = z.infer<typeof Since>;
