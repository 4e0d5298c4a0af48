import type { LogLine } from '../../../db/reads/read-log.ts';
import { isInStep } from '../../../domain/learning/sample-position.ts';
import { oneLine } from '../../../domain/text/sanitize.ts';
import { formatResult } from '../../../domain/text/format.ts';
import { plural } from '../../../domain/text/plural.ts';
import { describeLearned, describeUpdate } from '../../../view/policy/learning.ts';
import { describeBaseline } from '../../../view/rows/baseline.ts';
import { describeBest } from '../../../view/rows/best.ts';
import { baselineLine, describeAlert, freshAlerts, streakLine, resumeHint } from '../../../view/notices.ts';
import { describePhase, hasEnded } from '../../../view/phase.ts';
import { describeSpend } from '../../../view/spend.ts';
import type { StatusView } from '../../../view/status.ts';
import { describeSlots, describeTrials } from '../../../view/trials.ts';
import { describeEnd } from '../../../view/verdict.ts';
import type { TemporalState } from '../../temporal/read-temporal-state.ts';
import { describeObstacleEnd, NO_ANSWER } from '../../temporal/obstacles.ts';
import { describeFailing, describeWhat } from '../../render/failing.ts';
import { renderLogLine } from '../../render/log-line.ts';
import type { Snapshot } from './snapshot.ts';

const CATCH_UP = 10;
/** Where nothing happens a log still shows that it goes on, and how far it is. */
const STATUS_EVERY_MS = 5 * 60_000;

/** What the plain lines have told so far. */
export interface ReportedState {
  phase: string | null;
  /** Number to how it ended, of the trials in the last snapshot. */
  trials: Map<number, string>;
  claims: number;
  /** Number of the last update. */
  update: number;
  learnt: boolean;
  baseline: boolean;
  /** What is wrong in Temporal, by name. */
  troubles: Set<string>;
  /** Alerts, warnings and the streak of failures, by a name that stays the same. */
  notes: Set<string>;
  /** When it was last told how far the research is; null before the first look. */
  statusAt: number | null;
}

export const nothingReported = (): ReportedState => ({
  phase: null,
  trials: new Map(),
  claims: 0,
  update: 0,
  learnt: false,
  baseline: false,
  troubles: new Set(),
  notes: new Set(),
  statusAt: null,
});

interface Look {
  told: ReportedState;
  /** Null before Temporal was asked. */
  asked: TemporalState | null;
  now: Date;
  /** What else whoever shows it has to say. */
  notes?: string[];
}

/**
 * One line for each event since the last look, and what is told now: phases, the baseline, verdicts,
 * claims, notes, troubles, and every few minutes how far it is.
 */
export function progressLines(
  snapshot: Snapshot,
  { told, asked, now, notes: own = [] }: Look,
): { lines: string[]; told: ReportedState } {
  const { research, status, learning } = snapshot;
  const lines: string[] = [];
  // An update is told by what came of it.
  const phase = (isInStep(status.reason) ? told.phase : null) ?? describePhase(status);
  const over = hasEnded(status.phase);
  const news = phase === told.phase ? [] : [[`${status.workflowId} ${phase}`, ...resumeHint(status)].join('. ')];
  if (!over) lines.push(...news);
  // Each verdict once: a trial that waits for its confirmation is told again when that has ruled.
  const shown = eventsOf(snapshot);
  const fresh = shown.filter((line) => told.trials.get(line.n) !== describeEnd(line));
  // Who comes later is told the last few, not all that was.
  const before = told.phase === null && !learns(status) ? snapshot.ended.slice(0, CATCH_UP).toReversed() : [];
  if (before.length > 0) lines.push(`the last ${before.length} of ${plural(status.trials.ended, 'trial')} so far:`);
  for (const line of told.phase === null ? before : fresh) lines.push(renderLogLine(line, research.task.metric));
  const ended = learning.filter(({ update }) => update > told.update);
  lines.push(...(told.phase === null ? ended.slice(-CATCH_UP) : ended).map(describeUpdate));
  if (status.baseline && !told.baseline) lines.push(`baseline ${describeBaseline(status)}`);
  const claims = snapshot.claims.filter((claim) => claim.seq > told.claims);
  if (claims.length > 0) lines.push(`best ${describeBest(status)}`);
  const notes = noteNews(snapshot, { told, now, notes: own });
  lines.push(...notes.lines);
  const trouble = troubleLines({ told, asked, now });
  const learnt = learntLine(snapshot);
  const isDue = told.statusAt !== null && !over && now.getTime() - told.statusAt >= STATUS_EVERY_MS;
  if (isDue) lines.push(statusLine(status));
  return {
    // The end is told last, behind the verdicts that it waited for; what was learnt, behind the last update.
    lines: [...lines, ...trouble.lines, ...(over ? news : []), ...(told.learnt || learnt === null ? [] : [learnt])],
    told: {
      troubles: trouble.troubles,
      notes: notes.notes,
      statusAt: isDue ? now.getTime() : (told.statusAt ?? now.getTime()),
      phase,
      trials: new Map(shown.map((line) => [line.n, describeEnd(line)])),
      update: Math.max(told.update, ...ended.map(({ update }) => update)),
      learnt: hasSettled(status),
      claims: Math.max(told.claims, ...snapshot.claims.map((claim) => claim.seq)),
      baseline: status.baseline !== null,
    },
  };
}

/** A sentence about everything the policy learnt; null before the research has settled. */
function learntLine({ status, research, learning }: Snapshot): string | null {
  if (!hasSettled(status)) return null;
  const text = describeLearned(learning, research.task.references);
  return text === null ? null : `learnt: ${text}`;
}

/** True if the research has ended and no update is being carried out. An update that a stop left waits for the next start. */
export const hasSettled = ({ phase, learning }: StatusView): boolean =>
  hasEnded(phase) && (learning?.update?.begunAt ?? null) === null;

/** How far it is, in one line. */
function statusLine(status: StatusView): string {
  const { trials, baseline } = status;
  return [
    `${status.workflowId} ${status.phase}: best ${describeBest(status)}`,
    ...(baseline ? [`baseline ${formatResult(baseline.value, baseline.sd)}`] : []),
    `trials ${describeTrials({ ended: trials.ended, running: trials.running })}`,
    `slots ${describeSlots(status.slots)}`,
    describeSpend(status.spend),
  ].join(' · ');
}

/** Alerts and warnings that were not told yet; a streak of failures again where there is a new one. */
function noteNews({ status }: Snapshot, { told, now, notes: own = [] }: Omit<Look, 'asked'>) {
  const current = new Map([
    ...freshAlerts(status.alerts, now, told.statusAt === null ? CATCH_UP : Infinity)
      .toReversed()
      .map((alert) => [`alert ${alert.message}`, describeAlert(alert, now)] as const),
    // What they count changes, and is no news.
    ...[...own, ...status.warnings].map((text) => [`warning ${text.replace(/-?[\d.]+/g, '#')}`, text] as const),
    ...baselineLine(status).map((text) => [BASELINE, text] as const),
    ...streakLine(status).map((text) => [STREAK, text] as const),
  ]);
  const lines = [...current].flatMap(([name, text]) => (told.notes.has(name) ? [] : [`note: ${oneLine(text)}`]));
  const notes = new Set([...told.notes, ...current.keys()]);
  if (!current.has(STREAK)) notes.delete(STREAK);
  return { lines, notes };
}

const [STREAK, BASELINE] = ['streak', 'baseline'];

/**
 * Trials that ended or were ruled on lately, each once: the oldest first, rulings on older trials last. Samples of a policy
 * that learns are many, and told by their update.
 */
function eventsOf({ status, ended, rulings }: Snapshot): LogLine[] {
  const known = new Set(ended.map(({ n }) => n));
  const all = [...ended.toReversed(), ...rulings.filter(({ n }) => !known.has(n)).toReversed()];
  return learns(status) ? all.filter(({ kind }) => kind !== 'search') : all;
}

const learns = ({ learning }: StatusView): boolean => Boolean(learning?.batch);

/** What is wrong in Temporal and was not told yet, and what is mended; also before the research is there. */
export function troubleLines({ told, asked, now }: Look): { lines: string[]; troubles: Set<string> } {
  if (!asked) return { lines: [], troubles: told.troubles };
  const troubles = troublesOf(asked, now);
  const fresh = [...troubles].filter(([name]) => !told.troubles.has(name)).map(([, line]) => `! ${line}`);
  const gone = [...told.troubles].filter((name) => !troubles.has(name)).map(describeObstacleEnd);
  return { lines: [...fresh, ...gone], troubles: new Set(troubles.keys()) };
}

/** What is wrong in Temporal, by a name that stays the same while it lasts. */
function troublesOf(asked: TemporalState, now: Date): Map<string, string> {
  const failing = (asked.failing ?? []).map(
    (one) => [`${describeWhat(one)} fails`, describeFailing(one, now)] as const,
  );
  const notes = asked.notes.map((text) => [asked.error === null ? text : NO_ANSWER, text] as const);
  return new Map([...failing, ...notes]);
}
