import type { Attack, Target } from '../attack.ts';

/** Facts that all attacks on artefacts share. */
export const onArtefacts = {
  unfit: ({ task }: Target): string | null =>
    task.run.artefacts.length === 0 ? 'the task has no artefacts (run.artefacts)' : null,
} satisfies Partial<Attack>;

/** Paths of the artefacts of a task. */
export const artefactsOf = ({ task }: Target): string[] => task.run.artefacts.map(({ path }) => path);
