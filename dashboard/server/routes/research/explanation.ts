import { z } from 'zod';
import { readAblations } from '../../../../db/reads/explanation/read-ablations.ts';
import { readResearch } from '../../../../db/reads/read-research.ts';
import type { Explanation } from '../../../api/research/explanation.ts';
import { route } from '../../route.ts';

export const explanation = route({
  path: 'research/:id/explanation',
  input: z.strictObject({ id: z.string() }),
  read: async ({ db, caches: { readExplanation } }, { id }): Promise<Explanation | undefined> => {
    const research = await readResearch(db, { researchId: id });
    return research && { ...(await readExplanation(db, research)), ablations: await readAblations(db, research) };
  },
});
