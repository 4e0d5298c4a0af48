import type { Phase } from '../../../domain/research/phase.ts';
import { quoteWord } from '../../../domain/text/quote-word.ts';
import type { BudgetUse } from '../../budget.ts';
import { hasEnded } from '../../phase.ts';
import { raiseCommand } from '../../rows/raise-budget.ts';

/** Wishes that a person may have of a research, each with its command to copy. */
export function researchCommands({
  id,
  phase,
  task,
  budget,
}: {
  id: string;
  phase: Phase;
  task: string;
  budget: BudgetUse;
}): { label: string; command: string }[] {
  const word = quoteWord(id);
  const npx = (label: string, words: string) => ({ label, command: `npx perpetua ${words}` });
  const reads = [npx('what it found', `best ${word}`), npx('its trials', `log ${word}`)];
  if (hasEnded(phase)) {
    // A start under a budget that is spent ends at once.
    const raise = raiseCommand({ id, phase, task, budget });
    const goOn =
      raise === null
        ? npx('go on with it', `start ${quoteWord(task)} --id ${word}`)
        : { label: 'go on with a larger budget', command: raise };
    return [goOn, ...reads];
  }
  return [
    npx('advise the proposer', `note ${word} "…"`),
    phase === 'paused' ? npx('go on', `resume ${word}`) : npx('pause it', `pause ${word}`),
    npx('finish what runs, then end', `stop ${word}`),
    ...reads,
  ];
}
