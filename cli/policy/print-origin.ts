import { readDescent } from '../../db/reads/policy/read-descent.ts';
import { readResearch } from '../../db/reads/read-research.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { describeOrigin } from '../../view/policy/descent.ts';
import { withDb } from '../context.ts';
import { reasonOf } from '../doctor/finding.ts';
import { printLine, printNote, type Io } from '../io.ts';

/** Prints the versions of other researches with which the policy of a new research begins, if there are any. */
export async function printOrigin(io: Io, researchId: string): Promise<void> {
  const descent = await withDb(io, async (db) => {
    const research = await readResearch(db, { researchId });
    return research === undefined ? null : readDescent(db, research);
  }).catch((error: unknown) => {
    // The research has started: a failed read must not look like a failed start.
    printNote(io, `note: the line of descent of the policy could not be read (${oneLine(reasonOf(error))})`);
    return null;
  });
  const origin = descent === null || descent.ancestors.length === 0 ? null : describeOrigin(descent);
  if (origin !== null) printLine(io, `  policy  ${oneLine(origin)}`);
}
