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
import { tarOf, type Entry } from './channel/tar.ts';

/** Makes the run directory and starts a detached supervisor. Returns when the run is claimed. Safe to repeat. */
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
  const entries: Entry[] = [...control, { path: 'stage', content: Buffer.from(`${spec.stageHash}\n`) }];
  if (spec.environment) entries.push({ path: 'environment', content: Buffer.from(`${spec.environment}\n`) });
  entries.push({ path: 'gpus', content: Buffer.from(gpus.map((gpu) => `${gpu}\n`).join('')) });
  if (spec.awaitsConversation && gpus.length > 0) entries.push({ path: 'asked', content: Buffer.alloc(0) });
  entries.push(...candidateEntries(spec));
  try {
    await context.link.call({
      verb: 'launch',
      words: [runName(spec), spec.fence, spec.stageHash, uidArgument(uid), ...context.keepLimits, ...gpus],
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

/** Converts a host's refusal of a GPU that is held by others to SlotTakenError; returns any other error as it is. */
export const toSlotTakenError = ({ host }: SshContext, error: unknown): unknown =>
  error instanceof HostRefusal && error.code === 'gpu'
    ? new SlotTakenError(`host ${host}: ${error.message}`, { cause: error })
    : error;

/** Facts that a host reports about a run. */
export interface Inspected {
  state: RunState;
  /** Fence of the attempt that counts. */
  fence: number;
  /** Uid that owns the files of an ended run; undefined: the host's own user. */
  uid: number | undefined;
  /** Path of the stage that a conversation with the ended run is shown; undefined if the stage is gone. */
  stage: string | undefined;
}

/** Reads the state of a run on the host, and the attempt that counts. */
export async function inspectAttempt(context: SshContext, run: RunRef): Promise<Inspected> {
  const frames = await context.link.call({ verb: 'inspect', words: [runName(run)] });
  const [state = 'absent', fence = '0', user] = frames.find(({ type }) => type === 'state')?.words ?? [];
  const uid = user === undefined ? undefined : Number(user);
  const stage = frames.find(({ type }) => type === 'stage')?.payload.toString('utf8');
  const end = endInFrames(frames);
  if (end) return { state: { state: 'ended', end }, fence: Number(fence), uid, stage };
  return { state: stateIn(frames, state), fence: Number(fence), uid, stage };
}

/** State of a run without an end. */
function stateIn(frames: Frame[], state: string): RunState {
  const secondsIn = (name: string): number =>
    Number(frames.find(({ type }) => type === name)?.words[0]) / TICKS_PER_SECOND;
  if (state === 'running') return runningState(secondsIn('age'), { waitSeconds: secondsIn('waited') });
  // A claimed run that has not started yet counts as running; its age is unknown.
  if (state === 'claiming') return { state: 'running' };
  return { state: state === 'absent' || state === 'staged' ? state : 'lost' };
}
