import {
  SHOWN_VERDICTS,
  TRIAL_STATUSES,
  type FailureLabel,
  type ShownVerdict,
  type TrialStatus,
} from '../../../../domain/trial.ts';
import type { TrialCounts } from '../../../../view/trials.ts';
import { classOf, countClasses, type TrialClass, type TrialColumns } from './trial-columns.ts';

/** Trials of a class with the verdict that people see. */
export interface ShownClass extends Omit<TrialClass, 'verdict'> {
  verdict: ShownVerdict | null;
  trials: number;
}

/** Numbers of a research's trials by class. `absorbed`: numbers of the trials with that verdict. */
export function countShown(columns: TrialColumns, absorbed: ReadonlySet<number>): ShownClass[] {
  const moved = new Map<TrialClass, number>();
  for (const n of absorbed) {
    const found = classOf(columns, n);
    if (found?.verdict === 'discard') moved.set(found, (moved.get(found) ?? 0) + 1);
  }
  return countClasses(columns).flatMap((trials, index) => {
    const found = columns.classes[index];
    if (!found) return [];
    const others = moved.get(found) ?? 0;
    const shown: ShownClass[] = [
      { ...found, trials: trials - others },
      { ...found, verdict: 'absorbed', trials: others },
    ];
    return shown.filter((one) => one.trials > 0);
  });
}

const BY_PERSON: FailureLabel = 'stopped-by-operator';

const zeros = <K extends string>(keys: readonly K[]) =>
  Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;

/** Counts as `readCounts` reads them. */
export function countTrials(columns: TrialColumns, absorbed: ReadonlySet<number>): TrialCounts {
  const byStatus: Record<TrialStatus, number> = zeros(TRIAL_STATUSES);
  const verdicts: Record<ShownVerdict, number> = zeros(SHOWN_VERDICTS);
  const counts = { started: 0, ended: 0, running: 0, cancelled: 0, reused: 0 };
  for (const { status, verdict, failure, isReused, trials } of countShown(columns, absorbed)) {
    counts.started += trials;
    if (isReused) counts.reused += trials;
    if (status === null) {
      counts.running += trials;
      continue;
    }
    if (status === 'aborted' && failure === BY_PERSON) counts.cancelled += trials;
    counts.ended += trials;
    byStatus[status] += trials;
    verdicts[verdict ?? 'none'] += trials;
  }
  const { reused, ...rest } = counts;
  return { ...rest, ...(reused > 0 ? { reused } : {}), byStatus, verdicts };
}

/** Number of trials that had ended before a time, in seconds since the research began. */
export function countEndedBefore({ blocks }: TrialColumns, seconds: number): number {
  let ended = 0;
  for (const block of blocks) {
    if (block === null || block.firstEnd >= seconds) continue;
    if (block.lastEnd < seconds) ended += block.ended;
    else for (const end of block.ends) if (end < seconds) ended += 1;
  }
  return ended;
}
