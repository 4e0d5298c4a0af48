import { ApplicationFailure } from '@temporalio/activity';
import { shareOf } from '../../../domain/abort/share-curve.ts';
import { curveBudget } from '../../../domain/abort/settings.ts';
import { keepPoint, KEPT_ALL, INITIAL_THINNING, type ThinningState } from '../../../domain/abort/thinning.ts';
import type { CurvePoint } from '../../../domain/abort/types.ts';
import type { Progress, Run } from '../../../db/run/run.ts';
import type { Store } from '../../../db/store.ts';
import {
  afterLine,
  afterSilentRead,
  afterPoint,
  brokenRule,
  NO_POINTS,
  type HardRuleState,
  NO_READ_YET,
} from '../../../domain/metric/hard-rules.ts';
import { createPointReader, type Point, isRepeatedPoint } from '../../../domain/metric/read-points.ts';
import type { Failure } from '../../../domain/trial.ts';
import type { Task } from '../../../domain/task/task.ts';
import type { Offsets, RunOutput, StreamName } from '../../../infra/compute.ts';
import type { WithinTime } from '../../../infra/within-time.ts';
import { createGuardedReader } from './guarded-reader.ts';
import { createStreamLines, type StreamState } from './stream-lines.ts';

const COMMIT_EVERY_MS = 1000;
/**
 * Longest delay at which the time of reading stands for the time of printing: the larger of some seconds and a share of
 * the budget. Output is polled at least once a second, and a fiftieth of a long budget is too little to show in a
 * curve.
 */
const LONGEST_DELAY = { seconds: 2, budgets: 1 / 50 } as const;

/** State of the reader at the committed offset; plain JSON. */
interface ReaderState {
  seq: number;
  /** Absent from states of older versions, which read both streams as one. */
  streams?: Record<StreamName, StreamState>;
  /** The last point that was read. */
  last?: Point;
  rules: HardRuleState;
  /** Seconds after the launch up to which all output has been read. */
  read?: number;
  /** Lines that took too long to read. */
  skipped?: number;
  /** State of the thinning; absent until the first {@link KEPT_ALL} points are kept. */
  behind?: ThinningState;
}

type Decide = (failure: Failure) => void;

export interface Follower {
  /** Offset at which reading continues: of each stream, or of both as one. */
  from: Offsets | number;
  /** The curve so far; empty if no rule reads it. */
  points: readonly CurvePoint[];
  push(output: Pick<RunOutput, 'chunk' | 'since' | 'stream'>, decide: Decide): void;
  /** Records a poll of the run: all output up to now has been pushed. */
  markPolled(): void;
  /** Failure of the hard rule that the run has broken by its points or its silence; null if it broke none. */
  broken(): Failure | null;
  /** Commits what was read, at most once a second. */
  commit(): Promise<void>;
  flush(): Promise<void>;
  /** True once the pushed output reports that the server serves; absent for trials. */
  isReady?(): boolean;
}

/**
 * Turns output into points and commits them with the offset up to which output was read, so that no point is lost or
 * doubled. Lines that were printed while no worker followed the run get no time, since a guessed time would distort the
 * curve.
 */
export function createFollower(from: {
  store: Store;
  withinTime: WithinTime;
  key: { jobId: string; placement: number };
  run: Run;
  task: Pick<Task, 'progress' | 'run'>;
  /** Points that were committed before, to which new points are added; null if no rule reads them. */
  curve: CurvePoint[] | null;
}): Follower {
  const { store, withinTime, key, run, curve } = from;
  const { progress } = from.task;
  const budget = curveBudget(from.task);
  const longestDelay = Math.max(LONGEST_DELAY.seconds, LONGEST_DELAY.budgets * from.task.run.budget.seconds);
  const launched = (run.launchedAt ?? new Date()).getTime();
  const stored = run.reader as ReaderState | null;
  const state: ReaderState = stored ?? { seq: 0, rules: NO_POINTS };
  const reader =
    progress && createGuardedReader({ reader: createPointReader(progress), withinTime, skipped: state.skipped ?? 0 });
  const pending: Progress['points'] = [];
  const before = stored?.streams ?? { stdout: { offset: run.logOffset }, stderr: { offset: 0 } };
  const streams = { stdout: createStreamLines(before.stdout), stderr: createStreamLines(before.stderr) };
  const reached = (): Record<StreamName, StreamState> => ({
    stdout: streams.stdout.state(),
    stderr: streams.stderr.state(),
  });
  let committed = run.logOffset;
  let lastCommit = Date.now();
  let saving = Promise.resolve();
  const clock = (now = Date.now()): number => (now - launched) / 1000;
  // Monotonic: the wall clock can be set, and goes on while the machine sleeps.
  const seconds = (): number => performance.now() / 1000;
  let silence = NO_READ_YET;

  const isKept = (point: CurvePoint): boolean => {
    const behind = keepPoint(state.seq, budget ? shareOf(point, budget) : Number.NaN, state.behind ?? INITIAL_THINNING);
    if (behind && state.seq >= KEPT_ALL) state.behind = behind;
    return behind !== null;
  };

  const read = (texts: readonly string[], decide: Decide): void => {
    if (texts.length === 0 || !reader || !progress) return;
    const now = clock();
    const elapsed = now - (state.read ?? 0) <= longestDelay ? now : Number.NaN;
    for (const point of reader.read(texts)) {
      if (!point || isRepeatedPoint(state.last, point)) continue;
      state.last = point;
      state.rules = afterPoint(state.rules, point, progress);
      if (state.rules.broken) decide(state.rules.broken);
      const timed = { elapsed, ...point };
      // Thinning drops the point from the curve only; the hard rules have counted it.
      if (!isKept(timed)) continue;
      curve?.push(timed);
      pending.push({ seq: state.seq, ...timed });
      state.seq += 1;
    }
    if (reader.skipped > 0) state.skipped = reader.skipped;
  };

  const commit = async (): Promise<void> => {
    state.streams = reached();
    const to = state.streams.stdout.offset + state.streams.stderr.offset;
    if (to === committed) return;
    const progressed = {
      ...key,
      follower: run.follower,
      from: committed,
      to,
      reader: { ...state },
      points: pending.splice(0),
    };
    const saved = await store.run.saveProgress(progressed);
    if (!saved) throw ApplicationFailure.retryable('a newer monitor took over', 'Fenced');
    committed = progressed.to;
    lastCommit = Date.now();
  };
  // Commits run one at a time, in order: each starts from the offset of the commit before.
  const save = (): Promise<void> => (saving = saving.then(commit));

  return {
    points: curve ?? [],
    from: { stdout: before.stdout.offset, stderr: before.stderr.offset },
    push({ chunk, since, stream = 'stdout' }, decide) {
      if (since) state.read = clock(since.getTime());
      const { texts, isEnd } = streams[stream].push(chunk);
      if (isEnd) silence = afterLine(seconds());
      read(texts, decide);
    },
    markPolled: () => void (silence = afterSilentRead(silence, seconds())),
    broken: () => (progress ? brokenRule(state.rules, silence.seconds, progress) : null),
    commit: async () => {
      if (Date.now() - lastCommit >= COMMIT_EVERY_MS) await save();
    },
    async flush() {
      for (const stream of [streams.stdout, streams.stderr]) read(stream.finish(), () => undefined);
      await save();
    },
  };
}
