import type { Phase } from '../../research/phase.ts';
import { choiceName } from '../../method/axis.ts';
import { knownFacts } from './makers.ts';
import { AUTO_ORDER } from './table.ts';

/** Input of the warning. */
export interface Proposes {
  id: string;
  phase: Phase;
  proposer: string;
  /** Choice in its task or start arguments, such as `auto`. */
  proposerAsked: unknown;
  task: { name: string };
}

/**
 * Warns if a research does not use the configured model endpoint, and gives the command to use it. Empty if its task or
 * its start names this proposer.
 */
export function staleProposer({ id, phase, proposer, proposerAsked, task }: Proposes): string[] {
  const [first] = AUTO_ORDER;
  const isAsked = choiceName(proposerAsked) === proposer;
  if (isAsked || asksModel(proposer)) return [];
  const start = `npx perpetua start ${task.name}${id === task.name ? '' : ` --id ${id}`} --proposer ${first}`;
  const isOver = phase === 'stopped' || phase === 'failed';
  const how = isOver ? start : `npx perpetua stop ${id}, then, when it has stopped, ${start}`;
  return [`${id} keeps its proposer ${proposer} although a model endpoint is set; to use the model: ${how}`];
}

/** True if the proposer needs a model, or if this build does not know it: it may use a model. */
const asksModel = (choice: unknown): boolean => knownFacts(choice)?.needs.includes('model') ?? true;
