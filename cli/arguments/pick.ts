import { parseTrialId } from '../../domain/trial/ids.ts';
import type { Db } from '../../db/connect.ts';
import { readResearch, readResearchIds, type ResearchView } from '../../db/reads/read-research.ts';
import { readTrial, type TrialView } from '../../db/reads/read-trial.ts';
import { isCheck } from '../../domain/research/check-id.ts';
import { nearestKey } from '../../domain/text/nearest-key.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { refused } from '../errors.ts';

/** Reads the research with this id or, without an id, the only research of the database. */
export async function pickResearch(db: Db, id: string | undefined): Promise<ResearchView> {
  const named = id === undefined ? undefined : await readResearch(db, { researchId: id });
  if (named) return named;
  const all = (await readResearchIds(db)).filter((researchId) => !isCheck(researchId));
  const names = all.join(', ');
  if (all.length === 0)
    throw refused('No research has been started in this database yet. Start one: npx perpetua start nano-lm');
  if (id !== undefined) {
    const nearest = nearestKey(id, all);
    const suggestion = nearest === null ? '.' : `; did you mean ${nearest}?`;
    throw refused(
      `Expected the id of a research, one of: ${names}; got ${JSON.stringify(id)}${suggestion} ` +
        `If you started a research ${id}, see why it was not opened: ` +
        `temporal workflow describe --workflow-id ${shellWord(id)}`,
    );
  }
  const only = all.length === 1 ? await readResearch(db, { researchId: all[0] ?? '' }) : undefined;
  if (!only) throw refused(`Expected the id of a research, one of: ${names}; got none.`);
  return only;
}

/** Reads the only research. Refuses if there are several: a trial's number alone does not say which. */
async function pickOnly(db: Db, n: number): Promise<ResearchView> {
  const all = (await readResearchIds(db)).filter((researchId) => !isCheck(researchId));
  if (all.length > 1)
    throw refused(`Expected a trial with its research, one of: ${all.map((id) => `${id}/${n}`).join(', ')}; got ${n}.`);
  return pickResearch(db, undefined);
}

/** Reads the trial `<id>/<n>`, or trial `<n>` of the only research. */
export async function pickTrial(db: Db, ref: string): Promise<TrialView & { research: ResearchView }> {
  const parsed = /^\d+$/.test(ref) ? { researchId: undefined, n: Number(ref) } : parseTrialId(ref);
  if (!parsed) throw refused(`Expected a trial like nano-lm/12, got ${JSON.stringify(ref)}.`);
  const research = await (parsed.researchId === undefined
    ? pickOnly(db, parsed.n)
    : pickResearch(db, parsed.researchId));
  const found = await readTrial(db, { trialId: `${research.id}/${parsed.n}` });
  if (!found)
    throw refused(
      `Expected a trial of ${research.id} from 1 to ${research.lastN}, got ${parsed.n}. ` +
        `See: npx perpetua log ${research.id}`,
    );
  return { ...found, research };
}
