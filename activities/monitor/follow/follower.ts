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
 * A line may have waited so long to be read and still has a time: output is looked for once a second at least, and of a
 * long budget a fiftieth shows in no curve.
 */
const PROMPT = { seconds: 2, budgets: 1 / 50 } as const;

/** State of the reader at the committed offset; plain JSON. */
interface ReaderState {
  seq: number;
  /** Missing in states of older versions, which read both as one. */
  streams?: Record<StreamName, StreamState>;
  /** The point before. */
  last?: Point;
  rules: HardRuleState;
  /** Seconds after the start: all that was printed by then has been read. */
  read?: number;
  /** Lines that took too long to read. */
  skipped?: number;
  /** The last of the points that were kept behind a flood of lines. */
  behind?: ThinningState;
}

type Decide = (failure: Failure) => void;

export interface Follower {
  /** Where its output is read on: of each stream, or of both as one. */
  from: Offsets | number;
  /** The curve so far; empty where nobody looks at it. */
  points: readonly CurvePoint[];
  push(output: Pick<RunOutput, 'chunk' | 'since' | 'stream'>, decide: Decide): void;
  /** Somebody has looked: all that there was is pushed. */
  markPolled(): void;
  /** The hard rule that the run has broken by now, by its points or its silence. */
  broken(): Failure | null;
  /** Commits what was read, once a second at most. */
  commit(): Promise<void>;
  flush(): Promise<void>;
  /** The run has said that it serves, in what was pushed; left out where nobody waits for that. */
  isReady?(): boolean;
}

/**
 * Turns output into points and commits them with the offset they were read up to, so that none is lost or doubled. What
 * the run printed while nobody followed it has no times: a guess would bend the curve.
 */
export function createFollower(from: {
  store: Store;
  withinTime: WithinTime;
  key: { trialId: string; placement: number };
  run: Run;
  task: Pick<Task, 'progress' | 'run'>;
  /** Points that were committed before, to which more are added; null where nobody looks at them. */
  curve: CurvePoint[] | null;
}): Follower {
  const { store, withinTime, key, run, curve } = from;
  const { progress } = from.task;
  const budget = curveBudget(from.task);
  const prompt = Math.max(PROMPT.seconds, PROMPT.budgets * from.task.run.budget.seconds);
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
  // The wall clock jumps, and goes on while nobody looks.
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
    const elapsed = now - (state.read ?? 0) <= prompt ? now : Number.NaN;
    for (const point of reader.read(texts)) {
      if (!point || isRepeatedPoint(state.last, point)) continue;
      state.last = point;
      state.rules = afterPoint(state.rules, point, progress);
      if (state.rules.broken) decide(state.rules.broken);
      const timed = { elapsed, ...point };
      // The hard rules have seen it all the same.
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
  // One commit at a time, in order: each starts from the offset of the one before.
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
