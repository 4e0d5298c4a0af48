import type { TxStore } from '../../db/store.ts';
import type { TaskVersion } from '../../db/task/task-version.ts';
import type { FoundTexts } from '../../db/trial/candidate.ts';
import { matchesCreate } from '../../domain/edit/scope/edit-scope.ts';
import type { ReadKnobs } from '../../db/trial/observations.ts';
import { knobsAndStructure } from './structure-of.ts';

const NOTHING: FoundTexts = { texts: {}, deleted: [] };

interface KnobStore {
  trial: Pick<TxStore['trial'], 'findTexts'>;
  task: Pick<TxStore['task'], 'loadOriginals'>;
}

export interface KnobReading {
  /** Knobs by candidate. A knob that does not occur exactly once in the candidate's files has no value. */
  read: Record<string, ReadKnobs>;
  /** Candidates whose row, or a mutable file, the database has lost. */
  lost: string[];
}

/**
 * Reads the knobs of a task version, and the structure, from the stored files of candidates. If a file was not mutable
 * when a candidate was made, it is read from the version's workspace.
 */
export async function readKnobs(
  store: KnobStore,
  { candidateIds, version }: { candidateIds: readonly string[]; version: TaskVersion },
): Promise<KnobReading> {
  const { task, mutablePaths, hash } = version;
  const paths = task.knobs.length === 0 ? [] : mutablePaths;
  const isWanted = (path: string): boolean => paths.includes(path) || matchesCreate(path, task.edits);
  const found = paths.length === 0 ? null : await store.trial.findTexts({ candidateIds, isWanted });
  const foundOf = (id: string): FoundTexts | undefined => (found === null ? NOTHING : found.get(id));
  const storedOf = (id: string) => foundOf(id)?.texts;
  const isPartial = candidateIds.some((id) => paths.some((path) => storedOf(id)?.[path] === undefined));
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const originals = Object.fromEntries(
    (isPartial ? await store.task.loadOriginals(hash) : []).map(({ path, content }) => [path, decoder.decode(content)]),
  );
  const filesOf = (id: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries({ ...originals, ...storedOf(id) }).flatMap(([path, text]) =>
        text === null || !isWanted(path) || foundOf(id)?.deleted.includes(path) === true ? [] : [[path, text]],
      ),
    );
  const isLost = (id: string): boolean => Object.values(storedOf(id) ?? { gone: null }).includes(null);
  const readOf = (id: string): ReadKnobs => {
    if (storedOf(id) === undefined) return { knobs: {}, structure: null };
    const read = knobsAndStructure(task.knobs, filesOf(id));
    return isLost(id) ? { ...read, structure: null } : read;
  };
  return {
    read: Object.fromEntries(candidateIds.map((id) => [id, readOf(id)])),
    lost: candidateIds.filter(isLost),
  };
}
