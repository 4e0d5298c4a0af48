import { describeLearned } from '../../../domain/view/policy/learned.ts';
import { learningCurveLines } from '../../../domain/view/policy/learning-curve.ts';
import { hasEnded } from '../../../domain/view/phase.ts';
import { cut } from '../../render/text/text.ts';
import { wrapTo } from '../../render/text/wrap.ts';
import type { Snapshot } from './snapshot.ts';

/** Lines below the plot: its axis, the numbers of it, the latest update. */
const BELOW = 3;
/** Lines of the smallest and the largest plot. */
const [LOW, HIGH] = [3, 12];
/** Lines of the sentence that says what was learnt. */
const LEARNT = 3;

/** The curve of a policy that learns, in at most so many lines, then what it has learnt; nothing where it does not, or too few. */
export function learningPanel(snapshot: Snapshot, { columns, lines }: { columns: number; lines: number }): string[] {
  const { status, research, learning: rows } = snapshot;
  if (!status.learning?.batch && rows.length === 0) return [];
  const { references = [] } = research.task;
  const learnt = wrapTo(learntLine(snapshot) ?? '', { width: columns, lines: LEARNT }).filter((line) => line !== '');
  const height = Math.min(HIGH, lines - BELOW - learnt.length);
  if (height < LOW) return learnt.slice(0, Math.max(0, lines));
  const curve = learningCurveLines({ rows, references, height, width: columns, updates: planned(snapshot) });
  return [...curve.map((line) => cut(line, columns)), ...learnt];
}

/** A sentence about all that was learnt, once it is over; null before that. */
export function learntLine({ status, research, learning }: Snapshot): string | null {
  if (!hasSettled(status)) return null;
  const text = describeLearned(learning, research.task.references);
  return text === null ? null : `learnt: ${text}`;
}

/** Whether a research has ended, and with it the update that was at work; one that a person's stop left is for its next start. */
export const hasSettled = ({ phase, learning }: Snapshot['status']): boolean =>
  hasEnded(phase) && (learning?.update?.begunAt ?? null) === null;

/** Updates that the budget has proposals for; 0 where it has no limit. */
function planned({ status: { budget, learning } }: Snapshot): number {
  const limits = [budget.proposals.limit, budget.trials.limit].filter((limit) => limit !== null);
  const batch = learning?.batch?.of;
  return limits.length === 0 || !batch ? 0 : Math.floor(Math.min(...limits) / batch);
}
