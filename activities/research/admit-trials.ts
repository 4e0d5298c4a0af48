import type { Research } from '../../db/research/research.ts';
import type { Store, TxStore } from '../../db/store.ts';
import { countedIn, numberOn } from '../../domain/research/admission.ts';
import { type Allowance, allowance, spendOf } from '../../domain/research/budget.ts';
import { earlyProposals, startLastRace } from '../../domain/gate/gate.ts';
import { choiceIn, knownFacts } from '../../domain/search/proposer/makers.ts';
import { requireKnownKeys } from '../../domain/search/require-known.ts';
import { Budget } from '../../domain/schema/budget.ts';
import { nothingButFailures } from '../../domain/research/losing-streak.ts';
import { LONGEST_PACE_SECONDS, paceSeconds } from '../../domain/research/pace.ts';
import type { TrialSpec } from '../../domain/trial.ts';
import { type Board, boardOf, VERDICTS } from './board.ts';
import { storeAdvance } from '../outcome/store-advance.ts';
import { readLearningState } from '../learning/read-learning-state.ts';
import { giveSeeds, type Hashes } from './give-seeds.ts';

export interface AdmitInput {
  researchId: string;
  /** Names this admission: repeated, it returns the trials that it made. */
  key: string;
  /** Trials that the window has room for. */
  room: number;
  /** Trials that may be under way at once. */
  window?: number;
  activeSeconds: number;
  /** False while no new proposal may start (endpoint down, draining). */
  proposals: boolean;
}

export interface Admitted {
  trials: TrialSpec[];
  /** Why no new proposal may start, in words; null while some may. */
  spent: string | null;
  /** True when the budget forbids any run, wanted ones too. */
  exhausted: boolean;
  /** Runs are wanted, and wait since machines lose what they are given; false where that has gone on for long. */
  held: boolean;
  endpointDown: string | null;
  board: Board;
  /** The proposer from now on, with its settings: a person may have changed it. */
  proposer: unknown;
  /** Seconds to wait before the next new proposal. */
  paceSeconds: number;
  /** The update of the policy that is to be carried out, by its number. */
  update: number | null;
  /** Why no sample of the policy may begin although there is budget, in words. */
  learning: string | null;
}

/**
 * Gives trial numbers to what shall run next: runs the gate asked for first, then new proposals within the budget; in one
 * transaction under the research's row lock.
 */
export const admitTrials = (
  { withResearch }: Pick<Store, 'withResearch'>,
  input: AdmitInput,
  hashes: Hashes,
): Promise<Admitted> =>
  withResearch(input.researchId, async (tx, research) => {
    requireKnownKeys('budget', research.budget, Object.keys(Budget.shape));
    const before = await tx.research.findAdmission(input);
    const activeSeconds = Math.max(input.activeSeconds, research.activeSeconds);
    const learning = await readLearningState(tx, research);
    // A policy that learns goes on with what is known: that teaches it, too.
    const withoutNew = learning === null ? research.withoutNew : 0;
    const left = allowance(research.budget, spendOf({ ...research, activeSeconds, withoutNew }));
    const spent = left.spent ?? (await nothingNew(tx, research));
    const recent = await tx.research.findRecent({ researchId: research.id, limit: VERDICTS });
    const { worthless, lost } = await tx.research.countInARow(research.id);
    const window = input.window ?? input.room;
    const lossPace = paceSeconds({ inARow: lost, window });
    const state = {
      spent: spent && spent + (await nothingCame(tx, research.id)),
      exhausted: left.exhausted !== null,
      endpointDown: research.endpointDown,
      proposer: choiceIn(research),
      // Answers that are known already teach a policy as well.
      paceSeconds: learning === null ? Math.max(lossPace, paceSeconds({ inARow: worthless, window })) : lossPace,
      held: false,
      update: learning?.due ?? null,
      learning: spent === null || (learning?.due ?? null) !== null ? (learning?.waits ?? null) : null,
    };
    // With what is admitted now: a repeated admission finds it counted.
    const boardWith = (fresh: TrialSpec[]): Promise<Board> =>
      boardOf(tx, { ...research, activeSeconds, admitted: countedIn(research.admitted, fresh) }, recent);
    if (before.length > 0) return { trials: before, ...state, board: await boardWith([]) };

    if (spent !== null && left.exhausted === null) await openLastRace(tx, research);
    // Runs that the gate wants go on while proposals wait, but not where machines lose whatever they are given.
    const held = lossPace > 0 && !input.proposals;
    const most =
      input.proposals && !spent
        ? await mostSearches(tx, research, { room: Math.min(input.room, learning?.room ?? input.room), left })
        : 0;
    const beside = Math.min(most, await proposalsBeside(tx, research, { left: left.trials, window }));
    const limit = left.exhausted || held ? 0 : input.room - beside;
    const trials = await admitNext(tx, research, { input, hashes, limit, most });
    const isWanted =
      held &&
      lossPace < LONGEST_PACE_SECONDS &&
      !left.exhausted &&
      (await tx.research.findWantedRuns({ researchId: research.id, limit: 1 })).length > 0;
    return { ...state, trials, held: isWanted, board: await boardWith(trials) };
  });

/** Admits so many runs that are wanted, and then, as far as there is room, so many new proposals. */
async function admitNext(
  tx: TxStore,
  research: Research,
  { input, hashes, limit, most }: { input: AdmitInput; hashes: Hashes; limit: number; most: number },
): Promise<TrialSpec[]> {
  const { id: researchId, lastN, taskHash, admitted, phase } = research;
  // Of the task as it is now: the workflow may have asked before the task was changed.
  const pool = await tx.task.findPool(taskHash);
  const wants = await tx.research.findWantedRuns({ researchId, limit });
  await tx.research.numberWantedRuns(wants.map(({ id }, offset) => ({ id, n: lastN + 1 + offset })));
  const searches = Math.min(input.room - wants.length, most);
  const numbered = numberOn({ researchId, lastN, taskHash, pool }, { wants, searches });
  if (numbered.length === 0) return [];
  const seeded = await giveSeeds(tx, research, { numbered, hashes });
  await tx.research.insertTrials({ researchId, key: input.key, seeded });
  const specs = seeded.map(({ spec }) => spec);
  await tx.research.noteAdmitted({
    researchId,
    lastN: lastN + specs.length,
    admitted: countedIn(admitted, specs),
    // The workflow writes its phase only when all of them have started.
    ...(phase === 'starting' ? { phase: 'running' as const } : {}),
  });
  const injected = specs.filter(({ kind }) => kind === 'injected').map(({ n }) => n);
  await tx.research.copyInjected({ researchId, ns: injected });
  return specs;
}

/** Opens the race of a lead that still waits for it at the end of the search, once nothing runs: no run is left to save for. */
async function openLastRace(tx: TxStore, research: Research): Promise<void> {
  const { id: researchId, gate, gateConfig } = research;
  const race = startLastRace(gateConfig, gate);
  if (race === null || (await tx.research.readCounts({ researchId })).running > 0) return;
  await storeAdvance(tx, research, race);
}

/** Why the proposers that draw have nothing left to draw; null where one of them may have. */
async function nothingNew(tx: TxStore, research: Research): Promise<string | null> {
  const drawers = knownFacts(choiceIn(research))?.drawers ?? [];
  const why = drawers.length > 0 ? await tx.research.findNothingNew({ researchId: research.id, drawers }) : null;
  return why && `${why}; to let it go on, widen a knob (changeTask), or start it with another proposer`;
}

/** To say at the end of a budget that bought nothing: a research of which every trial failed did not just end. */
async function nothingCame(tx: TxStore, researchId: string): Promise<string> {
  const { byStatus, running } = await tx.research.readCounts({ researchId });
  const failed = running > 0 ? null : nothingButFailures(byStatus);
  return failed === null ? '' : `; every trial failed (${failed})`;
}

/** New proposals that budget and endpoint allow. */
async function mostSearches(
  tx: TxStore,
  { id, endpointDown }: Research,
  { room, left }: { room: number; left: Pick<Allowance, 'trials' | 'proposals'> },
): Promise<number> {
  // While the model endpoint is down one proposal is kept under way: it is what notices that the endpoint is back.
  const probes = endpointDown ? ((await tx.research.isProposing(id)) ? 0 : 1) : room;
  return Math.min(room, left.trials ?? room, left.proposals ?? room, probes);
}

/** Proposals that are due although baseline runs are wanted. */
async function proposalsBeside(
  tx: TxStore,
  { id: researchId, taskHash, gate, budget }: Research,
  { left, window }: { left: number | null; window: number },
): Promise<number> {
  if (!gate.calibrating) return 0;
  const { waiting, injected, begun } = await tx.research.countEarlyProposals({ researchId, taskHash });
  // Where baseline runs are paid from the same budget, those that are wanted come first.
  const rest = left === null ? null : left - (budget.counts.includes('baseline') ? waiting : 0);
  return earlyProposals(gate, { waiting, injected, begun, left: rest, window });
}
