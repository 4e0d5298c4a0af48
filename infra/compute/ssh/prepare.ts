import { randomUUID } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupFailedError, StageMissingError, type SetupOptions } from '../../compute.ts';
import { pathOf } from '../run-protocol/environment.ts';
import { stageDirectory } from '../run-protocol/paths.ts';
import { HostRefusal } from './channel/call.ts';
import { ConnectionLostError, pauseMs } from './connection/connection.ts';
import type { SshContext } from './context.ts';
import type { Frame } from './channel/frames.ts';
import { pythonOf } from './python.ts';

const TAIL_LINES = 100;
/** Losses in a row without a frame between them, after which a setup fails: some eight seconds. */
const MOST_LOSSES = 6;

/** Time in seconds beyond its limit in which the worker of a setup can still end it, if the connection was lost. */
const GRACE_SECONDS = 60;
/** Limit of a setup without one, in seconds: a day. */
const NO_LIMIT_SECONDS = 86_400;

/** Setups that this process has under way, by stage: a second caller waits for the first. */
export type Setups = Map<string, Promise<unknown>>;

/** True once the setup commands of a stage have succeeded on the host. */
export async function isPrepared(context: SshContext, stageHash: string): Promise<boolean> {
  stageDirectory((await context.link.facts()).layout, stageHash);
  const isThere = (await context.link.call({ verb: 'prepared', words: [stageHash] })).length > 0;
  // The stage itself may be gone as well.
  if (!isThere) context.staged.delete(stageHash);
  return isThere;
}

/**
 * Runs the setup commands in the staged workspace, once per hash under a lock on the host. They run detached: after a
 * lost connection, the call finds them again. Throws SetupFailedError with the log's tail.
 */
export async function prepare(
  { context, setups }: { context: SshContext; setups: Setups },
  setup: { stageHash: string; commands: string[] },
  watching: SetupOptions,
): Promise<void> {
  const { stageHash } = setup;
  while (!(await isPrepared(context, stageHash))) {
    watching.signal.throwIfAborted();
    const pending = setups.get(stageHash);
    if (pending) {
      await settledOrAborted(pending, watching.signal);
      continue;
    }
    const started = runSetup(context, setup, watching);
    const settled = started.catch(() => undefined).finally(() => setups.delete(stageHash));
    setups.set(stageHash, settled);
    return started;
  }
}

/**
 * Waits for the work, or for the signal's abort. Removes its listener, since one caller may wait for many setups that
 * fail, one after the other.
 */
async function settledOrAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  let stopWaiting = (): void => undefined;
  const aborted = new Promise<void>((resolve) => (stopWaiting = resolve));
  signal.addEventListener('abort', stopWaiting, { once: true });
  await Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', stopWaiting));
}

async function runSetup(
  context: SshContext,
  { stageHash, commands }: { stageHash: string; commands: string[] },
  { onOutput, onBegin, signal, limitSeconds = NO_LIMIT_SECONDS, path = [], environment }: SetupOptions,
): Promise<void> {
  const python = await pythonOf(context, environment);
  const programs = pathOf(context, python ? [python.bin, ...path] : path);
  const id = randomUUID();
  const lines = linesTo(onOutput);
  /** Number of bytes of the output that were received. */
  let offset = 0;
  let begun = false;
  let result: { code: number; index: number } | undefined;
  const handleFrame = ({ type, words, payload }: Frame): void => {
    // The host sends `begun` on each connection. Before that, the setup waits for a channel or for its stage's lock.
    if (type === 'begun' && !begun) {
      begun = true;
      onBegin?.();
    }
    if (type === 'out' && Number(words[0]) === offset) {
      offset += payload.length;
      lines.push(payload);
    }
    if (type === 'result') result = { code: Number(words[0]), index: Number(words[1]) };
  };
  let cancelled: Promise<unknown> | undefined;
  const cancel = (): void => {
    // If this call fails, the next setup under the lock kills the commands.
    cancelled ??= context.link.call({ verb: 'setup_kill', words: [stageHash, id] }).catch(() => undefined);
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const longest = Math.ceil(limitSeconds + GRACE_SECONDS);
    const words = (): (string | number)[] => [stageHash, id, offset, longest, programs, ...commands];
    await retryLosses(signal, (onProgress) => {
      const onFrame = (frame: Frame): void => {
        onProgress();
        handleFrame(frame);
      };
      return context.link.callStreaming({ verb: 'setup', kind: 'setup', words: words(), signal }, onFrame);
    });
  } catch (error) {
    if (error instanceof HostRefusal && error.code === 'stage') {
      context.staged.delete(stageHash);
      throw new StageMissingError(stageHash, context.host);
    }
    throw error;
  } finally {
    signal.removeEventListener('abort', cancel);
    await cancelled;
  }
  lines.end();
  signal.throwIfAborted();
  if (result && result.code !== 0)
    throw new SetupFailedError(
      `setup command ${JSON.stringify(commands[result.index])}: exit code ${result.code}`,
      lines.tail(),
    );
}

/**
 * Repeats work over lost connections. The connection itself limits how long a host may be unreachable. This function
 * gives up after MOST_LOSSES losses without progress, for a host that accepts logins but sends nothing.
 */
async function retryLosses(signal: AbortSignal, work: (onProgress: () => void) => Promise<void>): Promise<void> {
  for (let losses = 0; ;) {
    try {
      return await work(() => (losses = 0));
    } catch (error) {
      if (!(error instanceof ConnectionLostError) || (losses += 1) === MOST_LOSSES) throw error;
    }
    await sleep(pauseMs(losses), undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

function linesTo(onLine: (line: string) => void) {
  const decoder = new StringDecoder('utf8');
  const tail: string[] = [];
  let rest = '';
  const emit = (line: string): void => {
    tail.push(line);
    if (tail.length > TAIL_LINES) tail.shift();
    onLine(line);
  };
  return {
    push(chunk: Buffer): void {
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(emit);
    },
    end(): void {
      if (rest !== '') emit(rest);
      rest = '';
    },
    tail: () => tail.join('\n'),
  };
}
