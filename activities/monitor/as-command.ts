import type { Task } from '../../domain/task/task.ts';
import { limitsOf } from '../run-spec.ts';

/** A task as whoever follows a command in its workspace sees it: its limits, and nothing that is measured or scored. */
export function asCommand(task: Task): Task {
  const { run } = task;
  const own: Task = {
    ...task,
    evaluator: { type: 'none' },
    run: {
      ...run,
      artefacts: [],
      timeoutSeconds: limitsOf(task).wallSeconds,
      budget: { ...run.budget, kind: 'wall' },
    },
  };
  delete own.progress;
  return own;
}
