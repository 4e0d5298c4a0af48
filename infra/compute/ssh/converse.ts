import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Transform, type Readable } from 'node:stream';
import type { Channel } from './channel/channel.ts';
import { ConnectionLostError } from './connection/connection.ts';
import { HostUnreachableError, RunGoneError, type Conversation, type RunEnd, type RunSpec } from '../../compute.ts';
import type { Confinement } from '../run-protocol/confinement/confinement.ts';
import { conversationEnd } from '../run-protocol/ending/parse-end.ts';
import { notEndedError } from '../run-protocol/ending/not-ended-error.ts';
import { attemptOf, runDirectory, runName } from '../run-protocol/paths.ts';
import { missingEndError } from '../run-protocol/ending/missing-end-error.ts';
import { HostRefusal, newMark } from './channel/call.ts';
import { endInFrames, isRebooted, uidArgument, type SshContext } from './context.ts';
import { exitOf } from './channel/exit.ts';
import { noiseSkipper } from './channel/frames.ts';
import { inspectAttempt, toSlotTakenError } from './launch.ts';
import { candidateEntries, buildControl } from './build-control.ts';
import { requirePlainPath, tarOf } from './channel/tar.ts';
import { shellCommand } from './channel/shell-command.ts';
import { writerTo } from './channel/writer.ts';

/** Bytes of stderr that are kept. */
const TAIL = 16 * 1024;
/** Time in ms after the program's end, for output that is still in transit. */
const DRAIN_MS = 1000;
/** Time in ms for the channel to close, after the program's whole tree is gone. */
const CLOSE_MS = 5000;

/** Address of a conversation on the host: run, fence and id, as arguments of the host's script. */
type Address = [run: string, fence: number, id: string];

/**
 * Starts the answering program in a folder of its own, over one channel. A sandbox makes the folder read-only and adds
 * a `/tmp`; both are removed with the program. The program is killed if the connection is lost, or if its stderr
 * exceeds the run's output limit.
 */
export async function converse(context: SshContext, spec: RunSpec): Promise<Conversation> {
  const { state, fence, uid, stage } = await inspectAttempt(context, spec);
  if (state.state !== 'ended') throw notEndedError(context.host, spec, { verb: 'converse', state: state.state });
  if (stage === undefined) throw new RunGoneError(context.host, { run: spec, state: 'without its workspace' });
  const address: Address = [runName(spec), fence, randomUUID()];
  const confinement = await makeTalk(context, spec, { address, stage, owner: uid });
  const { channel, mark } = await openTalk(context, address);
  const { outputBytes } = spec.limits;
  // If this call fails, the wall limit ends the program.
  const stop = (reason: string): Promise<unknown> =>
    context.link.call({ verb: 'talk_stop', words: [...address, reason] });
  const stderr = collectStderr(channel.stderr, { mark, limit: outputBytes }, () => {
    stop('output').catch(() => undefined);
  });
  const output = channel.pipe(withoutNoise(mark));
  let giveUp = (): void => undefined;
  const givenUp = new Promise<'given-up'>((resolve) => (giveUp = () => resolve('given-up')));
  const finished = Promise.race([waitForExit(channel), givenUp]);
  const abandonChannel = (): void => {
    context.link.connection.abandon(channel, { hangs: true });
    giveUp();
  };
  const ended = finished.then(async (how): Promise<RunEnd> => {
    const end = await endTalk(context, spec, address);
    if (end?.endedBy === 'newer') return conversationEnd(end, { host: context.host, run: spec });
    // The lost connection ended the program, through no fault of the program.
    if (how === 'cut' || (how === 'given-up' && !end))
      throw new ConnectionLostError(context.host, 'closed', {
        message: 'the connection was lost while the program answered',
      });
    if (!end) throw missingEndError({ host: context.host, confinement }, spec, stderr.tail.toString('utf8'));
    // The program may have ended by itself before `stop('output')` reached it.
    const isFlood = stderr.bytes > outputBytes && (end.reason === 'exit' || end.reason === 'killed');
    const reason = isFlood ? 'output' : end.reason;
    return conversationEnd({ ...end, reason, outputBytes: stderr.bytes }, { host: context.host, run: spec });
  });
  // Without a caller that awaits `ended`, a rejection must not end the process.
  ended.catch(() => undefined);
  return {
    host: context.host,
    confinement,
    write: writerTo(channel, { finished, host: context.host }),
    end: () => {
      channel.end();
    },
    output,
    ended,
    stop: async () => {
      // First, discard the output: unread output would keep the channel, its place and its end forever.
      channel.unpipe(output).resume();
      await stop('stopped').catch((error: unknown) => {
        // If the host answers, but cannot end the program, only `abandonChannel` frees the channel's place.
        if (error instanceof HostUnreachableError) context.link.connection.abandon(channel);
        else abandonChannel();
        throw error;
      });
      const timer = setTimeout(abandonChannel, CLOSE_MS);
      await finished;
      clearTimeout(timer);
      // A process that escaped may hold the channel open, which would keep the channel's place.
      context.link.connection.abandon(channel);
      await ended.catch(() => undefined);
      output.end();
    },
    stderrTail: () => stderr.tail.toString('utf8'),
    roundTrip: () => pingTwice(context),
  };
}

/** Ends a conversation on the host, if it still runs, and returns its end; undefined if its supervisor left none. */
async function endTalk(context: SshContext, spec: RunSpec, address: Address): Promise<RunEnd | undefined> {
  try {
    const frames = await context.link.call({ verb: 'talk_end', words: address });
    const end = endInFrames(frames);
    return end && isRebooted(frames) ? { ...end, rebooted: true } : end;
  } catch (error) {
    if (!(error instanceof HostRefusal && error.code === 'gone')) throw toSlotTakenError(context, error);
    throw new RunGoneError(context.host, { run: spec, state: 'absent' });
  }
}

async function makeTalk(
  context: SshContext,
  spec: RunSpec,
  { address, stage, owner }: { address: Address; stage: string; owner: number | undefined },
): Promise<Confinement> {
  const [, fence, id] = address;
  const attempt = attemptOf(runDirectory((await context.link.facts()).layout, spec), fence);
  const directory = `${attempt.directory}/talk-${id}`;
  const at = (name: string): string => `${directory}/${name}`;
  const folders = { control: at('ctl'), work: at('work'), tmp: at('tmp'), root: at('root'), talk: true };
  const { entries, confinement, uid } = await buildControl(context, { spec, stage, folders, owner });
  const artefacts = (spec.artefacts ?? []).flatMap(({ path, maxBytes }) => [maxBytes, requirePlainPath(path)]);
  const request = {
    verb: 'talk_make',
    words: [...address, uidArgument(uid), stage, ...artefacts],
    input: () => tarOf([...entries, ...candidateEntries(spec)]),
  };
  await context.link.call(request).catch((error: unknown) => {
    if (!(error instanceof HostRefusal && error.code === 'state')) throw toSlotTakenError(context, error);
    throw notEndedError(context.host, spec, { verb: 'converse', state: error.message });
  });
  return confinement;
}

async function openTalk(context: SshContext, address: Address): Promise<{ channel: Channel; mark: string }> {
  const { script, words, shell } = await context.link.words({ verb: 'talk_run', words: address });
  const { halves, mark } = newMark();
  const channel = await context.link.connection.exec('talk', shellCommand([...script, ...halves, ...words], shell));
  // The program may end before it reads all its input. `write` reports that error itself.
  channel.on('error', () => undefined);
  return { channel, mark };
}

/** Pings twice: an sshd that was stopped may answer the first ping before it passes on the program's output. */
async function pingTwice({ link: { connection } }: SshContext): Promise<void> {
  await connection.ping();
  await connection.ping();
}

function withoutNoise(mark: string): Transform {
  const skip = noiseSkipper(mark);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const rest = skip.push(chunk);
      done(null, rest === undefined || rest.length === 0 ? undefined : rest);
    },
  });
}

/** Waits until the program has ended and all its output is received. `cut`: the connection ended first. */
async function waitForExit(channel: Channel): Promise<'exited' | 'cut'> {
  const closed = once(channel, 'close');
  const exit = exitOf(channel);
  await Promise.race([closed, exit.received]);
  let timer: NodeJS.Timeout | undefined;
  const drained = new Promise((resolve) => (timer = setTimeout(resolve, DRAIN_MS)));
  await Promise.race([closed, drained]);
  clearTimeout(timer);
  return exit.code === undefined ? 'cut' : 'exited';
}

interface Stderr {
  /** Bytes read, up to the chunk that exceeded the limit. */
  bytes: number;
  tail: Buffer;
}

// Beyond the limit, stderr is read on and discarded: a full pipe would hold up the end of the run.
function collectStderr(
  stream: Readable,
  { mark, limit }: { mark: string; limit: number },
  onFlood: () => void,
): Stderr {
  const stderr: Stderr = { bytes: 0, tail: Buffer.alloc(0) };
  const skip = noiseSkipper(mark);
  stream.on('data', (chunk: Buffer) => {
    const rest = skip.push(chunk);
    if (rest === undefined || stderr.bytes > limit) return;
    stderr.bytes += rest.length;
    stderr.tail = Buffer.from(Buffer.concat([stderr.tail, rest]).subarray(-TAIL));
    if (stderr.bytes > limit) onFlood();
  });
  return stderr;
}
