import type { TxStore } from '../../db/store.ts';
import type { TaskVersion } from '../../db/task/task-version.ts';
import { knobValuesIn } from '../../domain/edit/knob-edit.ts';
import type { KnobValues } from '../../domain/knob/knob-value.ts';

interface KnobStore {
  trial: Pick<TxStore['trial'], 'findTexts'>;
  task: Pick<TxStore['task'], 'loadOriginals'>;
}

export interface KnobReading {
  /** Values by candidate. A knob that does not occur exactly once in the candidate's files has no value. */
  read: Record<string, KnobValues>;
  /** Candidates whose row, or a file with knobs, the database has lost. */
  lost: string[];
}

/**
 * Reads the knobs of a task version from the stored files of candidates. If a file was not mutable when a candidate was
 * made, it is read from the version's workspace.
 */
export async function readKnobs(
  store: KnobStore,
  { candidateIds, version }: { candidateIds: readonly string[]; version: TaskVersion },
): Promise<KnobReading> {
  const { task, mutablePaths, hash } = version;
  const paths = mutablePaths.filter((path) => task.knobs.some(({ file }) => file === path));
  const found = paths.length === 0 ? null : await store.trial.findTexts({ candidateIds, paths });
  const storedOf = (id: string) => (found === null ? {} : found.get(id));
  const isPartial = candidateIds.some((id) => paths.some((path) => storedOf(id)?.[path] === undefined));
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const originals = Object.fromEntries(
    (isPartial ? await store.task.loadOriginals(hash) : []).map(({ path, content }) => [path, decoder.decode(content)]),
  );
  const filesOf = (id: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries({ ...originals, ...storedOf(id) }).flatMap(([path, text]) =>
        text === null ? [] : [[path, text]],
      ),
    );
  const isLost = (id: string): boolean => Object.values(storedOf(id) ?? { gone: null }).includes(null);
  return {
    read: Object.fromEntries(
      candidateIds.map((id) => [id, storedOf(id) === undefined ? {} : knobValuesIn(task.knobs, filesOf(id))]),
    ),
    lost: candidateIds.filter(isLost),
  };
}
