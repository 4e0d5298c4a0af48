import { budgetChanges } from '../../domain/research/budget-changes.ts';
import type { Budget } from '../../domain/schema/budget.ts';

/** Effects of signals, in words that follow the research's id. */
export const SIGNAL_EFFECTS = {
  pause: 'pauses: nothing new starts, runs finish',
  resume: 'goes on',
  stop: 'stops once its trials have ended, also those that wait for a slot',
  stopNow: 'stops now: its runs are cancelled',
  note: 'has the note',
  noteInPrompts: 'has the note; it enters the next prompts',
} as const;

/** Each changed key of a budget, with the value that it had and the one that it has. */
export const describeBudgetChange = (before: Budget, after: Budget): string[] =>
  budgetChanges(before, after).map(({ key, from, to }) => `budget.${key}: ${from} → ${to}`);

/** Answer of a research to `setWindow`. */
export interface ChangedWindow {
  window: number;
  fixed: boolean;
}

export const describeWindowChange = (id: string, before: number | null, { window, fixed }: ChangedWindow): string =>
  `${id}: window ${before ?? 'unknown'} → ${window}${fixed ? ' (fixed)' : ' (auto)'}`;

/** Answer of a research to `changeTask`. */
export interface ChangedTask {
  keptIncumbent: boolean;
  /** Overrides of the research that the new version does not accept. */
  unfit: string[];
  notRun?: string;
  outside?: string;
}

interface TaskHashes {
  before: string;
  after: string;
}

/** Effect of a change of the task, and notes about it for a person. */
export function describeTaskChange(id: string, { before, after }: TaskHashes, answer: ChangedTask) {
  const lines = [
    before === after
      ? `${id}: nothing changed, it uses this version already (${after.slice(0, 12)})`
      : `${id}: task ${before.slice(0, 12)} → ${after.slice(0, 12)}`,
  ];
  if (!answer.keptIncumbent) lines.push('the baseline is measured again, and the former claim no longer stands');
  const notes = answer.unfit.length > 0 ? [`the new version does not accept ${answer.unfit.join(', ')}`] : [];
  for (const note of [answer.notRun, answer.outside]) if (note !== undefined) notes.push(note);
  return { lines, notes };
}

export const describeOverruling = (trialId: string, before: string | null, after: string): string =>
  `${trialId}: verdict ${before ?? 'none'} → ${after}`;

export const describeInjected = (id: string, key: string): string =>
  `${id} has the idea; its trial starts before other proposals. Its key: ${key}`;

/** Note that a stopping research ignores a signal. */
export const describeInVain = (id: string, signal: string): string =>
  `${id} is stopping, so a ${signal} has no effect. ` +
  `When it has stopped, start it again: \`npx perpetua start <task> --id ${id}\``;
