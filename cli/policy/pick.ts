import type { Db } from '../../db/connect.ts';
import { planOf } from '../../db/reads/policy/plan-of.ts';
import { readLearning } from '../../db/reads/policy/read-learning.ts';
import { readUpdateRows, type UpdateRow } from '../../db/reads/policy/read-update-rows.ts';
import type { ResearchView } from '../../db/reads/read-research.ts';
import { choiceIn, learns } from '../../domain/search/proposer/makers.ts';
import type { LearningView } from '../../view/policy/learning.ts';
import { pickResearch } from '../arguments/pick.ts';
import { refused } from '../errors.ts';

const NEW: LearningView = {
  version: 0,
  checkpoint: null,
  pinned: false,
  halted: null,
  update: null,
  batch: null,
  evaluationSamples: null,
  rewards: [],
};

/** Reads a research that samples a policy, and the state of its learning. Refuses a research without a policy. */
export async function pickPolicy(
  db: Db,
  id: string | undefined,
): Promise<{ research: ResearchView; learning: LearningView }> {
  const research = await pickResearch(db, id);
  const learning = await readLearning(db, { researchId: research.id, plan: planOf(research) });
  if (learning === null && !learns(choiceIn(research)))
    throw refused(
      `Expected a research whose proposer is a policy (search.proposer), ${research.id} has ${research.proposer}.`,
    );
  return { research, learning: learning ?? NEW };
}

/** Parses the number of an update, which is also the number of the version that it made, if any. */
export function parseVersion(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw refused(`Expected the number of a version, as policy list shows it, got ${JSON.stringify(text)}.`);
  return Number(text);
}

/** Reads the update with this number. Null for 0: version 0 comes from no update. Refuses an unknown number. */
export async function pickUpdate(db: Db, { id }: ResearchView, text: string): Promise<UpdateRow | null> {
  const k = parseVersion(text);
  if (k === 0) return null;
  const [row] = await readUpdateRows(db, { researchId: id, k });
  if (!row) throw refused(`Expected a version of the policy of ${id}, got ${k}. See: npx perpetua policy list ${id}`);
  return row;
}
