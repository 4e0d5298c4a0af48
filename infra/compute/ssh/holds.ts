import type { Held } from '../../../domain/fault/own-doing.ts';
import { HostUnusableError, type RunRef } from '../../compute.ts';
import { runName } from '../run-protocol/paths.ts';
import type { SshContext } from './context.ts';

/** What a run has on the disk of its host, and how much of that is in use. */
export async function holds({ link, host }: SshContext, run: RunRef): Promise<Held> {
  const words = (await link.ask({ verb: 'holds', words: [runName(run)] }))[0]?.words ?? [];
  const [own = NaN, used = NaN, ownFiles = NaN, usedFiles = NaN, free = NaN] = words.map(Number);
  if (!Number.isInteger(own + used + ownFiles + usedFiles + free))
    throw new HostUnusableError(host, `expected to hear what ${run.trialId} has on its disk`);
  const freeFiles = usedFiles + free === 0 ? null : free;
  return { ownMb: own / 1024, usedMb: used / 1024, ownFiles, usedFiles, freeFiles };
}
