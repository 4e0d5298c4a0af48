import { shellWord } from '../../domain/text/shell-word.ts';
import type { TrialStatus } from '../../domain/trial.ts';
import type { Phase } from '../../domain/research/phase.ts';
import type { BudgetUse } from '../budget.ts';
import { hasEnded } from '../phase.ts';
import { raiseCommand } from '../rows/raise-budget.ts';

/** A command to copy, with its purpose. */
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
  const commands = [{ label: 'show it', command: `npx perpetua show ${id}` }];
  if (trial.candidateId !== null) commands.push({ label: 'what it changed', command: `npx perpetua diff ${id}` });
  if (trial.asked)
    commands.push({ label: 'prompts and answers', command: `npx perpetua show ${id} --prompt --answer` });
  commands.push({ label: 'all of it as JSON', command: `npx perpetua show ${id} --json` });
  if (trial.status === null)
    commands.push({ label: 'end it as aborted', command: `temporal workflow cancel --workflow-id ${id}` });
  return commands;
}

interface Policy {
  /** Version in force. */
  version: number;
  /** Version from which it was made; null for the base model. */
  parent: number | null;
  pinned: boolean;
  halted: string | null;
}

/** Commands about the policy of a research that make sense in its current state. */
export function policyCommands(research: string, { version, parent, pinned, halted }: Policy): Command[] {
  const id = shellWord(research);
  const rollback = (target: number): string => `npx perpetua policy rollback ${id} ${target}`;
  const commands = [
    { label: 'every version', command: `npx perpetua policy list ${id}` },
    { label: 'the version in force', command: `npx perpetua policy show ${id} ${version}` },
    pinned
      ? { label: 'learn again', command: `npx perpetua policy pin ${id} --off` }
      : { label: 'keep this version, learn nothing', command: `npx perpetua policy pin ${id} ${version}` },
  ];
  if (halted !== null) commands.push({ label: 'learn on from this version', command: rollback(version) });
  if (parent !== null) commands.push({ label: 'go back to the version before', command: rollback(parent) });
  return commands;
}

/** Commands about a research that make sense in its phase. */
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
  const npx = (label: string, args: string) => ({ label, command: `npx perpetua ${args}` });
  const reads = [npx('what it found', `best ${word}`), npx('its trials', `log ${word}`)];
  if (hasEnded(phase)) {
    // A start with a spent budget would end at once.
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
