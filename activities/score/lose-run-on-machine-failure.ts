import { ApplicationFailure } from '@temporalio/activity';
import {
  attributeAnswer,
  hostDecidesAnswer,
  type HostFailure,
  hostShortageFailure,
} from '../../domain/fault/attribute.ts';
import { isFault } from '../../domain/fault/host-fault.ts';
import { inUse } from '../../domain/fleet/lendable-slots.ts';
import type { RunEnd } from '../../infra/compute.ts';
import { findShortageAfterConversation } from '../monitor/find-shortage-after-run.ts';
import { loseRunToHost } from '../monitor/loss/lose-run-to-host.ts';
import { placedOf, type Placed } from '../monitor/loss/lose-run.ts';
import type { Scored, ScoreContext } from './score-context.ts';

/** A score, and how the program ended that was asked for it; undefined where nobody could say. */
export interface AnsweredScore {
  scored: Scored;
  programEnd: RunEnd | undefined;
}

/**
 * Where a run is asked, its machine may give way as it may under the run: what fails then is not scored. The run is lost, and
 * this throws what `unlessHostLost` of the workflow takes for that.
 */
export async function loseRunOnMachineFailure(
  context: ScoreContext,
  ask: () => Promise<AnsweredScore>,
): Promise<Scored> {
  const { deps, run, end } = context;
  const placed = placedOf(deps, run);
  const asked = await ask().catch(async (error: unknown): Promise<never> => {
    if (!isFault(error, 'slot-taken')) throw error;
    return loseTo(placed, hostShortageFailure(inUse(reasonOf(error, run.host))));
  });
  const { scored, programEnd: talk } = asked;
  const facts = { failure: scored.ok ? null : scored.failure.label, talk: talk ?? null };
  const lacks = hostDecidesAnswer(facts) ? await findShortageAfterConversation(placed, { end, talk }) : null;
  const fault = attributeAnswer({ ...facts, lacks });
  return fault.party === 'host' ? loseTo(placed, fault) : scored;
}

/** Without the host, which is named already. */
function reasonOf(error: unknown, host: string): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(`host ${host}: `, '');
}

async function loseTo(placed: Placed, fault: HostFailure): Promise<never> {
  await loseRunToHost(placed, fault);
  throw toHostLostFailure(placed.run.host, fault.words);
}

/** What a workflow of any version takes for a run that its host lost before it was scored. */
export const toHostLostFailure = (host: string, shortage: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`host ${host}: ${shortage}`, 'HostLost');
