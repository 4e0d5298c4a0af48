import { z } from 'zod';
import { readAttention } from '../../../db/reads/attention/read-attention.ts';
import { readEventLag, readResearchList } from '../../../db/reads/page/research/read-research-list.ts';
import type { Researches } from '../../api/researches.ts';
import { route } from '../route.ts';

export const researches = route({
  path: 'researches',
  input: z.strictObject({}),
  read: async ({ db, now }): Promise<z.infer<typeof Researches>> => {
    const { lines, researches: all, damaged } = await readResearchList(db);
    return {
      researches: lines,
      damaged,
      ...(await readAttention(db, { researches: all, now })),
      now: now.toISOString(),
      heldBackSeconds: await readEventLag(db, now),
    };
  },
});
