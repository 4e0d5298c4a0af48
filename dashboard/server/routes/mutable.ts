import { z } from 'zod';
import { readCandidateFiles } from '../../../db/reads/read-files.ts';
import { readResearch } from '../../../db/reads/read-research.ts';
import type { Mutable } from '../../api/steer/steering.ts';
import { route } from '../route.ts';

export const mutable = route({
  path: 'research/:id/mutable',
  input: z.strictObject({ id: z.string() }),
  read: async ({ db }, { id }): Promise<Mutable | undefined> => {
    const research = await readResearch(db, { researchId: id });
    if (!research) return undefined;
    const files = (await readCandidateFiles(db, { candidateId: research.gate.incumbentId })) ?? {};
    return { files: research.mutablePaths.map((path) => ({ path, text: files[path]?.toString('utf8') ?? '' })) };
  },
});
