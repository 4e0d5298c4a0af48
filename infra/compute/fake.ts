import {
  StageMissingError,
  type Collected,
  type Compute,
  type Conversation,
  type EndReason,
  type FileContent,
  type FollowEvent,
  type Offsets,
  type RunOutput,
  type RunEnd,
  type RunRef,
  type RunSpec,
  type RunState,
} from '../compute.ts';
import { requireInsidePath } from '../files.ts';
import { notEndedError } from './run-protocol/ending/not-ended-error.ts';
import { runningState } from './run-protocol/ending/running-state.ts';
import { STDOUT_BYTES, wholeLines } from './run-protocol/stdout-tail.ts';

/** The script of a simulated run. */
export interface FakeRun {
  seconds: number;
  /** Lines of output, printed one by one at equal intervals over the run. */
  lines?: string[];
  exitCode?: number;
  artefacts?: FileContent[];
}

export interface FakeOptions {
  host: string;
  /** Length of every run in seconds, if there is no script; default: 0. */
  sleepSeconds?: number;
  script?: (spec: RunSpec) => FakeRun;
  /** Answer of a candidate in a conversation: one chunk for each chunk that it receives; default: the same chunk. */
  answer?: (chunk: Uint8Array) => Uint8Array;
}

interface Live {
  spec: RunSpec;
  plan: FakeRun;
  started: number;
  output: Buffer;
  timers: NodeJS.Timeout[];
  end: RunEnd | undefined;
  watchers: Set<() => void>;
}

/** Longest time between two events of a follower, in ms. */
const PROBE_MS = 1000;

const keyOf = (run: RunRef): string => `${run.jobId}\n${run.placement}`;

/** A host in memory, for benches with simulated slots: timers stand for processes, and time is the only limit. */
export function createFakeCompute(options: FakeOptions): Compute {
  const staged = new Set<string>();
  const prepared = new Set<string>();
  const runs = new Map<string, Live>();
  const plan = options.script ?? ((): FakeRun => ({ seconds: options.sleepSeconds ?? 0 }));
  const ended = (run: RunRef, verb: string): Live & { end: RunEnd } => {
    const live = runs.get(keyOf(run));
    if (!live?.end) throw notEndedError(options.host, run, { verb, state: live ? 'running' : 'absent' });
    return { ...live, end: live.end };
  };

  return {
    host: options.host,
    protections: async () => ({
      containment: 'process-group',
      sandboxed: false,
      network: false,
      filesystem: false,
      processes: false,
      uid: false,
      groups: [],
      exposure: 'A run can do nothing: it is simulated.',
      notes: ['Runs are simulated: no process is started.'],
    }),
    forgetConfinement: () => undefined,
    hide: async () => undefined,
    missingTools: async () => [],
    locateMissing: async () => ({ found: [], pythons: [] }),
    isStaged: async (hash) => staged.has(hash),
    stage: async (hash, files) => {
      for (const file of files) requireInsidePath(file.path);
      staged.add(hash);
    },
    isPrepared: async (hash) => prepared.has(hash),
    prepare: async (hash) => {
      prepared.add(hash);
    },
    findPythons: async () => ({ machine: 'simulated', fits: null, others: [] }),
    launch: async (spec) => {
      for (const file of spec.files) requireInsidePath(file.path);
      if (!staged.has(spec.stageHash)) throw new StageMissingError(spec.stageHash, options.host);
      if (!runs.has(keyOf(spec))) runs.set(keyOf(spec), begin(spec, plan(spec)));
    },
    inspect: async (run): Promise<RunState> => {
      const live = runs.get(keyOf(run));
      if (!live) return { state: 'absent' };
      return live.end ? { state: 'ended', end: live.end } : runningState((Date.now() - live.started) / 1000);
    },
    follow: (run, from, signal) => follow(runs.get(keyOf(run)), from, signal),
    kill: async (run, fence) => {
      const live = runs.get(keyOf(run));
      if (live && live.spec.fence <= fence) finish(live, 'killed', null);
    },
    collect: async (run, wanted) => {
      const live = ended(run, 'collect');
      for (const { path } of wanted.artefacts) requireInsidePath(path);
      const found = (path: string) => live.plan.artefacts?.find((artefact) => artefact.path === path);
      const fits = wanted.artefacts.filter(
        ({ path, maxBytes }) => (found(path)?.content.length ?? Infinity) <= maxBytes,
      );
      const collected: Collected = {
        end: live.end,
        logTail: live.output.subarray(-65_536).toString('utf8'),
        artefacts: fits.map(({ path }) => found(path)).filter((artefact) => artefact !== undefined),
        missing: wanted.artefacts.filter(({ path }) => !found(path)).map(({ path }) => path),
        tooLarge: wanted.artefacts
          .filter((artefact) => found(artefact.path) && !fits.includes(artefact))
          .map(({ path }) => path),
        changed: [],
      };
      if (wanted.stdout) collected.stdoutTail = wholeLines(live.output.subarray(-STDOUT_BYTES));
      return collected;
    },
    converse: async (spec) => {
      const live = ended(spec, 'converse');
      return {
        host: options.host,
        confinement: { containment: live.end.containment, sandboxed: live.end.sandboxed },
        ...talk(live.end, options.answer ?? ((chunk) => chunk)),
      };
    },
    remove: async (run) => {
      const live = runs.get(keyOf(run));
      if (live && !live.end) throw new Error(`remove: ${run.jobId} still runs; kill it first`);
      runs.delete(keyOf(run));
    },
    sweep: async ({ keep, olderThanSeconds, dryRun }) => {
      const kept = new Set(keep.map(keyOf));
      const old = [...runs].filter(
        ([key, live]) => !kept.has(key) && Date.now() - live.started >= olderThanSeconds * 1000,
      );
      const killed = old.filter(([, live]) => !live.end).map(([key]) => key);
      if (!dryRun)
        for (const [key, live] of old) {
          finish(live, 'killed', null);
          runs.delete(key);
        }
      return { removed: old.map(([key]) => key), killed, failed: [] };
    },
  };
}

function begin(spec: RunSpec, plan: FakeRun): Live {
  const live: Live = {
    spec,
    plan,
    started: Date.now(),
    output: Buffer.alloc(0),
    timers: [],
    end: undefined,
    watchers: new Set(),
  };
  const lines = plan.lines ?? [];
  const limit = spec.limits.wallSeconds ?? Infinity;
  const wall = Math.min(plan.seconds, limit);
  const at = (index: number): number => (plan.seconds * (index + 1)) / (lines.length + 1);
  const due = lines.filter((_, index) => at(index) <= wall);
  // Each timer prints the next line, whichever timer fires first: timers of different lengths need not fire in order.
  const rest = due.values();
  const printNext = (): boolean => {
    const next = rest.next();
    if (!next.done) print(live, `${next.value}\n`);
    return !next.done;
  };
  due.forEach((_, index) => live.timers.push(setTimeout(printNext, at(index) * 1000)));
  const over = plan.seconds > limit;
  const stop = (): void => {
    while (printNext());
    finish(live, over ? 'wall' : 'exit', over ? null : (plan.exitCode ?? 0));
  };
  live.timers.push(setTimeout(stop, wall * 1000));
  return live;
}

function print(live: Live, text: string): void {
  live.output = Buffer.concat([live.output, Buffer.from(text)]);
  for (const wake of live.watchers) wake();
}

function finish(live: Live, reason: EndReason, exitCode: number | null): void {
  if (live.end) return;
  for (const timer of live.timers) clearTimeout(timer);
  const now = Date.now();
  const seconds = (now - live.started) / 1000;
  live.end = {
    reason,
    exitCode,
    signal: exitCode === null ? 'SIGTERM' : null,
    wallSeconds: seconds,
    cpuSeconds: seconds,
    maxRssMb: 0,
    outputBytes: live.output.length,
    startedAt: new Date(live.started).toISOString(),
    endedAt: new Date(now).toISOString(),
    containment: 'process-group',
    sandboxed: false,
    treeGone: true,
  };
  for (const wake of live.watchers) wake();
}

/** Follows a simulated run, all of whose output is stdout. */
async function* follow(
  live: Live | undefined,
  from: number | Offsets,
  signal: AbortSignal,
): AsyncGenerator<FollowEvent> {
  if (!live) {
    yield { type: 'lost' };
    return;
  }
  let since: Date | null = null;
  const stream: Pick<RunOutput, 'stream'> = typeof from === 'number' ? {} : { stream: 'stdout' };
  let offset = typeof from === 'number' ? from : from.stdout;
  while (!signal.aborted) {
    const end = live.end;
    if (live.output.length > offset) {
      const chunk = live.output.subarray(offset);
      yield { type: 'output', ...stream, offset, chunk, since };
      offset += chunk.length;
    } else if (end) {
      yield { type: 'ended', end };
      return;
    } else {
      since = new Date();
      yield { type: 'looked' };
      await change(live, signal);
    }
  }
}

/** Resolves when the run prints or ends, when the signal aborts, or after PROBE_MS. */
function change(live: Live, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      live.watchers.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, PROBE_MS);
    live.watchers.add(wake);
    signal.addEventListener('abort', wake, { once: true });
  });
}

function talk(end: RunEnd, answer: (chunk: Uint8Array) => Uint8Array): Omit<Conversation, 'host' | 'confinement'> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  let close = (): void => undefined;
  const ended = new Promise<RunEnd>((resolve) => (close = () => resolve(end)));
  const finishTalk = (): void => {
    writer.close().catch(() => undefined);
    close();
  };
  return {
    write: (chunk) => {
      // The write resolves at once: the reader may start later, and the chunk waits in the stream.
      writer.write(answer(chunk)).catch(() => undefined);
      return Promise.resolve();
    },
    end: finishTalk,
    output: readable as AsyncIterable<Uint8Array>,
    ended,
    stop: async () => finishTalk(),
    stderrTail: () => '',
  };
}
