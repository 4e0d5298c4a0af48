import { z } from 'zod';
import { readSpend } from '../../../db/reads/page/spend/read-spend.ts';
import { readResearch, readResearches } from '../../../db/reads/read-research.ts';
import { SpendQuery, type Spend } from '../../api/spend.ts';
import { route } from '../route.ts';

export const spend = route({
  path: 'spend',
  input: z.strictObject(SpendQuery.shape),
  read: async ({ db, now, caches }, { research: researchId, by, ahead }): Promise<Spend | undefined> => {
    if (researchId === undefined)
      return readSpend(db, { researches: (await readResearches(db)).sound, by, ahead, now, readers: caches });
    const research = await readResearch(db, { researchId });
    return research && readSpend(db, { researches: [research], researchId, by, ahead, now, readers: caches });
  },
});
