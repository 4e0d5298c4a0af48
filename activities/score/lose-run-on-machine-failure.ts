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

/** A score, with the end of the program that answered; undefined if that end is unknown. */
export interface AnsweredScore {
  scored: Scored;
  programEnd: RunEnd | undefined;
}

/**
 * Runs a conversation with a run and returns its score. If the conversation failed because the host failed, the run is
 * lost, and this throws `HostLost`, by which the workflow places the trial once more.
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

/** The message of an error without the name of the host, which the stored reason names already. */
function reasonOf(error: unknown, host: string): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(`host ${host}: `, '');
}

async function loseTo(placed: Placed, fault: HostFailure): Promise<never> {
  await loseRunToHost(placed, fault);
  throw toHostLostFailure(placed.run.host, fault.words);
}

/** The failure by which workflows of all versions recognise a run that its host lost before it was scored. */
export const toHostLostFailure = (host: string, shortage: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`host ${host}: ${shortage}`, 'HostLost');
