import { z } from 'zod';
import { readTree } from '../../../db/reads/page/tree/read-tree.ts';
import { readResearch } from '../../../db/reads/read-research.ts';
import { TreeQuery, type Tree } from '../../api/tree.ts';
import { route } from '../route.ts';

export const tree = route({
  path: 'research/:id/tree',
  input: z.strictObject({ id: z.string(), ...TreeQuery.shape }),
  read: async ({ db, caches: { readLineage } }, { id, root, depth }): Promise<Tree | undefined> => {
    const research = await readResearch(db, { researchId: id });
    return research && readTree(db, { research, root, depth, readLineage });
  },
});
