import { knobValuesIn } from '../domain/edit/knob-edit.ts';
import { beating } from './beat.ts';
import type { ActivityDeps, Statements } from './deps.ts';
import { withOriginals } from './propose/parent-files.ts';

/** Candidates whose files are held in memory at once. */
const BATCH = 100;

/** Whether a research has candidates whose knobs nobody has read, under the version of its task that it runs. */
export const hasUnread = async (
  { store }: Statements<'trial', 'findUnread'>,
  { id: researchId, taskHash }: { id: string; taskHash: string },
): Promise<boolean> => (await store.trial.findUnread({ researchId, taskHash, limit: 1 })).length > 0;

export const createFillKnobsActivities = ({ store }: Pick<ActivityDeps, 'store'>) => ({
  /**
   * Reads the knobs of candidates of an older version, which stored none, from their files: one batch. Repeated, it reads what
   * is left. Returns whether more may be left.
   */
  fillKnobs: beating(async ({ researchId }: { researchId: string }): Promise<{ left: boolean }> => {
    const research = await store.research.findResearch(researchId);
    if (!research) throw new Error(`Expected research ${researchId} in the database`);
    const { taskHash } = research;
    const ids = await store.trial.findUnread({ researchId, taskHash, limit: BATCH });
    if (ids.length === 0) return { left: false };
    const version = await store.task.loadTaskVersion(taskHash);
    const { knobs } = version.task;
    const candidates = knobs.length === 0 ? [] : await store.trial.loadCandidates(ids);
    const files = await withOriginals(store, { candidates, version });
    const read = Object.fromEntries(ids.map((id, i) => [id, knobValuesIn(knobs, files[i] ?? {})]));
    await store.trial.fillKnobs({ researchId, taskHash, read });
    return { left: ids.length === BATCH };
  }),
});
