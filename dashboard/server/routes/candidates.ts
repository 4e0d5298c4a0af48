import { z } from 'zod';
import { readCandidateColumns } from '../../../db/reads/page/candidates/read-candidate-columns.ts';
import { readCandidates, type CandidateCursor } from '../../../db/reads/page/candidates/read-candidates.ts';
import { readResearch } from '../../../db/reads/read-research.ts';
import { CandidatesQuery, type Candidates } from '../../api/trials/candidates.ts';
import { route } from '../route.ts';

/** A page of candidates, each with its runs folded in. */
export const candidates = route({
  path: 'research/:id/candidates',
  input: z.strictObject({ id: z.string(), ...CandidatesQuery.shape }),
  read: async ({ db }, { id, sort, order, range: ranges, columns, after, limit }): Promise<Candidates | undefined> => {
    const research = await readResearch(db, { researchId: id });
    if (!research) return undefined;
    const page = await readCandidates(db, { research, sort, order, ranges, columns, after, limit });
    return { rows: page.rows, next: page.next && cursorText(page.next), ...(await readCandidateColumns(db, research)) };
  },
});

const cursorText = (cursor: CandidateCursor): string =>
  'seq' in cursor ? `s~${cursor.seq}` : `v~${cursor.value}~${cursor.id}`;
