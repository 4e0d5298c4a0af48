import type { Phase } from '../../research/phase.ts';
import type { Task } from '../../task/task.ts';
import { AUTO_ORDER, PROPOSERS } from './table.ts';

/** Facts behind the warning. */
export interface Proposes {
  id: string;
  phase: Phase;
  proposer: string;
  /** As its task or its start asked for it, `auto` too. */
  proposerAsked: unknown;
  task: Pick<Task, 'name'>;
}

/** A line that tells of a model that is set and not asked, and how to have it asked; empty where the task wants none. */
export function staleProposer({ id, phase, proposer, proposerAsked, task }: Proposes): string[] {
  const [first] = AUTO_ORDER;
  if (asksModel(proposer) || nameIn(proposerAsked) === proposer) return [];
  const start = `npx perpetua start ${task.name}${id === task.name ? '' : ` --id ${id}`} --proposer ${first}`;
  const isOver = phase === 'stopped' || phase === 'failed';
  const how = isOver ? start : `npx perpetua stop ${id}, once it has stopped ${start}`;
  return [`${id} keeps its proposer ${proposer} although a model endpoint is set; to ask the model: ${how}`];
}

/** The name in a choice, which may be one with settings. */
const nameIn = (choice: unknown): unknown =>
  typeof choice === 'object' && choice !== null && 'name' in choice ? choice.name : choice;

/** A proposer that this build does not know may ask one. */
const asksModel = (proposer: string): boolean =>
  !Object.hasOwn(PROPOSERS, proposer) ||
  PROPOSERS[proposer as keyof typeof PROPOSERS].needs.some((need) => need === 'model');
