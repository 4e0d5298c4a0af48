import type { Task } from '../../domain/task/task.ts';

/** A task as whoever follows a command in its workspace sees it: nothing is measured or scored. */
export function asCommand(task: Task): Task {
  const { run } = task;
  const own: Task = {
    ...task,
    evaluator: { type: 'none' },
    metric: { ...task.metric, from: 'evaluator' },
    run: {
      ...run,
      artefacts: [],
      budget: { ...run.budget, kind: 'wall' },
    },
  };
  delete own.progress;
  return own;
}
