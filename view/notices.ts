import { oneLine } from '../domain/text/sanitize.ts';
import { formatAgo } from '../domain/text/format.ts';
import { shellWord } from '../domain/text/shell-word.ts';
import { changeTaskCommand } from '../domain/messages/steer-commands.ts';
import { contentionReason, contentionTitle } from './contention.ts';
import { learningLines } from './policy/learning.ts';
import { raiseCommand, spentLimits } from './rows/raise-budget.ts';
import type { Alert, StatusView } from './status.ts';
import { describeWait } from './wait.ts';

const SHOWN_HOURS = 24;
const SHOWN = 5;

/** The alerts of the last 24 hours, newest first, each message once, at most `shown`. */
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

/** Lines for the alerts of the last 24 hours. */
export const describeAlerts = (alerts: readonly Alert[], now: Date): string[] =>
  freshAlerts(alerts, now).map((alert) => describeAlert(alert, now));

/** Notes below the rows of a status, one line each: obstacles, alerts, warnings of the gate. */
export const noticeLines = (view: StatusView, now: Date): string[] =>
  [
    ...pausedLine(view),
    ...budgetLine(view),
    ...waitLine(view),
    ...contentionLine(view),
    ...baselineLine(view),
    ...streakLine(view),
    ...learningLines(view),
    ...describeAlerts(view.alerts, now),
    ...view.warnings,
  ].map(oneLine);

/** A line with the command to raise the budget; empty unless a spent limit ended the research or makes it wait. */
function budgetLine({ workflowId: id, task, phase, budget }: StatusView): string[] {
  const raise = raiseCommand({ id, task, phase, budget });
  if (raise === null) return [];
  return [`the budget is spent: ${spentLimits(budget).join(', ')}. To continue with a larger budget: ${raise}`];
}

/** A line with the command to resume; empty unless a person paused the research. */
export const pausedLine = (view: Pick<StatusView, 'phase' | 'workflowId'>): string[] =>
  resumeHint(view).map((hint) => `the research is paused. ${hint}`);

/** The command to resume a research; empty unless a person paused it. */
export const resumeHint = ({ phase, workflowId }: Pick<StatusView, 'phase' | 'workflowId'>): string[] =>
  phase === 'paused' ? [`To continue: npx perpetua resume ${workflowId}`] : [];

/** The wait of some trials while others run; empty if all wait, since the phase then gives the reason. */
const waitLine = ({ wait, phase }: Pick<StatusView, 'wait' | 'phase'>): string[] =>
  wait === null || phase === 'waiting' ? [] : [describeWait(wait)];

/** A line about runs that other processes kept from a CPU; empty if there are none. */
function contentionLine({ contention }: Pick<StatusView, 'contention'>): string[] {
  if (contention === null) return [];
  const { trialId } = contention.newest;
  return [
    `${contentionTitle(contention)}: ${contentionReason(contention)}. See: npx perpetua show ${shellWord(trialId)}`,
  ];
}

/** A line about failed baseline runs; empty if none failed, or if the line about a losing streak covers them. */
export function baselineLine({ failedBaseline, losingStreak }: Pick<StatusView, 'failedBaseline' | 'losingStreak'>) {
  if (failedBaseline === null || losingStreak !== null) return [];
  const { trials, newest } = failedBaseline;
  const reason = newest.reason ?? newest.status.replace('_', ' ');
  const failure = trials === 1 ? 'a baseline run failed' : `${trials} baseline runs failed, the newest`;
  return [
    `${failure}: ${reason}. Proposals start from the same unmodified workspace and may fail for the same reason. ` +
      `See: npx perpetua show ${newest.trialId}`,
  ];
}

/** A line about consecutive failures and their remedy; empty if there are too few. */
export function streakLine(view: Pick<StatusView, 'workflowId' | 'losingStreak' | 'best'>): string[] {
  const { losingStreak } = view;
  if (losingStreak === null) return [];
  const { trials, orMore, newest } = losingStreak;
  const reason = newest.reason ?? newest.status.replace('_', ' ');
  return [
    `the last ${trials} trials${orMore ? ' (or more)' : ''} failed, the newest: ${reason}. ` +
      `See: npx perpetua show ${newest.trialId}. ${remedy(view)}`,
  ];
}

/** Remedy for a losing streak: before the first value the task is probably at fault, later the proposals are. */
function remedy({ workflowId: id, best }: Pick<StatusView, 'workflowId' | 'best'>): string {
  if (best === null)
    return (
      'No trial has a value yet. If the task is at fault, correct its folder, ' +
      `then run this with the path of the folder: ${changeTaskCommand(id, '/path')}`
    );
  return `If the proposals are at fault, advise the proposer: npx perpetua note ${shellWord(id)} 'your advice'`;
}
