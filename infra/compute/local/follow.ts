import { existsSync, statSync, watch, type FSWatcher } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { FollowEvent, RunLost, Offsets, RunRef, StreamName } from '../../compute.ts';
import { readOptional } from '../../files.ts';
import type { LocalContext } from './context.ts';
import { readEnd } from './attempt/read-end.ts';
import { currentAttempt, stateOf, type AttemptState } from './attempt/state.ts';
import { streamFile } from './attempt/stream-file.ts';

const POLL_MS = 1000;
/** Least time between two full checks of the state; in between, a change triggers only a check for an end. */
const FULL_CHECK_MS = 500;
const CLAIM_MS = 15_000;
const CHUNK = 65_536;

/** Yields output and checks, then one `ended` or `lost`. If the signal aborts, it ends without either. */
export async function* follow(
  context: LocalContext,
  run: RunRef,
  { from, signal }: { from: number | Offsets; signal: AbortSignal },
): AsyncGenerator<FollowEvent> {
  const started = await startedAttempt(context, run, signal);
  if (signal.aborted) return;
  if (started === undefined) {
    yield { type: 'lost' };
    return;
  }
  const control = started.attempt.ctl;
  const parts = partsOf(control, from);
  const changes = watchChanges(control, signal);
  let since: Date | null = null;
  let checkedAt = started.status.state === 'running' ? performance.now() : -Infinity;
  try {
    while (!signal.aborted) {
      const seen = changes.count();
      const now = new Date();
      const isDue = performance.now() - checkedAt >= FULL_CHECK_MS;
      if (isDue) checkedAt = performance.now();
      // The state is read before the output, so that no output from before the end is missed.
      const status = await (isDue ? stateOf(control) : endedOrNot(control));
      for (const part of parts)
        for await (const chunk of readFrom(part.file, part.offset)) {
          const { offset, stream } = part;
          part.offset += chunk.length;
          yield { type: 'output', ...stream, offset, chunk, since };
          if (signal.aborted) return;
        }
      since = now;
      if (status.state === 'ended') yield { type: 'ended', end: status.end };
      if (status.state === 'lost') yield lostBy(await readOptional(join(control, 'failed')));
      if (status.state === 'ended' || status.state === 'lost') return;
      yield { type: 'looked' };
      await changes.after(seen);
    }
  } finally {
    changes.close();
  }
}

/** The files to follow, each with the offset of the next read. */
function partsOf(
  control: string,
  from: number | Offsets,
): { file: string; offset: number; stream: { stream?: StreamName } }[] {
  if (typeof from === 'number') return [{ file: join(control, 'output'), offset: from, stream: {} }];
  return (['stdout', 'stderr'] as const).map((stream) => ({
    file: streamFile(control, stream),
    offset: from[stream],
    stream: { stream },
  }));
}

const lostBy = (message = ''): RunLost =>
  message.trim() === '' ? { type: 'lost' } : { type: 'lost', why: message.trim() };

/** Waits for an attempt to start; undefined if none starts in time. */
async function startedAttempt(
  context: LocalContext,
  run: RunRef,
  signal: AbortSignal,
): ReturnType<typeof currentAttempt> {
  for (const until = Date.now() + CLAIM_MS; Date.now() < until && !signal.aborted;) {
    const found = await currentAttempt(context.layout, run);
    if (!found) return undefined;
    if (!['staged', 'claiming'].includes(found.status.state)) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return undefined;
}

/** Checks only for an end. A full check reads half a dozen files, too many for each change of a file. */
async function endedOrNot(control: string): Promise<AttemptState | { state: 'unknown' }> {
  const end = existsSync(join(control, 'ended.json')) ? await readEnd(control) : undefined;
  return end ? { state: 'ended', end } : { state: 'unknown' };
}

async function* readFrom(file: string, offset: number): AsyncGenerator<Uint8Array> {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= offset) return;
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!handle) return;
  try {
    for (let position = offset; ;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, position);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
      position += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

/** Waits for changes in a folder, at most POLL_MS, since watching may be impossible or miss a change. */
function watchChanges(folder: string, signal: AbortSignal) {
  let changed = 0;
  let wake = (): void => undefined;
  const bump = (): void => {
    changed += 1;
    wake();
  };
  const watcher = tryWatch(folder, bump);
  signal.addEventListener('abort', bump, { once: true });
  return {
    count: () => changed,
    after: (seen: number) =>
      new Promise<void>((resolve) => {
        if (changed !== seen) {
          resolve();
          return;
        }
        const timer = setTimeout(resolve, POLL_MS);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    close: () => {
      signal.removeEventListener('abort', bump);
      watcher?.close();
    },
  };
}

// A host may be out of watches (ENOSPC, EMFILE); the poll then suffices.
function tryWatch(folder: string, bump: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, bump);
    return watcher.on('error', () => watcher.close());
  } catch (error) {
    if (['ENOSPC', 'EMFILE', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
