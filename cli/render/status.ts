import { howMany } from '../../domain/how-many.ts';
import type { Report } from '../../domain/gate/gate.ts';
import type { Status } from '../../db/reads/read-status.ts';
import { describeWait } from '../../db/reads/read-wait.ts';
import type { Asked } from '../ask-temporal.ts';
import { describeAlerts } from './alerts.ts';
import { describeBudget } from './budget.ts';
import { describeAbort } from './early-abort.ts';
import { describeAllFailing } from './failing.ts';
import { describeBaseline, describeBest, describeLead, describeReport } from './gain.ts';
import { describeQueue } from './queue.ts';
import { formatCount, formatSeconds, formatUsd } from './number.ts';
import { columns, oneLine } from './text.ts';

/** What is shown beside the contract. */
export interface Shown {
  /** With the space before it. */
  unit: string;
  report: Report;
}

/** Non-zero counts in words: `41 completed, 3 crashed`. */
export const describeCounts = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .filter(([, n]) => n > 0)
    .map(([name, n]) => `${n} ${name.replace('_', ' ')}`)
    .join(', ') || 'none';

/** The same of trials; what a person stopped is told apart from what could not win. */
function describeTrials({ byStatus: { aborted, ...others }, cancelled }: Status['trials']): string {
  return describeCounts({ ...others, 'stopped early': aborted - cancelled, 'stopped by a person': cancelled });
}

/** What was spent: slots always, tokens and money where a model was asked. */
export function describeSpend(spend: Status['spend']): string {
  const parts = [`${formatSeconds(spend.slotSeconds)} on slots`];
  if (spend.tokens > 0) parts.push(`${formatCount(spend.tokens)} tokens`);
  if (spend.usd > 0) parts.push(formatUsd(spend.usd));
  return parts.join(' · ');
}

/** The status as label and text, one row each; the live view and `perpetua status` show the same. */
export function statusRows(status: Status, { unit, report }: Shown): [string, string][] {
  const { trials, earlyAbort } = status;
  const rows: [string, string][] = [
    ['best', describeBest(status, unit)],
    ['gain', describeReport(report, status.baseline?.sd ?? null)],
    ...leadRow(status, unit),
    ['baseline', describeBaseline(status, unit)],
    ['trials', `${trials.ended} ended, ${trials.running} under way · ${describeTrials(trials)}`],
    ['verdicts', describeCounts(status.verdicts)],
    ['spend', describeSpend(status.spend)],
    ['budget', describeBudget(status.budget, status.phase)],
  ];
  if (earlyAbort && earlyAbort.stopped + earlyAbort.audit.audited > 0) rows.push(['aborts', describeAbort(earlyAbort)]);
  return rows;
}

/** One row where the search stands elsewhere than at the best. */
function leadRow(status: Status, unit: string): [string, string][] {
  const lead = describeLead(status, unit);
  return lead === null ? [] : [['lead', lead]];
}

/** What is told beside the rows. */
export interface Noted {
  /** Null before Temporal was asked. */
  asked: Asked | null;
  warnings: string[];
  now: Date;
}

/** What fails again and again, in lines. */
export const failingLines = ({ asked, now }: Noted): string[] => describeAllFailing(asked?.failing ?? [], now);

/** What else a person should see: what stands in the way, alerts, what the gate warns of. */
export const noteLines = (status: Status, { asked, warnings, now }: Noted): string[] =>
  [
    ...(asked?.notes ?? []),
    ...pausedLine(status),
    ...waitLine(status),
    ...streakLine(status),
    ...describeAlerts(status.alerts, now),
    ...warnings,
  ].map(oneLine);

/** How it goes on; no line where nobody paused it. */
export const pausedLine = ({ phase, workflowId }: Pick<Status, 'phase' | 'workflowId'>): string[] =>
  phase === 'paused' ? [`it is paused; to go on: npx perpetua resume ${workflowId}`] : [];

/** What some trials wait for while others get on; where none does, that is the reason of the phase. */
const waitLine = ({ wait, phase }: Pick<Status, 'wait' | 'phase'>): string[] =>
  wait === null || phase === 'waiting' ? [] : [describeWait(wait)];

/** That nothing but failures comes; no line where that is not so. */
export function streakLine({ losingStreak }: Pick<Status, 'losingStreak'>): string[] {
  if (losingStreak === null) return [];
  const { trials, orMore, newest } = losingStreak;
  const why = newest.reason ?? newest.status.replace('_', ' ');
  return [
    `the last ${trials} trials${orMore ? ' (or more)' : ''} failed, the newest: ${why}. See: npx perpetua show ${newest.trialId}`,
  ];
}

/** `perpetua status` for people. */
export function renderStatus(status: Status, options: Shown & Noted): string[] {
  const reason = status.reason ? ` · ${oneLine(status.reason)}` : '';
  const { metric } = status;
  return [
    `${status.workflowId} · task ${status.task} · ${status.phase}${reason}`,
    ...columns([
      ['metric', `${metric.name}, ${metric.direction}`],
      ['proposer', status.proposer],
      ...statusRows(status, options),
      ['window', status.window === null ? '–' : `${howMany(status.window, 'trial')} at once`],
      ...(status.queue === null ? [] : [['queue', describeQueue(status.queue)] as [string, string]]),
    ]).map((line) => `  ${line}`),
    ...failingLines(options).map((line) => `failing: ${line}`),
    ...noteLines(status, options).map((note) => `note: ${note}`),
  ];
}

/** A unit with the space before it; empty where the metric has none. */
export const unitOf = (metric: { unit?: string | undefined }): string =>
  metric.unit ? ` ${oneLine(metric.unit)}` : '';
