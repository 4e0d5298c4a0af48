import type { Phase } from '../phase.ts';
import type { Task } from '../task/task.ts';

/** What it goes by to say who proposes. */
export interface Proposes {
  id: string;
  phase: Phase;
  proposer: string;
  task: Pick<Task, 'name' | 'search'>;
}

/**
 * That a model is set and not asked, since the research began when none was, and how to have it asked; no line where
 * that is not so, or where the task wants no model.
 */
export function keepsRandom({ id, phase, proposer, task }: Proposes): string[] {
  if (proposer !== 'random' || task.search.proposer === 'random') return [];
  const start = `npx perpetua start ${task.name}${id === task.name ? '' : ` --id ${id}`} --proposer llm`;
  const isOver = phase === 'stopped' || phase === 'failed';
  const how = isOver ? start : `npx perpetua stop ${id}, once it has stopped ${start}`;
  return [`${id} keeps its proposer random although a model endpoint is set; to ask the model: ${how}`];
}
