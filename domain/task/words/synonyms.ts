/** Words that people write for a value that has another name, and that letters alone would take for a third one. */
const SYNONYMS: Readonly<Record<string, string>> = {
  // Nothing but the clock tells what a run has of a GPU.
  ...{ gpu: 'wall', gpus: 'wall', cuda: 'wall', 'gpu-time': 'wall', 'gpu-seconds': 'wall' },
  ...{ clock: 'wall', 'wall-clock': 'wall', walltime: 'wall', time: 'wall', real: 'wall' },
};

/** The one of the known values that a word means; null where it is no synonym of any. */
export function synonymOf(came: string, known: readonly string[]): string | null {
  const word = came.trim().toLowerCase().replaceAll(/[_ ]/g, '-');
  const meant = Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : undefined;
  return meant !== undefined && known.includes(meant) ? meant : null;
}
