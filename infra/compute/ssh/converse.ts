import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Transform, type Readable } from 'node:stream';
import type { Channel } from './channel/channel.ts';
import { ConnectionLostError } from './connection/connection.ts';
import { HostUnreachableError, RunGoneError, type Conversation, type RunEnd, type RunSpec } from '../../compute.ts';
import type { Confinement } from '../run-protocol/confinement.ts';
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

const TAIL = 16 * 1024;
/** After the program's end, for what is still on the way. */
const DRAIN_MS = 1000;
/** After nothing of it is left there, for its channel to close. */
const CLOSE_MS = 5000;

/** Where a conversation lies: run, fence and id, as words for the host's script. */
type Place = [run: string, fence: number, id: string];

/**
 * Starts the answering program in a folder of its own, over one channel: read-only in a sandbox, with a `/tmp`; both go with
 * it. It dies with the connection, and where its stderr exceeds the run's output limit.
 */
export async function converse(context: SshContext, spec: RunSpec): Promise<Conversation> {
  const { state, fence, uid, stage } = await inspectAttempt(context, spec);
  if (state.state !== 'ended') throw notEndedError(context.host, spec, { verb: 'converse', state: state.state });
  if (stage === undefined) throw new RunGoneError(context.host, { run: spec, state: 'without its workspace' });
  const place: Place = [runName(spec), fence, randomUUID()];
  const confinement = await makeTalk(context, spec, { place, stage, owner: uid });
  const { channel, mark } = await openTalk(context, place);
  const { outputBytes } = spec.limits;
  // Where these fail, the wall limit ends it.
  const stop = (reason: string): Promise<unknown> =>
    context.link.call({ verb: 'talk_stop', words: [...place, reason] });
  const said = hear(channel.stderr, { mark, limit: outputBytes }, () => {
    stop('output').catch(() => undefined);
  });
  const output = channel.pipe(withoutNoise(mark));
  let giveUp = (): void => undefined;
  const given = new Promise<'given-up'>((resolve) => (giveUp = () => resolve('given-up')));
  const over = Promise.race([overOf(channel), given]);
  const leave = (): void => {
    context.link.connection.abandon(channel, { hangs: true });
    giveUp();
  };
  const ended = over.then(async (how): Promise<RunEnd> => {
    const end = await endAt(context, spec, place);
    if (end?.endedBy === 'newer') return conversationEnd(end, { host: context.host, run: spec });
    // The program was ended with its connection, by nothing of its own.
    if (how === 'cut' || (how === 'given-up' && !end))
      throw new ConnectionLostError(context.host, 'closed', {
        message: 'the connection was lost while the program answered',
      });
    if (!end) throw missingEndError({ host: context.host, confinement }, spec, said.tail.toString('utf8'));
    // It may have ended by itself before it was stopped.
    const isFlood = said.bytes > outputBytes && (end.reason === 'exit' || end.reason === 'killed');
    const reason = isFlood ? 'output' : end.reason;
    return conversationEnd({ ...end, reason, outputBytes: said.bytes }, { host: context.host, run: spec });
  });
  // Whoever asks gets the error; nobody asking is no crash.
  ended.catch(() => undefined);
  return {
    host: context.host,
    confinement,
    write: writerTo(channel, { over, host: context.host }),
    end: () => void channel.end(),
    output,
    ended,
    stop: async () => {
      // First: what nobody has read would keep the channel, its place and its end for ever, whoever cut it.
      channel.unpipe(output).resume();
      await stop('stopped').catch((error: unknown) => {
        // Where its host is there, and cannot end it, nothing else gives its place back.
        if (error instanceof HostUnreachableError) context.link.connection.abandon(channel);
        else leave();
        throw error;
      });
      const timer = setTimeout(leave, CLOSE_MS);
      await over;
      clearTimeout(timer);
      // What escaped it may hold the channel, and would keep its place.
      context.link.connection.abandon(channel);
      await ended.catch(() => undefined);
      output.end();
    },
    stderrTail: () => said.tail.toString('utf8'),
    roundTrip: () => reach(context),
  };
}

/** How it ended; undefined where its supervisor did not say. */
async function endAt(context: SshContext, spec: RunSpec, place: Place): Promise<RunEnd | undefined> {
  try {
    const frames = await context.link.call({ verb: 'talk_end', words: place });
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
  { place, stage, owner }: { place: Place; stage: string; owner: number | undefined },
): Promise<Confinement> {
  const [, fence, id] = place;
  const attempt = attemptOf(runDirectory((await context.link.facts()).layout, spec), fence);
  const directory = `${attempt.directory}/talk-${id}`;
  const at = (name: string): string => `${directory}/${name}`;
  const folders = { control: at('ctl'), work: at('work'), tmp: at('tmp'), root: at('root'), talk: true };
  const { entries, confinement, uid } = await buildControl(context, { spec, stage, folders, owner });
  const artefacts = (spec.artefacts ?? []).flatMap(({ path, maxBytes }) => [maxBytes, requirePlainPath(path)]);
  const ask = {
    verb: 'talk_make',
    words: [...place, uidArgument(uid), stage, ...artefacts],
    input: () => tarOf([...entries, ...candidateEntries(spec)]),
  };
  await context.link.call(ask).catch((error: unknown) => {
    if (!(error instanceof HostRefusal && error.code === 'state')) throw toSlotTakenError(context, error);
    throw notEndedError(context.host, spec, { verb: 'converse', state: error.message });
  });
  return confinement;
}

async function openTalk(context: SshContext, place: Place): Promise<{ channel: Channel; mark: string }> {
  const { script, words, shell } = await context.link.words({ verb: 'talk_run', words: place });
  const { halves, mark } = newMark();
  const channel = await context.link.connection.exec('talk', shellCommand([...script, ...halves, ...words], shell));
  // The program may end before it has read everything; the writer hears of it from write() itself.
  channel.on('error', () => undefined);
  return { channel, mark };
}

/** An sshd that stood still may answer before it passes on what the program has said; not twice. */
async function reach({ link: { connection } }: SshContext): Promise<void> {
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

/** When the program is over, and all that it said is here, or will not come: by its end, or that of the connection. */
async function overOf(channel: Channel): Promise<'exited' | 'cut'> {
  const closed = once(channel, 'close');
  const exit = exitOf(channel);
  await Promise.race([closed, exit.came]);
  let timer: NodeJS.Timeout | undefined;
  const drained = new Promise((resolve) => (timer = setTimeout(resolve, DRAIN_MS)));
  await Promise.race([closed, drained]);
  clearTimeout(timer);
  return exit.code === undefined ? 'cut' : 'exited';
}

interface Said {
  bytes: number;
  tail: Buffer;
}

// Beyond the limit it is read on, and thrown away: left full, it would hold up the end of the run.
function hear(stderr: Readable, { mark, limit }: { mark: string; limit: number }, onFlood: () => void): Said {
  const said: Said = { bytes: 0, tail: Buffer.alloc(0) };
  const skip = noiseSkipper(mark);
  stderr.on('data', (chunk: Buffer) => {
    const rest = skip.push(chunk);
    if (rest === undefined || said.bytes > limit) return;
    said.bytes += rest.length;
    said.tail = Buffer.from(Buffer.concat([said.tail, rest]).subarray(-TAIL));
    if (said.bytes > limit) onFlood();
  });
  return said;
}
