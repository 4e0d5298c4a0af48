import type { AbortRecord } from '../../../domain/abort/record.ts';
import type { Random } from '../../../domain/statistics/random.ts';
import type { FailureLabel, TrialStatus } from '../../../domain/trial.ts';
import { RUN_SECONDS } from './task.ts';

/** Standard deviation of one run, in the unit of the metric. */
export const NOISE = 0.012;

/** Outcome of a run of a candidate. */
export interface Run {
  status: TrialStatus;
  failure: FailureLabel | null;
  message: string | null;
  value: number | null;
  seconds: number;
  abort: AbortRecord | null;
}

interface Failure {
  share: number;
  status: TrialStatus;
  failure: FailureLabel;
  message: string;
  /** Range of the duration, in budgets. */
  lasts: readonly [number, number];
}

const FAILURES: readonly Failure[] = [
  {
    share: 0.018,
    status: 'crashed',
    failure: 'exit-code',
    lasts: [0.02, 0.3],
    message: "expected exit code 0, got 1: RuntimeError: shape '[8, 512, 3, 89]' is invalid for input of size 1093632",
  },
  {
    share: 0.008,
    status: 'crashed',
    failure: 'out-of-memory',
    lasts: [0.03, 0.2],
    message: 'expected at most 2048 MiB of memory, the run took more',
  },
  {
    share: 0.006,
    status: 'timed_out',
    failure: 'wall-clock',
    lasts: [2.2, 2.25],
    message: 'expected an end within 270 s, the run went on',
  },
  {
    share: 0.012,
    status: 'diverged',
    failure: 'not-finite',
    lasts: [0.1, 0.5],
    message: 'expected finite values, got NaN at step 310',
  },
  {
    share: 0.002,
    status: 'lost',
    failure: 'machine-lost',
    lasts: [0.2, 0.9],
    message: 'the host was not reached for 10 min while it ran',
  },
  {
    share: 0.0005,
    status: 'aborted',
    failure: 'stopped-by-operator',
    lasts: [0.2, 0.9],
    message: 'a person stopped it',
  },
];

/** Outcomes of proposals without a run. */
export const UNRUN: readonly { share: number; status: TrialStatus; failure: FailureLabel | null; message: string }[] = [
  {
    share: 0.02,
    status: 'rejected',
    failure: 'edit-does-not-apply',
    message: 'expected the searched text once in train.py, got 0 times',
  },
  {
    share: 0.006,
    status: 'rejected',
    failure: 'edit-outside-mutable',
    message: 'expected an edit of config.yaml or train.py, got one of model.py',
  },
  { share: 0.01, status: 'cached', failure: null, message: 'the same as trial' },
];

/** Draws a run. `bar`: the loss that a proposal has to beat; null for a run that the gate wants, or without a lead. */
export function runOf(input: { loss: number; bar: number | null; audits: number }, random: Random): Run {
  const { loss, bar } = input;
  const value = Number((loss + random.normal() * NOISE).toFixed(5));
  const seconds = RUN_SECONDS * (0.93 + random.uniform() * 0.09);
  const drawn = random.uniform();
  const hopeless = bar !== null && loss - bar > 4 * NOISE && random.uniform() < 0.7;
  if (bar === null) return { status: 'completed', failure: null, message: null, value, seconds, abort: null };
  let sum = 0;
  for (const { share, status, failure, message, lasts } of FAILURES) {
    sum += share;
    if (drawn >= sum) continue;
    const [from, to] = lasts;
    const lasted = RUN_SECONDS * (from + random.uniform() * (to - from));
    return { status, failure, message, value: null, seconds: lasted, abort: null };
  }
  const audited = input.audits < 30 || random.uniform() < 0.05;
  const share = hopeless ? 0.3 + random.uniform() * 0.3 : 0.95;
  const abort = recordOf({ bar, forecast: loss, share, wanted: hopeless, audited: hopeless && audited });
  if (!hopeless || audited) return { status: 'completed', failure: null, message: null, value, seconds, abort };
  const forecast = `forecast ${loss.toFixed(3)} against ${bar.toFixed(3)}`;
  const message = `stopped at ${Math.round(share * 100)} %, ${forecast}: ${abort.reason}`;
  return { status: 'aborted', failure: 'cannot-win', message, value: null, seconds: RUN_SECONDS * share, abort };
}

interface Look {
  bar: number;
  forecast: number;
  share: number;
  wanted: boolean;
  audited: boolean;
}

function recordOf({ bar, forecast, share, wanted, audited }: Look): AbortRecord {
  const auditProbability = audited ? 1 : 0.05;
  return {
    rule: 'matched-time',
    abort: wanted,
    audited,
    auditProbability: wanted ? auditProbability : null,
    share,
    forecast,
    interval: { low: forecast - 2 * NOISE, high: forecast + 2 * NOISE },
    reason: wanted ? 'of 40 runs that stood so at that share none came to beat it' : 'it may still beat it',
    incumbent: bar,
    strictness: 1,
    elapsed: RUN_SECONDS * share,
  };
}
