import { ApplicationFailure } from '@temporalio/activity';
import { isFault } from '../../domain/fault/host-fault.ts';
import { inUse } from '../../domain/fleet/lendable.ts';
import type { FailureLabel } from '../../domain/trial.ts';
import type { RunEnd } from '../../infra/compute.ts';
import { filledByItself } from '../monitor/filled.ts';
import { loseFor } from '../monitor/loss/lose-for.ts';
import { placedOf, type Placed } from '../monitor/loss/placed.ts';
import { shortageAfterTalk } from '../monitor/shortage.ts';
import type { Scored, ScoreContext } from './types.ts';

/** A score, and how the program ended that was asked for it; undefined where nobody could say. */
export interface Asked {
  scored: Scored;
  talk: RunEnd | undefined;
}

/** Limits that the program itself broke, and what no host of a run can do. */
const NOT_THE_MACHINES: ReadonlySet<FailureLabel> = new Set<FailureLabel>([
  'output-limit',
  'cpu-time',
  'out-of-memory',
  'too-many-processes',
  'disk-limit',
  'evaluator-changed',
]);

/**
 * Where a run is asked, its machine may give way as it may under the run: what fails then is not scored. The run is lost, and
 * this throws what `unlessHostLost` of the workflow takes for that.
 */
export async function unlessMachineFailed(context: ScoreContext, ask: () => Promise<Asked>): Promise<Scored> {
  const { deps, run, version, end } = context;
  const placed = placedOf(deps, run);
  const asked = await ask().catch(async (error: unknown): Promise<never> => {
    if (!isFault(error, 'slot-taken')) throw error;
    return loseTo(placed, inUse(reasonOf(error, run.host)));
  });
  const { scored, talk } = asked;
  if (scored.ok || NOT_THE_MACHINES.has(scored.failure.label)) return scored;
  const shortage = await shortageAfterTalk(placed, { end, talk });
  if (shortage === null) return scored;
  const own = await filledByItself({ ...placed, task: version.task });
  return own ? { ok: false, status: 'crashed', failure: own } : loseTo(placed, shortage);
}

/** Without the host, which is named already. */
function reasonOf(error: unknown, host: string): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(`host ${host}: `, '');
}

async function loseTo(placed: Placed, shortage: string): Promise<never> {
  await loseFor(placed, shortage);
  throw lostTo(placed.run.host, shortage);
}

/** What a workflow of any version takes for a run that its host lost before it was scored. */
export const lostTo = (host: string, shortage: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`host ${host}: ${shortage}`, 'HostLost');
