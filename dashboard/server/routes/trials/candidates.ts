import { z } from 'zod';
import type { ColumnCursor } from '../../../../db/reads/page/candidates/candidate-order.ts';
import { readCandidateColumns } from '../../../../db/reads/page/candidates/read-candidate-columns.ts';
import {
  readCandidates,
  readCandidatesOf,
  type CandidateCursor,
} from '../../../../db/reads/page/candidates/read-candidates.ts';
import { readResearch } from '../../../../db/reads/read-research.ts';
import { CandidatesQuery, type Candidates } from '../../../api/trials/candidates.ts';
import { route } from '../../route.ts';
import { knownNumber } from '../known-number.ts';

/** A page of candidates, each with its runs folded in. */
export const candidates = route({
  path: 'research/:id/candidates',
  input: z.strictObject({ id: z.string(), ...CandidatesQuery.shape }),
  read: async ({ db, caches }, input): Promise<Candidates | undefined> => {
    const { id, sort, order, range: ranges, columns, after, limit } = input;
    const research = await readResearch(db, { researchId: id });
    if (!research) return undefined;
    const offered = await readCandidateColumns(db, research);
    if (sort === 'value' || sort === 'first') {
      const place = after !== null && 'n' in after ? null : after;
      const page = await readCandidates(db, { research, sort, order, ranges, columns, after: place, limit });
      return { rows: page.rows, next: page.next && cursorText(page.next), ...offered };
    }
    const number = knownNumber({ key: 'sort', name: sort, offered, others: ['first'] });
    const place = after !== null && 'n' in after ? after : null;
    const { numbers, next } = await caches.readColumnOrder(db, {
      research,
      number,
      order,
      ranges,
      after: place,
      limit,
    });
    const rows = await readCandidatesOf(db, { research, numbers, columns });
    return { rows, next: next && cursorText(next), ...offered };
  },
});

function cursorText(cursor: CandidateCursor | ColumnCursor): string {
  if ('n' in cursor) return `o~${cursor.value ?? ''}~${cursor.n}`;
  return 'seq' in cursor ? `s~${cursor.seq}` : `v~${cursor.value}~${cursor.id}`;
}
