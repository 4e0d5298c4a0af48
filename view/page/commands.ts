import { shellWord } from '../../domain/text/shell-word.ts';
import type { TrialStatus } from '../../domain/trial.ts';
import type { Phase } from '../../domain/research/phase.ts';
import type { BudgetUse } from '../budget.ts';
import { hasEnded } from '../phase.ts';
import { raiseCommand } from '../rows/raise-budget.ts';

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
  const id = shellWord(trial.id);
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

interface Policy {
  /** In force. */
  version: number;
  /** The version that it was made from; null for the model as it came. */
  parent: number | null;
  pinned: boolean;
  halted: string | null;
}

/** Commands about the policy of a research; those that are of use as it is. */
export function policyCommands(research: string, { version, parent, pinned, halted }: Policy): Command[] {
  const id = shellWord(research);
  const rollback = (to: number): string => `npx perpetua policy rollback ${id} ${to}`;
  return [
    { label: 'every version', command: `npx perpetua policy list ${id}` },
    { label: 'the version in force', command: `npx perpetua policy show ${id} ${version}` },
    pinned
      ? { label: 'learn again', command: `npx perpetua policy pin ${id} --off` }
      : { label: 'keep this version, learn nothing', command: `npx perpetua policy pin ${id} ${version}` },
    ...(halted === null ? [] : [{ label: 'learn on from this version', command: rollback(version) }]),
    ...(parent === null ? [] : [{ label: 'go back to the version before', command: rollback(parent) }]),
  ];
}

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
  const word = shellWord(id);
  const npx = (label: string, words: string) => ({ label, command: `npx perpetua ${words}` });
  const reads = [npx('what it found', `best ${word}`), npx('its trials', `log ${word}`)];
  if (hasEnded(phase)) {
    // A start under a budget that is spent ends at once.
    const raise = raiseCommand({ id, phase, task, budget });
    const goOn =
      raise === null
        ? npx('go on with it', `start ${shellWord(task)} --id ${word}`)
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
