import { ApplicationFailure } from '@temporalio/activity';
import type { CurvePoint } from '../../domain/abort/types.ts';
import type { Progress, Run } from '../../db/queries/run.ts';
import type { Store } from '../../db/store.ts';
import { afterPoint, brokenRule, NO_POINTS, type HardRuleState } from '../../domain/metric/hard-rules.ts';
import { createPointReader } from '../../domain/metric/read-points.ts';
import type { Failure } from '../../domain/trial.ts';
import type { Task } from '../../domain/task/task.ts';
import type { WithinTime } from '../../infra/within-time.ts';
import { createGuardedReader } from './guarded-reader.ts';

/** Longest line that is read as a point; a longer one is skipped. */
const MAX_LINE_BYTES = 64 * 1024;
/** Points of a run that are kept; beyond them the hard rules still see each line. */
const MOST_POINTS = 200_000;
const COMMIT_EVERY_MS = 1000;

/** State of the reader at the committed offset; plain JSON. */
interface ReaderState {
  seq: number;
  rules: HardRuleState;
  /** Lines that took too long to read. */
  skipped?: number;
}

export interface Follower {
  /** The curve so far. */
  points: readonly CurvePoint[];
  push(chunk: Uint8Array, decide: (failure: Failure) => void): void;
  /** Commits what was read and asks the time-based rules. */
  tick(decide: (failure: Failure) => void): Promise<void>;
  flush(): Promise<void>;
}

/** Turns output into points and commits them with the offset they were read up to, so that none is lost or doubled. */
export function createFollower(from: {
  store: Store;
  withinTime: WithinTime;
  key: { trialId: string; placement: number };
  run: Run;
  progress: Task['progress'];
  /** Points that were committed before. */
  before: CurvePoint[];
}): Follower {
  const { store, withinTime, key, run, progress, before: curve } = from;
  const launched = (run.launchedAt ?? new Date()).getTime();
  const stored = run.reader as ReaderState | null;
  const state: ReaderState = stored ?? { seq: 0, rules: NO_POINTS };
  const reader =
    progress && createGuardedReader({ reader: createPointReader(progress), withinTime, skipped: state.skipped ?? 0 });
  const pending: Progress['points'] = [];
  let committed = run.logOffset;
  let offset = run.logOffset;
  let partial = Buffer.alloc(0);
  let lastCommit = Date.now();
  let saving = Promise.resolve();
  const clock = (): number => (Date.now() - launched) / 1000;
  let lastLine = clock();

  const lines = (texts: readonly string[], decide: (failure: Failure) => void): void => {
    if (texts.length === 0) return;
    lastLine = clock();
    if (!reader || !progress) return;
    for (const point of reader.read(texts)) {
      if (!point) continue;
      state.rules = afterPoint(state.rules, point, progress);
      if (state.rules.broken) decide(state.rules.broken);
      if (state.seq >= MOST_POINTS) continue;
      const timed = { elapsed: lastLine, ...point };
      curve.push(timed);
      pending.push({ seq: state.seq, ...timed });
      state.seq += 1;
    }
    if (reader.skipped > 0) state.skipped = reader.skipped;
  };

  const commit = async (): Promise<void> => {
    if (offset === committed) return;
    const progressed = {
      ...key,
      follower: run.follower,
      from: committed,
      to: offset,
      reader: { ...state },
      points: pending.splice(0),
    };
    const saved = await store.saveProgress(progressed);
    if (!saved) throw ApplicationFailure.retryable('a newer monitor took over', 'Fenced');
    committed = progressed.to;
    lastCommit = Date.now();
  };
  // One commit at a time, in order: each starts from the offset of the one before.
  const save = (): Promise<void> => (saving = saving.then(commit));

  return {
    points: curve,
    push(chunk, decide) {
      const bytes = Buffer.concat([partial, chunk]);
      const texts: string[] = [];
      let start = 0;
      for (let end = bytes.indexOf(10, start); end !== -1; end = bytes.indexOf(10, start)) {
        if (end - start <= MAX_LINE_BYTES) texts.push(bytes.toString('utf8', start, end));
        start = end + 1;
      }
      lines(texts, decide);
      offset += start;
      partial = Buffer.from(bytes.subarray(start));
      if (partial.length > MAX_LINE_BYTES) {
        offset += partial.length;
        partial = Buffer.alloc(0);
      }
    },
    async tick(decide) {
      const broken = progress && brokenRule(state.rules, { now: clock(), lastLine }, progress);
      if (broken) decide(broken);
      if (Date.now() - lastCommit >= COMMIT_EVERY_MS) await save();
    },
    async flush() {
      if (partial.length > 0) {
        lines([partial.toString('utf8')], () => undefined);
        offset += partial.length;
        partial = Buffer.alloc(0);
      }
      await save();
    },
  };
}
