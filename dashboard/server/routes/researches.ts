import { z } from 'zod';
import { readAttention } from '../../../db/reads/page/research/read-attention.ts';
import { readHeldBack, readList } from '../../../db/reads/page/research/read-list.ts';
import { byCause } from '../../../view/page/research/by-cause.ts';
import type { Researches } from '../../api/researches.ts';
import { route } from '../route.ts';

export const researches = route({
  path: 'researches',
  input: z.strictObject({}),
  read: async ({ db, now }): Promise<z.infer<typeof Researches>> => {
    const { lines, researches: all, damaged } = await readList(db);
    return {
      researches: lines,
      damaged,
      attention: byCause(await readAttention(db, { researches: all, now })),
      now: now.toISOString(),
      heldBackSeconds: await readHeldBack(db, now),
    };
  },
});
