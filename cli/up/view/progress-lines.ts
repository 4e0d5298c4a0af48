import type { LogLine } from '../../../db/reads/read-log.ts';
import { isInStep } from '../../../domain/learning/sample-position.ts';
import { oneLine } from '../../../domain/text/sanitize.ts';
import { formatResult } from '../../../domain/text/format.ts';
import { plural } from '../../../domain/text/plural.ts';
import { describeLearned } from '../../../view/policy/learned.ts';
import { describeUpdate } from '../../../view/policy/learning.ts';
import { describeBaseline } from '../../../view/rows/baseline.ts';
import { describeBest } from '../../../view/rows/best.ts';
import { baselineLine, describeAlert, freshAlerts, streakLine, resumeHint } from '../../../view/notices.ts';
import { describePhase, hasEnded } from '../../../view/phase.ts';
import { describeSpend } from '../../../view/spend.ts';
import type { StatusView } from '../../../view/status.ts';
import { describeSlots, describeTrials } from '../../../view/trials.ts';
import { describeEnd } from '../../../view/trial/verdict.ts';
import type { TemporalState } from '../../temporal/read-temporal-state.ts';
import { describeObstacleEnd, NO_ANSWER } from '../../temporal/obstacles.ts';
import { describeFailing, describeWhat } from '../../render/failing.ts';
import { renderLogLine } from '../../render/log-line.ts';
import { hasSettled } from './has-settled.ts';
import type { Snapshot } from './snapshot.ts';

/** Number of past trials, updates and alerts that the first report has. */
const CATCH_UP = 10;
/** Interval of status lines: a log without events still shows that the research continues. */
const STATUS_EVERY_MS = 5 * 60_000;

/** Facts that the lines have reported so far. */
export interface ReportedState {
  phase: string | null;
  /** Ending of each trial in the last snapshot, by the trial's number. */
  trials: Map<number, string>;
  /** Number of the last claim. */
  claims: number;
  /** Number of the last update. */
  update: number;
  /** True once the research has settled: the sentence about its learning is printed. */
  learnt: boolean;
  baseline: boolean;
  /** Names of the present troubles in Temporal. */
  troubles: Set<string>;
  /** Constant names of alerts, warnings and the streak of failures. */
  notes: Set<string>;
  /** Time of the last status line in ms since the epoch; null before the first report. */
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

interface ReportInput {
  /** State after the last report. */
  before: ReportedState;
  /** State in Temporal; null before its first answer. */
  temporalState: TemporalState | null;
  now: Date;
  /** Further notes of the caller. */
  notes?: string[];
}

/**
 * Lines about everything since the last report, and the new state: phases, the baseline, verdicts, claims, notes,
 * troubles, and every few minutes a status line.
 */
export function progressLines(
  snapshot: Snapshot,
  { before, temporalState, now, notes: callerNotes = [] }: ReportInput,
): { lines: string[]; state: ReportedState } {
  const { research, status, learning } = snapshot;
  const isFirst = before.phase === null;
  const lines: string[] = [];
  // A step of an update is no phase: the line about the update reports it.
  const phase = (isInStep(status.reason) ? before.phase : null) ?? describePhase(status);
  const over = hasEnded(status.phase);
  const phaseLine = [`${status.workflowId} ${phase}`, ...resumeHint(status)].join('. ');
  const isNewPhase = phase !== before.phase;
  if (isNewPhase && !over) lines.push(phaseLine);
  // Each ending once: a trial that waits for its confirmation gets another line after the ruling.
  const trials = eventsOf(snapshot);
  const fresh = trials.filter((line) => before.trials.get(line.n) !== describeEnd(line));
  // The first report has the last few trials only.
  const past = isFirst && !learns(status) ? snapshot.ended.slice(0, CATCH_UP).toReversed() : [];
  if (past.length > 0) lines.push(`the last ${past.length} of ${plural(status.trials.ended, 'trial')} so far:`);
  for (const line of isFirst ? past : fresh) lines.push(renderLogLine(line, research.task.metric));
  const updates = learning.filter(({ update }) => update > before.update);
  lines.push(...(isFirst ? updates.slice(-CATCH_UP) : updates).map(describeUpdate));
  if (status.baseline && !before.baseline) lines.push(`baseline ${describeBaseline(status)}`);
  const claims = snapshot.claims.filter((claim) => claim.seq > before.claims);
  if (claims.length > 0) lines.push(`best ${describeBest(status)}`);
  const notes = newNotes(snapshot, { before, now, notes: callerNotes });
  lines.push(...notes.lines);
  const trouble = troubleLines({ before, temporalState, now });
  const learnt = learntLine(snapshot);
  const isDue = before.statusAt !== null && !over && now.getTime() - before.statusAt >= STATUS_EVERY_MS;
  if (isDue) lines.push(statusLine(status));
  lines.push(...trouble.lines);
  // The end comes after the verdicts that it waited for, and the learning after the last update.
  if (isNewPhase && over) lines.push(phaseLine);
  if (!before.learnt && learnt !== null) lines.push(learnt);
  return {
    lines,
    state: {
      troubles: trouble.troubles,
      notes: notes.notes,
      statusAt: isDue ? now.getTime() : (before.statusAt ?? now.getTime()),
      phase,
      trials: new Map(trials.map((line) => [line.n, describeEnd(line)])),
      update: Math.max(before.update, ...updates.map(({ update }) => update)),
      learnt: hasSettled(status),
      claims: Math.max(before.claims, ...snapshot.claims.map((claim) => claim.seq)),
      baseline: status.baseline !== null,
    },
  };
}

/** Sentence about everything that the policy learnt; null before the research has settled. */
const learntLine = ({ status, learning, learned }: Snapshot): string | null =>
  learned === null || !hasSettled(status) ? null : `learnt: ${describeLearned(learned, learning)}`;

/** State of the research in one line. */
function statusLine(status: StatusView): string {
  const { trials, baseline } = status;
  const parts = [`${status.workflowId} ${status.phase}: best ${describeBest(status)}`];
  if (baseline) parts.push(`baseline ${formatResult(baseline.value, baseline.sd)}`);
  parts.push(
    `trials ${describeTrials({ ended: trials.ended, running: trials.running })}`,
    `slots ${describeSlots(status.slots)}`,
    describeSpend(status.spend),
  );
  return parts.join(' · ');
}

/** Lines about alerts and warnings that were not reported yet. A new streak of failures is reported again. */
function newNotes({ status }: Snapshot, { before, now, notes: callerNotes = [] }: Omit<ReportInput, 'temporalState'>) {
  const current = new Map([
    ...freshAlerts(status.alerts, now, before.statusAt === null ? CATCH_UP : Infinity)
      .toReversed()
      .map((alert) => [`alert ${alert.message}`, describeAlert(alert, now)] as const),
    // The name masks numbers: a changed count is no news.
    ...[...callerNotes, ...status.warnings].map((text) => [`warning ${text.replace(/-?[\d.]+/g, '#')}`, text] as const),
    ...baselineLine(status).map((text) => [BASELINE, text] as const),
    ...streakLine(status).map((text) => [STREAK, text] as const),
  ]);
  const lines = [...current].flatMap(([name, text]) => (before.notes.has(name) ? [] : [`note: ${oneLine(text)}`]));
  const notes = new Set([...before.notes, ...current.keys()]);
  if (!current.has(STREAK)) notes.delete(STREAK);
  return { lines, notes };
}

const [STREAK, BASELINE] = ['streak', 'baseline'];

/**
 * Trials that ended or were ruled on recently, each once: the oldest first, rulings on older trials last. Omits the
 * many samples of a learning policy, which the line about their update covers.
 */
function eventsOf({ status, ended, rulings }: Snapshot): LogLine[] {
  const known = new Set(ended.map(({ n }) => n));
  const all = [...ended.toReversed(), ...rulings.filter(({ n }) => !known.has(n)).toReversed()];
  return learns(status) ? all.filter(({ kind }) => kind !== 'search') : all;
}

const learns = ({ learning }: StatusView): boolean => Boolean(learning?.batch);

/** Lines about new and ended troubles in Temporal. Works also before the research exists. */
export function troubleLines({ before, temporalState, now }: ReportInput): { lines: string[]; troubles: Set<string> } {
  if (!temporalState) return { lines: [], troubles: before.troubles };
  const troubles = troublesOf(temporalState, now);
  const fresh = [...troubles].filter(([name]) => !before.troubles.has(name)).map(([, line]) => `! ${line}`);
  const gone = [...before.troubles].filter((name) => !troubles.has(name)).map(describeObstacleEnd);
  return { lines: [...fresh, ...gone], troubles: new Set(troubles.keys()) };
}

/** Troubles in Temporal as lines, by a name that stays the same as long as the trouble lasts. */
function troublesOf(state: TemporalState, now: Date): Map<string, string> {
  const failing = (state.failing ?? []).map(
    (work) => [`${describeWhat(work)} fails`, describeFailing(work, now)] as const,
  );
  const notes = state.notes.map((text) => [state.error === null ? text : NO_ANSWER, text] as const);
  return new Map([...failing, ...notes]);
}
