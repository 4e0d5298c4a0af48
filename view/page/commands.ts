import { quoteWord } from '../../domain/text/quote-word.ts';
import type { TrialStatus } from '../../domain/trial.ts';

/** A command that a person may copy, with what it is for. */
export interface Command {
  label: string;
  command: string;
}

/** Commands about a trial. */
export function trialCommands(trial: {
  id: string;
  status: TrialStatus | null;
  candidateId: string | null;
  asked: boolean;
}): Command[] {
  const id = quoteWord(trial.id);
  return [
    { label: 'show it', command: `npx perpetua show ${id}` },
    ...(trial.candidateId === null ? [] : [{ label: 'what it changed', command: `npx perpetua diff ${id}` }]),
    ...(trial.asked ? [{ label: 'prompts and answers', command: `npx perpetua show ${id} --prompt --answer` }] : []),
    { label: 'all of it as JSON', command: `npx perpetua show ${id} --json` },
    ...(trial.status === null
      ? [{ label: 'end it as aborted', command: `temporal workflow cancel --workflow-id ${id}` }]
      : []),
  ];
}
