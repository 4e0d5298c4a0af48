import { z } from 'zod';
import { readSeries } from '../../../db/reads/page/series/read-series.ts';
import { readResearch } from '../../../db/reads/read-research.ts';
import { SeriesQuery, type Series } from '../../api/series.ts';
import { route } from '../route.ts';

export const series = route({
  path: 'research/:id/series',
  input: z.strictObject({ id: z.string(), ...SeriesQuery.shape }),
  read: async ({ db, now, caches }, { id, x, buckets }): Promise<Series | undefined> => {
    const research = await readResearch(db, { researchId: id });
    return research && readSeries(db, { research, axis: x, buckets, now, readers: caches });
  },
});
