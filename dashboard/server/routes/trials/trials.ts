import { z } from 'zod';
import { readOrder } from '../../../../db/reads/page/trials/read-order.ts';
import { readRows } from '../../../../db/reads/page/trials/read-rows.ts';
import { readResearch } from '../../../../db/reads/read-research.ts';
import { encodeDeltas } from '../../../../view/page/deltas.ts';
import { OrderQuery, RowsQuery, type Order, type TrialRows } from '../../../api/trials/rows.ts';
import { route } from '../../route.ts';

/** Numbers of the trials that pass the filter, in order. */
export const order = route({
  path: 'research/:id/order',
  input: z.strictObject({ id: z.string(), ...OrderQuery.shape }),
  read: async ({ db, caches }, { id: researchId, sort, order, ...filter }): Promise<Order | undefined> => {
    const research = await readResearch(db, { researchId });
    if (!research) return undefined;
    const { n, facets } = await readOrder(db, { research, filter, sort, order, readers: caches });
    return { steps: encodeDeltas(n), facets };
  },
});

/** Rows of trials by their numbers. */
export const rows = route({
  path: 'research/:id/trials',
  input: z.strictObject({ id: z.string(), ...RowsQuery.shape }),
  read: async ({ db }, { id, n }): Promise<TrialRows | undefined> => {
    const research = await readResearch(db, { researchId: id });
    return research && { rows: await readRows(db, { research, numbers: n }) };
  },
});
