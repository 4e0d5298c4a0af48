import type { Phase } from '../../research/phase.ts';
import { choiceName } from '../../method/axis.ts';
import { knownFacts } from './makers.ts';
import { AUTO_ORDER } from './table.ts';

/** Facts behind the warning. */
export interface Proposes {
  id: string;
  phase: Phase;
  proposer: string;
  /** The choice of its task or its start, such as `auto`. */
  proposerAsked: unknown;
  task: { name: string };
}

/**
 * A warning if the research does not use the model endpoint that is set, with the command to use it; empty if its task names
 * another proposer.
 */
export function staleProposer({ id, phase, proposer, proposerAsked, task }: Proposes): string[] {
  const [first] = AUTO_ORDER;
  const isAsked = choiceName(proposerAsked) === proposer;
  if (isAsked || asksModel(proposer)) return [];
  const start = `npx perpetua start ${task.name}${id === task.name ? '' : ` --id ${id}`} --proposer ${first}`;
  const isOver = phase === 'stopped' || phase === 'failed';
  const how = isOver ? start : `npx perpetua stop ${id}, once it has stopped ${start}`;
  return [`${id} keeps its proposer ${proposer} although a model endpoint is set; to ask the model: ${how}`];
}

/** True for a proposer that this build does not know: it may use a model. */
const asksModel = (choice: unknown): boolean => knownFacts(choice)?.needs.includes('model') ?? true;
