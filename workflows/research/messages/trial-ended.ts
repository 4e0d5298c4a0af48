import { SIGNALS } from '../../../domain/messages.ts';
import type { TrialEnded } from '../../../domain/trial.ts';
import { activitiesOf } from '../activities.ts';
import { createInbox } from './inbox.ts';
import type { Handler, Intake } from './intake.ts';
import { wakeOverfull } from './overfull.ts';
import { countEnded, type State } from '../state.ts';

/**
 * Creates the handler of the signal `trialEnded`. It reads the outcome from the database, since any program may send
 * the signal.
 */
export function createTrialEndedHandler(state: State, { alert }: Intake): Handler {
  const { quick } = activitiesOf(state.input.tempo ?? 1, 'end of a trial');
  const find = async (ns: readonly number[]): Promise<void> => {
    // An earlier signal about the same trial may have been handled since.
    const open = [...new Set(ns)].filter((n) => state.inflight.has(n));
    if (open.length > 0)
      (await quick.findOutcomes({ researchId: state.id, ns: open })).forEach((ended) => countEnded(state, ended));
  };
  // A separate inbox: messages of people may take long.
  const findTogether = createInbox(() => wakeOverfull(state))<number>(find);
  return (raw) => {
    if (!isTrialEnded(raw))
      return alert(`signal ${SIGNALS.trialEnded} ignored: expected { n, status, … } from a trial`);
    if (!state.inflight.has(raw.n)) return wakeOverfull(state);
    return findTogether(raw.n);
  };
}

function isTrialEnded(raw: unknown): raw is TrialEnded {
  const ended = raw as Partial<TrialEnded> | null;
  return typeof ended === 'object' && ended !== null && Number.isInteger(ended.n) && typeof ended.status === 'string';
}
