import { TICKS_PER_SECOND } from '../../../domain/fleet/gpus.ts';
import {
  SetupFailedError,
  SlotTakenError,
  StageMissingError,
  type RunRef,
  type RunSpec,
  type RunState,
} from '../../compute.ts';
import { attemptOf, runDirectory, runName, stageDirectory } from '../run-protocol/paths.ts';
import { runningState } from '../run-protocol/ending/running-state.ts';
import { HostRefusal } from './channel/call.ts';
import { endInFrames, uidArgument, type SshContext } from './context.ts';
import type { Frame } from './channel/frames.ts';
import { candidateEntries, buildControl } from './build-control.ts';
import { tarOf } from './channel/tar.ts';

/** Makes the run directory and starts a detached supervisor; returns when it has claimed. Harmless when repeated. */
export async function launch(context: SshContext, spec: RunSpec): Promise<void> {
  if (!Number.isSafeInteger(spec.fence) || spec.fence < 0)
    throw new RangeError(`fence: expected 0, 1, 2, …; got ${spec.fence}`);
  const gpus = spec.slot.gpu?.split(',') ?? [];
  const { layout } = await context.link.facts();
  const stage = stageDirectory(layout, spec.stageHash);
  const attempt = attemptOf(runDirectory(layout, spec), spec.fence);
  const { ctl, work, tmp, directory } = attempt;
  const folders = { control: ctl, work, tmp, root: `${directory}/root`, talk: false };
  const { entries: control, uid } = await buildControl(context, { spec, stage, folders });
  const entries = [
    ...control,
    { path: 'stage', content: Buffer.from(`${spec.stageHash}\n`) },
    ...(spec.environment ? [{ path: 'environment', content: Buffer.from(`${spec.environment}\n`) }] : []),
    { path: 'gpus', content: Buffer.from(gpus.map((gpu) => `${gpu}\n`).join('')) },
    ...(spec.awaitsConversation && gpus.length > 0 ? [{ path: 'asked', content: Buffer.alloc(0) }] : []),
    ...candidateEntries(spec),
  ];
  try {
    await context.link.call({
      verb: 'launch',
      words: [runName(spec), spec.fence, spec.stageHash, uidArgument(uid), ...context.keep, ...gpus],
      input: () => tarOf(entries),
    });
  } catch (error) {
    if (error instanceof HostRefusal && error.code === 'stage') {
      context.staged.delete(spec.stageHash);
      throw new StageMissingError(spec.stageHash, context.host);
    }
    if (error instanceof HostRefusal && error.code === 'setup')
      throw new SetupFailedError(`${error.message}: setup has to leave the mutable files where they are`, '');
    throw toSlotTakenError(context, error);
  }
}

/** What a host said of a GPU that somebody else holds, for whoever places runs; any other error as it is. */
export const toSlotTakenError = ({ host }: SshContext, error: unknown): unknown =>
  error instanceof HostRefusal && error.code === 'gpu'
    ? new SlotTakenError(`host ${host}: ${error.message}`, { cause: error })
    : error;

/** What a host says of a run. */
export interface Inspected {
  state: RunState;
  /** Of the attempt that counts. */
  fence: number;
  /** User of the files of one that ended; undefined for the host's own. */
  uid: number | undefined;
  /** Of one that ended: where the stage lies that a conversation with it is shown; undefined where that is gone. */
  stage: string | undefined;
}

/** The state of a run on the host, and the attempt that counts. */
export async function inspectAttempt(context: SshContext, run: RunRef): Promise<Inspected> {
  const frames = await context.link.call({ verb: 'inspect', words: [runName(run)] });
  const [state = 'absent', fence = '0', user] = frames.find(({ type }) => type === 'state')?.words ?? [];
  const uid = user === undefined ? undefined : Number(user);
  const stage = frames.find(({ type }) => type === 'stage')?.payload.toString('utf8');
  const end = endInFrames(frames);
  if (end) return { state: { state: 'ended', end }, fence: Number(fence), uid, stage };
  return { state: stateIn(frames, state), fence: Number(fence), uid, stage };
}

/** Of a run without an end. */
function stateIn(frames: Frame[], state: string): RunState {
  if (state === 'running')
    return runningState(Number(frames.find(({ type }) => type === 'age')?.words[0]) / TICKS_PER_SECOND);
  // A claim that has not started yet runs for whoever asks.
  if (state === 'claiming') return { state: 'running' };
  return { state: state === 'absent' || state === 'staged' ? state : 'lost' };
}
