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
  if (!end) throw new Error(`collect: expected the end of ${run.trialId} on host ${context.host}`);
  const of = (type: string): Frame[] => frames.filter((frame) => frame.type === type);
  const pathAt = ({ words: [index] }: Frame): string => artefacts[Number(index)]?.path ?? '';
  const damaged = of('damaged')[0]?.payload.toString('utf8');
  // It was set aside, and is not there any more.
  if (damaged !== undefined) context.staged.clear();
  const aside = of('aside').length > 0;
  return {
    end,
    rebooted: isRebooted(frames),
    ...(stdout ? { stdoutTail: wholeLines(of('stdout')[0]?.payload ?? Buffer.alloc(0)) } : {}),
    logTail: of('log')[0]?.payload.toString('utf8') ?? '',
    artefacts: of('artefact').map((frame) => ({ path: pathAt(frame), content: frame.payload })),
    missing: of('missing').map(pathAt),
    tooLarge: of('large').map(pathAt),
    changed: of('changed').map(({ payload }) => payload.toString('utf8')),
    ...(damaged === undefined ? {} : { damaged }),
    ...(aside ? { aside } : {}),
  };
}

/** Whether one of these runs was begun on this very machine, and its directory is still there. */
export async function hasAnyRun(context: SshContext, runs: readonly RunRef[]): Promise<boolean> {
  return (await context.link.call({ verb: 'has', words: runs.map(runName) })).length > 0;
}
