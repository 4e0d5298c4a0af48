import { z } from 'zod';
import { readResearchPage } from '../../../db/reads/page/research/read-research-page.ts';
import { readResearch } from '../../../db/reads/read-research.ts';
import { workflowUrl } from '../../../view/workflow-url.ts';
import type { Research } from '../../api/research.ts';
import { route } from '../route.ts';

export const research = route({
  path: 'research/:id',
  input: z.strictObject({ id: z.string() }),
  read: async ({ db, now, temporal, caches }, { id }): Promise<Research | undefined> => {
    const found = await readResearch(db, { researchId: id });
    if (!found) return undefined;
    const page = await readResearchPage(db, { research: found, now, readers: caches });
    return { ...page, temporalUrl: workflowUrl(temporal, id), now: now.toISOString() };
  },
});
