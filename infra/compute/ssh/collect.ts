import type { Collected, RunRef, CollectOptions } from '../../compute.ts';
import { notEndedError } from '../run-protocol/ending/not-ended-error.ts';
import { runName } from '../run-protocol/paths.ts';
import { STDOUT_BYTES, wholeLines } from '../run-protocol/stdout-tail.ts';
import { HostRefusal } from './channel/call.ts';
import { endInFrames, isRebooted, type SshContext } from './context.ts';
import type { Frame } from './channel/frames.ts';
import { requirePlainPath } from './channel/tar.ts';

/** Reads what an ended run left; throws on one that has not ended. */
export async function collect(
  context: SshContext,
  run: RunRef,
  { artefacts, stdout = false }: CollectOptions,
): Promise<Collected> {
  const words = artefacts.flatMap(({ path, maxBytes }) => [Math.floor(maxBytes), requirePlainPath(path)]);
  const frames = await context.link
    .call({ verb: 'collect', words: [runName(run), stdout ? STDOUT_BYTES : 0, ...words] })
    .catch((error: unknown) => {
      if (error instanceof HostRefusal && error.code === 'state')
        throw notEndedError(context.host, run, { verb: 'collect', state: error.message });
      throw error;
    });
  const end = endInFrames(frames);
  if (!end) throw new Error(`collect: expected the end of ${run.jobId} from host ${context.host}; got none`);
  const framesOf = (type: string): Frame[] => frames.filter((frame) => frame.type === type);
  const pathAt = ({ words: [index] }: Frame): string => artefacts[Number(index)]?.path ?? '';
  const damaged = framesOf('damaged')[0]?.payload.toString('utf8');
  // The host set the damaged stage aside, so it is not staged any more.
  if (damaged !== undefined) context.staged.clear();
  const collected: Collected = {
    end,
    rebooted: isRebooted(frames),
    logTail: framesOf('log')[0]?.payload.toString('utf8') ?? '',
    artefacts: framesOf('artefact').map((frame) => ({ path: pathAt(frame), content: frame.payload })),
    missing: framesOf('missing').map(pathAt),
    tooLarge: framesOf('large').map(pathAt),
    changed: framesOf('changed').map(({ payload }) => payload.toString('utf8')),
  };
  if (stdout) collected.stdoutTail = wholeLines(framesOf('stdout')[0]?.payload ?? Buffer.alloc(0));
  if (damaged !== undefined) collected.damaged = damaged;
  if (framesOf('aside').length > 0) collected.aside = true;
  return collected;
}

/** True if this very machine began one of these runs, and its directory still exists. */
export async function hasAnyRun(context: SshContext, runs: readonly RunRef[]): Promise<boolean> {
  return (await context.link.call({ verb: 'has', words: runs.map(runName) })).length > 0;
}
