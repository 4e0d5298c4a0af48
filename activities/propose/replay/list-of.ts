import type { TxStore } from '../../../db/store.ts';
import { locateKnob } from '../../../domain/edit/knob-edit.ts';
import { isInSpace } from '../../../domain/knob/in-space.ts';
import { isListFile, type ReplaySettings } from '../../../domain/search/proposer/replay.ts';
import { allowed, type ListedCandidate, readList } from '../../../domain/search/replay/read-list.ts';
import { findFixedFiles } from '../../task/edit-scope.ts';
import { parentFiles } from '../parent-files.ts';
import type { ProposeContext } from '../propose-context.ts';

/** A candidate of a list, which is read when its turn comes. */
export interface Listed {
  label: string;
  /** Returns the candidate, or the reason why it cannot be used. */
  load: (store: Pick<TxStore, 'trial' | 'task'>) => Promise<ListedCandidate | string>;
}

/** The list that the settings name, from rows that do not change while the research runs. */
export async function listOf(context: ProposeContext, settings: ReplaySettings): Promise<Listed[]> {
  const { from = '', most } = settings;
  const listed = isListFile(from) ? await fileList(context, from) : await researchList(context, settings);
  return most === undefined ? listed : listed.slice(0, most);
}

async function fileList({ deps, trial, version }: ProposeContext, path: string): Promise<Listed[]> {
  const files = await deps.store.task.loadTaskFiles({ taskHash: trial.taskHash, role: 'workspace' });
  const file = files.find((one) => one.path === path);
  const text = file === undefined ? '' : new TextDecoder().decode(file.content);
  const { knobs } = version.task;
  const { candidates, problems } = readList(text, { path, knobs, mutablePaths: version.mutablePaths });
  // The start refuses such a list; a list that an older version accepted ends the search with the reason.
  if (problems.length > 0) return [{ label: path, load: () => Promise.resolve(problems.join('; ')) }];
  return candidates.map((candidate) => ({ label: candidate.label, load: () => Promise.resolve(candidate) }));
}

async function researchList(
  { deps, version }: ProposeContext,
  { from = '', order, most }: ReplaySettings,
): Promise<Listed[]> {
  const best = order === 'best' ? version.task.metric.direction : null;
  const found = await deps.store.trial.findReplayed({ researchId: from, best, most: most ?? null });
  const { knobs } = version.task;
  return found.map(({ candidateId, n, hypothesis }) => {
    const label = `trial ${n} of ${from}`;
    return {
      label,
      load: async (store) => {
        const [outside] = await findFixedFiles(store, { candidateIds: [candidateId], version });
        if (outside !== undefined) return `it changes ${outside.path}, which is not mutable here`;
        const files = await parentFiles(store, { parentId: candidateId, version });
        for (const knob of knobs) {
          const location = locateKnob(files, knob);
          if (location !== null && !isInSpace(knob, location.value))
            return `${knob.name}: expected ${allowed(knob)}, got ${location.at.raw}`;
        }
        return { label, files, settings: [], hypothesis, isWhole: true };
      },
    };
  });
}
