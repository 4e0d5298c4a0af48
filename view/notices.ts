import { oneLine } from '../domain/text/sanitize.ts';
import { formatAgo } from '../domain/text/format.ts';
import { shellWord } from '../domain/text/shell-word.ts';
import { changeTaskCommand } from '../domain/messages/temporal-command.ts';
import { learningLines } from './policy/learning.ts';
import { raiseCommand, spentLimits } from './rows/raise-budget.ts';
import type { Alert, StatusView } from './status.ts';
import { describeWait } from './wait.ts';

const SHOWN_HOURS = 24;
const SHOWN = 5;

/** The alerts that people are shown: those of the last 24 hours, each message once, the newest first. */
export function freshAlerts(alerts: readonly Alert[], now: Date, shown = SHOWN): Alert[] {
  const from = now.getTime() - SHOWN_HOURS * 3_600_000;
  const seen = new Set<string>();
  const fresh = alerts.filter(({ at, message }) => {
    if (new Date(at).getTime() < from || seen.has(message)) return false;
    return seen.add(message);
  });
  return fresh.slice(0, shown);
}

/** An alert with its age. */
export const describeAlert = ({ at, message }: Alert, now: Date): string =>
  `${formatAgo(new Date(at), now)}: ${oneLine(message)}`;

/** The alerts that people are shown, in lines. */
export const describeAlerts = (alerts: readonly Alert[], now: Date): string[] =>
  freshAlerts(alerts, now).map((alert) => describeAlert(alert, now));

/** Notes beside the rows, a line each: obstacles, alerts, warnings of the gate. */
export const noticeLines = (view: StatusView, now: Date): string[] =>
  [
    ...pausedLine(view),
    ...budgetLine(view),
    ...waitLine(view),
    ...baselineLine(view),
    ...streakLine(view),
    ...learningLines(view),
    ...describeAlerts(view.alerts, now),
    ...view.warnings,
  ].map(oneLine);

/** How it goes on where a limit of its budget is reached. */
function budgetLine({ workflowId: id, task, phase, budget }: StatusView): string[] {
  const raise = raiseCommand({ id, task, phase, budget });
  return raise === null ? [] : [`the budget is spent: ${spentLimits(budget).join(', ')}. To go on with more: ${raise}`];
}

/** How it goes on; no line where nobody paused it. */
export const pausedLine = (view: Pick<StatusView, 'phase' | 'workflowId'>): string[] =>
  resumeHint(view).map((how) => `it is paused. ${how}`);

/** The command that takes a pause back; none where nobody paused it. */
export const resumeHint = ({ phase, workflowId }: Pick<StatusView, 'phase' | 'workflowId'>): string[] =>
  phase === 'paused' ? [`To go on: npx perpetua resume ${workflowId}`] : [];

/** The wait of some trials while others get on; where none does, it is the reason of the phase. */
const waitLine = ({ wait, phase }: Pick<StatusView, 'wait' | 'phase'>): string[] =>
  wait === null || phase === 'waiting' ? [] : [describeWait(wait)];

/** That runs of the baseline failed; no line where that is not so, or the streak of failures tells it. */
export function baselineLine({ failedBaseline, losingStreak }: Pick<StatusView, 'failedBaseline' | 'losingStreak'>) {
  if (failedBaseline === null || losingStreak !== null) return [];
  const { trials, newest } = failedBaseline;
  const why = newest.reason ?? newest.status.replace('_', ' ');
  const what = trials === 1 ? 'a baseline run failed' : `${trials} baseline runs failed, the newest`;
  return [
    `${what}: ${why}. It is the task's unmodified workspace, so its proposals may fail of it, too. See: npx perpetua show ${newest.trialId}`,
  ];
}

/** That nothing but failures comes, and how it may go on; no line where that is not so. */
export function streakLine(view: Pick<StatusView, 'workflowId' | 'losingStreak' | 'best'>): string[] {
  const { losingStreak } = view;
  if (losingStreak === null) return [];
  const { trials, orMore, newest } = losingStreak;
  const why = newest.reason ?? newest.status.replace('_', ' ');
  return [
    `the last ${trials} trials${orMore ? ' (or more)' : ''} failed, the newest: ${why}. See: npx perpetua show ${newest.trialId}. ${remedy(view)}`,
  ];
}

/** A starting text is mended in its folder while nothing has a value; after that the proposals are at fault. */
function remedy({ workflowId: id, best }: Pick<StatusView, 'workflowId' | 'best'>): string {
  if (best === null)
    return `Nothing has a value yet. If the task is at fault, mend its folder, then: ${changeTaskCommand(id, '/path')}, with the path of the folder`;
  return `If the proposals are at fault, advise the proposer: npx perpetua note ${shellWord(id)} 'your advice'`;
}
