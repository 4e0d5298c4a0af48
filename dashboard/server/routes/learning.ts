import { z } from 'zod';
import { readLearningPage } from '../../../db/reads/page/learning/read-learning-page.ts';
import { readUpdatePage } from '../../../db/reads/page/learning/read-update-page.ts';
import { readResearch } from '../../../db/reads/read-research.ts';
import type { Learning, UpdateTrials } from '../../api/learning.ts';
import { route } from '../route.ts';

export const learning = route({
  path: 'research/:id/learning',
  input: z.strictObject({ id: z.string() }),
  read: async ({ db }, { id }): Promise<Learning | undefined> => {
    const research = await readResearch(db, { researchId: id });
    return research && readLearningPage(db, { research });
  },
});

const Version = z
  .string()
  .regex(/^\d{1,9}$/, 'expected the number of a version')
  .transform(Number);

export const update = route({
  path: 'research/:id/learning/:k',
  input: z.strictObject({ id: z.string(), k: Version }),
  read: async ({ db }, { id, k }): Promise<UpdateTrials | undefined> => {
    const research = await readResearch(db, { researchId: id });
    return research && readUpdatePage(db, { research, k });
  },
});
