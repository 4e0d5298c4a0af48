import type { z } from 'zod';
import type { Tx } from '../../../db/connect.ts';
import { readResearch, type ResearchView } from '../../../db/reads/read-research.ts';
import { readTrial } from '../../../db/reads/read-trial.ts';
import type { Budget } from '../../../domain/schema/budget.ts';
import { choiceIn, knownFacts } from '../../../domain/search/proposer/makers.ts';
import { trialIdOf } from '../../../domain/trial/ids.ts';
import { signalResearch, type Signal } from '../../../steering/signal-research.ts';
import { startAgain } from '../../../steering/start-again.ts';
import { updateResearch, type Update } from '../../../steering/update-research.ts';
import type { Temporal } from '../../../steering/with-client.ts';
import {
  describeBudgetChange,
  describeInjected,
  describeInVain,
  describeOverruling,
  describeTaskChange,
  describeWindowChange,
  SIGNAL_EFFECTS,
  type ChangedTask,
  type ChangedWindow,
} from '../../../view/steering/results.ts';
import type { STEER_BODIES, Steered, SteerAction } from '../../api/steer/steering.ts';

/** Means of an action. */
export interface ActionDeps {
  /** The research as it was before the message. */
  research: ResearchView;
  /** Reads Postgres, with the rights to read alone. */
  read: <T>(use: (db: Tx) => Promise<T>) => Promise<T>;
  /** Connects to Temporal. */
  send: <T>(use: (temporal: Temporal) => Promise<T>) => Promise<T>;
}

/** Sends one kind of message; undefined if what it names does not exist. */
type Act<Body> = (deps: ActionDeps, body: Body) => Promise<Steered | undefined>;

/** The messages of the page. Each does what the command of its name does, by the same code. */
export const ACTIONS: { [Name in SteerAction]: Act<z.output<(typeof STEER_BODIES)[Name]>> } = {
  pause: (deps) => signal(deps, { name: 'pause', effect: SIGNAL_EFFECTS.pause }),
  resume: (deps) => signal(deps, { name: 'resume', effect: SIGNAL_EFFECTS.resume }),
  stop: (deps, { now }) =>
    signal(deps, { name: 'stop', args: [{ now }], effect: now ? SIGNAL_EFFECTS.stopNow : SIGNAL_EFFECTS.stop }),
  note: async (deps, note) => {
    const isUnread = knownFacts(choiceIn(deps.research))?.readsPrompt === false;
    const effect = isUnread ? SIGNAL_EFFECTS.note : SIGNAL_EFFECTS.noteInPrompts;
    const { lines } = await signal(deps, { name: 'note', args: [note], effect });
    return { lines, notes: isUnread ? ['it has no effect now, since the proposer has no prompt'] : [] };
  },
  budget: async (deps, change) => {
    const after = await update<Budget>(deps, 'setBudget', change);
    const lines = describeBudgetChange(deps.research.budget, after);
    return { lines: lines.length > 0 ? lines : ['nothing changed'], notes: [] };
  },
  window: async (deps, change) => {
    const after = await update<ChangedWindow>(deps, 'setWindow', change);
    return { lines: [describeWindowChange(deps.research.id, deps.research.window, after)], notes: [] };
  },
  task: async (deps, change) => {
    const { id, taskHash: before } = deps.research;
    const answer = await update<ChangedTask>(deps, 'changeTask', change);
    const after = (await deps.read((db) => readResearch(db, { researchId: id })))?.taskHash ?? before;
    return describeTaskChange(id, { before, after }, answer);
  },
  inject: async (deps, idea) => {
    const { key } = await update<{ key: string }>(deps, 'inject', idea);
    return { lines: [describeInjected(deps.research.id, key)], notes: [] };
  },
  overrule: async (deps, change) => {
    const trialId = trialIdOf(deps.research.id, change.n);
    const found = await deps.read((db) => readTrial(db, { trialId }));
    if (!found) return undefined;
    await update(deps, 'overrideVerdict', change);
    return { lines: [describeOverruling(trialId, found.trial.verdict, change.verdict)], notes: [] };
  },
  start: ({ research, send }) => send((temporal) => startAgain(temporal, research)),
};

async function signal(
  { research: { id, phase }, send }: ActionDeps,
  { effect, name, args = [] }: Omit<Signal, 'id'> & { effect: string },
): Promise<Steered> {
  await send((temporal) => signalResearch(temporal, { id, name, args }));
  // A stop is final: the research reports the refusal of a later signal in its alerts alone.
  const isInVain = phase === 'stopping' && (name === 'pause' || name === 'resume');
  return isInVain ? { lines: [], notes: [describeInVain(id, name)] } : { lines: [`${id} ${effect}`], notes: [] };
}

const update = <Answer>({ research, send }: ActionDeps, name: Update['name'], args: object): Promise<Answer> =>
  send((temporal) => updateResearch<Answer>(temporal, { id: research.id, name, args, onRepeat: REPEAT }));

const REPEAT = 'Repeat the message: the result is the same.';
