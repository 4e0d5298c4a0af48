import type { Phase } from '../../../research/phase.ts';
import { quoteWord } from '../../../text/quote-word.ts';
import { hasEnded } from '../../phase.ts';

/** Wishes that a person may have of a research, each with its command to copy. */
export function researchCommands({
  id,
  phase,
  task,
}: {
  id: string;
  phase: Phase;
  task: string;
}): { label: string; command: string }[] {
  const word = quoteWord(id);
  const npx = (label: string, words: string) => ({ label, command: `npx perpetua ${words}` });
  const reads = [npx('what it found', `best ${word}`), npx('its trials', `log ${word}`)];
  if (hasEnded(phase)) return [npx('go on with it', `start ${quoteWord(task)} --id ${word}`), ...reads];
  return [
    npx('advise the proposer', `note ${word} "…"`),
    phase === 'paused' ? npx('go on', `resume ${word}`) : npx('pause it', `pause ${word}`),
    npx('finish what runs, then end', `stop ${word}`),
    ...reads,
  ];
}
