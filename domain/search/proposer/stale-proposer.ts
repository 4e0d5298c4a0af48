import type { Phase } from '../../research/phase.ts';
import type { Task } from '../../task/task.ts';
import { AUTO_ORDER, PROPOSERS } from './table.ts';
import { nameOf } from '../axis.ts';

/** Facts behind the warning. */
export interface Proposes {
  id: string;
  phase: Phase;
  proposer: string;
  task: Pick<Task, 'name' | 'search'>;
}

/** A line that tells of a model that is set and not asked, and how to have it asked; empty where the task wants none. */
export function staleProposer({ id, phase, proposer, task }: Proposes): string[] {
  const [first] = AUTO_ORDER;
  if (asksModel(proposer) || nameOf(task.search.proposer) === proposer) return [];
  const start = `npx perpetua start ${task.name}${id === task.name ? '' : ` --id ${id}`} --proposer ${first}`;
  const isOver = phase === 'stopped' || phase === 'failed';
  const how = isOver ? start : `npx perpetua stop ${id}, once it has stopped ${start}`;
  return [`${id} keeps its proposer ${proposer} although a model endpoint is set; to ask the model: ${how}`];
}

/** A proposer that this build does not know may ask one. */
const asksModel = (proposer: string): boolean =>
  !Object.hasOwn(PROPOSERS, proposer) ||
  PROPOSERS[proposer as keyof typeof PROPOSERS].needs.some((need) => need === 'model');
