import { expect } from 'vitest';
import type { RunLimits } from '../../../../domain/job/run-limits.ts';
import type { Compute, FollowEvent, Looked, RunEnd, RunRef, RunSpec } from '../../../../infra/compute.ts';

/** Host under test and helpers, for the parts of the suite. */
export interface Bench {
  /** The host under test; there once the tests run. */
  compute: () => Compute;
  /** Folder of its stages; there once the tests run. */
  stages: () => string;
  /** Counts the round trips to a remote host so far; undefined: the host is not remote. */
  roundTrips?: (() => number) | undefined;
  /** Launches a command and follows it to its end. */
  run: (command: string, more?: Partial<RunSpec>) => Promise<{ spec: RunSpec; text: string; end: RunEnd }>;
}

/** Limits that a small run keeps. */
export const LIMITS = {
  wallSeconds: 30,
  cpuSeconds: null,
  graceSeconds: 0.3,
  memoryMb: 1024,
  processes: 40,
  outputBytes: 1_000_000,
  diskMb: 64,
  files: 1000,
} as const satisfies RunLimits;
/** A signal that never aborts. */
export const never = new AbortController().signal;
/** A text as bytes. */
export const bytes = (text: string): Uint8Array => Buffer.from(text);
let count = 0;

/** A run with a fresh trial id. */
export function specOf(command: string, more: Partial<RunSpec> = {}): RunSpec {
  return {
    jobId: `conformance/${(count += 1)}`,
    placement: 0,
    fence: 5,
    slot: { id: 'slot-0', pool: 'local', index: 0, gpu: null },
    stageHash: 'stage1',
    files: [{ path: 'main.txt', content: bytes('mutable') }],
    command,
    env: {},
    limits: LIMITS,
    sandbox: 'preferred',
    ...more,
  };
}

/** Follows a run and leaves out `looked` events. */
export async function* eventsOf(
  compute: Compute,
  run: RunRef,
  { offset = 0, signal = never }: { offset?: number; signal?: AbortSignal } = {},
): AsyncGenerator<Exclude<FollowEvent, Looked>> {
  for await (const event of compute.follow(run, offset, signal)) if (event.type !== 'looked') yield event;
}

/** Follows a run to its end; returns the output from the offset on and the last event. */
export async function followToEnd(
  compute: Compute,
  run: RunSpec,
  offset = 0,
): Promise<{ text: string; last: FollowEvent | undefined; end: RunEnd }> {
  let text = '';
  let last: FollowEvent | undefined;
  for await (const event of eventsOf(compute, run, { offset })) {
    last = event;
    if (event.type !== 'output') continue;
    expect(event.offset).toBe(offset);
    offset += event.chunk.length;
    text += Buffer.from(event.chunk).toString('utf8');
  }
  return { text, last, end: (last?.type === 'ended' ? last.end : undefined) as RunEnd };
}
