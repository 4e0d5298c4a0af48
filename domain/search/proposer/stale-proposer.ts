import type { Phase } from '../../research/phase.ts';
import { nameOf } from '../../method/axis.ts';
import { knownFacts } from './makers.ts';
import { AUTO_ORDER } from './table.ts';

/** Facts behind the warning. */
export interface Proposes {
  id: string;
  phase: Phase;
  proposer: string;
  /** As its task or its start asked for it, `auto` too. */
  proposerAsked: unknown;
  task: { name: string };
}

/** A line that tells of a model that is set and not asked, and how to have it asked; empty where the task wants none. */
export function staleProposer({ id, phase, proposer, proposerAsked, task }: Proposes): string[] {
  const [first] = AUTO_ORDER;
  const isAsked = nameOf(proposerAsked) === proposer;
  if (isAsked || asksModel(proposer)) return [];
  const start = `npx perpetua start ${task.name}${id === task.name ? '' : ` --id ${id}`} --proposer ${first}`;
  const isOver = phase === 'stopped' || phase === 'failed';
  const how = isOver ? start : `npx perpetua stop ${id}, once it has stopped ${start}`;
  return [`${id} keeps its proposer ${proposer} although a model endpoint is set; to ask the model: ${how}`];
}

/** A proposer that this build does not know may ask one. */
const asksModel = (choice: unknown): boolean => knownFacts(choice)?.needs.includes('model') ?? true;
