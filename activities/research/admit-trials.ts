import type { Research } from '../../db/research/research.ts';
import type { Store, TxStore } from '../../db/store.ts';
import { countedIn, numberOn, withoutExcess } from '../../domain/research/admission.ts';
import { type Allowance, allowance, spendOf } from '../../domain/research/budget.ts';
import { gateEvents } from '../../domain/event/gate-events.ts';
import { earlyProposals, isBaselineGivenUp, isMeasured, startLastRace } from '../../domain/gate/gate.ts';
import type { GateState } from '../../domain/gate/types.ts';
import { shareRoom } from '../../domain/learning/evaluation/share-room.ts';
import { choiceIn, knownFacts } from '../../domain/search/proposer/makers.ts';
import { requireKnownKeys } from '../../domain/search/require-known.ts';
import { Budget } from '../../domain/schema/budget.ts';
import { type Hold, holdOf, STORE_FAILED } from '../../domain/research/hold.ts';
import { nothingButFailures } from '../../domain/research/losing-streak.ts';
import { LONGEST_PACE_SECONDS, paceSeconds } from '../../domain/research/pace.ts';
import type { TrialSpec } from '../../domain/trial.ts';
import { type Board, boardOf, VERDICTS } from './board.ts';
import { reasonOfClaim } from '../outcome/reason-of-claim.ts';
import { storeAdvance } from '../outcome/store-advance.ts';
import { readLearningState } from '../learning/read-learning-state.ts';
import { giveSeeds, type Hashes } from './give-seeds.ts';

export interface AdmitInput {
  researchId: string;
  /** Key of the admission. A repeated call returns the trials of the first. */
  key: string;
  /** Number of trials for which the window has room. */
  room: number;
  /** Trials that may be under way at once. */
  window?: number;
  activeSeconds: number;
  /** False while no new proposal may start (endpoint down, draining). */
  proposals: boolean;
  /** True if a person asked to try again, although the last trials failed alike. */
  retries?: boolean;
}

export interface Admitted {
  trials: TrialSpec[];
  /** Reason why no new proposal may start, in words; null while some may. */
  spent: string | null;
  /** True if the budget forbids any run, even wanted runs. */
  exhausted: boolean;
  /** Reason why new trials wait after some that failed alike, in words; null if they do not, or nothing is left. */
  failing: string | null;
  /** True if wanted runs wait because machines lose every run; false again once that has gone on for long. */
  held: boolean;
  endpointDown: string | null;
  board: Board;
  /** The proposer from now on, with its settings. A person may have changed it. */
  proposer: unknown;
  /** Seconds to wait before the next new proposal. */
  paceSeconds: number;
  /** Number of the policy's due update; null if none is due. */
  update: number | null;
  /** Reason why no sample of the policy may begin although budget is left, in words. */
  learning: string | null;
}

/**
 * Admits the next trials, in one transaction under the research's row lock: first the runs that the gate or a person
 * wants, then new proposals within the budget.
 */
export const admitTrials = (
  { withResearch }: Pick<Store, 'withResearch'>,
  asked: AdmitInput,
  hashes: Hashes,
): Promise<Admitted> =>
  withResearch(asked.researchId, async (tx, research) => {
    const hold = await findHold(tx, research, asked);
    const input = hold === null ? asked : { ...asked, room: Math.min(asked.room, hold.room) };
    requireKnownKeys('budget', research.budget, Object.keys(Budget.shape));
    const before = await tx.research.findAdmission(input);
    const activeSeconds = Math.max(input.activeSeconds, research.activeSeconds);
    const learning = await readLearningState(tx, research);
    // Known candidates teach a learning policy, too, so they do not end its research.
    const withoutNew = learning === null ? research.withoutNew : 0;
    const allowed = allowance(research.budget, spendOf({ ...research, activeSeconds, withoutNew }));
    const spent = allowed.spent ?? (await nothingNew(tx, research));
    const { worthless, lost } = await tx.research.countInARow(research.id);
    const window = input.window ?? input.room;
    const measuresOnly = research.gateConfig.measuresOnly === true;
    const takesWorthless = learning !== null || measuresOnly;
    const lossPace = paceSeconds({ inARow: lost, window });
    const state = {
      spent: spent && spent + (await allFailedNote(tx, research.id)),
      exhausted: allowed.exhausted !== null,
      endpointDown: research.endpointDown,
      proposer: choiceIn(research),
      // Worthless proposals teach a learning policy and are results of an evaluation, so only losses slow these down.
      paceSeconds: Math.max(lossPace, takesWorthless ? 0 : paceSeconds({ inARow: worthless, window })),
      held: false,
      failing: null,
      update: learning?.due ?? null,
      learning: spent === null || (learning?.due ?? null) !== null ? (learning?.waits ?? null) : null,
    };
    let { gate } = research;
    // Counts the trials of this admission. A repeated call finds them counted.
    const boardWith = async (fresh: TrialSpec[]): Promise<Board> => {
      const recent = await tx.research.findRecentVerdicts({ researchId: research.id, limit: VERDICTS });
      return boardOf(tx, { ...research, gate, activeSeconds, admitted: countedIn(research.admitted, fresh) }, recent);
    };
    if (before.length > 0) return { trials: before, ...state, board: await boardWith([]) };

    if (spent !== null && allowed.exhausted === null) gate = await openLastRace(tx, research);
    // While proposals wait, wanted runs go on, unless machines lose every run.
    const held = lossPace > 0 && !input.proposals;
    // All prompts of an evaluation show the same baseline.
    const waitsForBaseline = measuresOnly && !isMeasured(research.gate);
    const most =
      input.proposals && !spent && !waitsForBaseline
        ? await mostSearches(tx, research, { room: Math.min(input.room, learning?.room ?? input.room), allowed })
        : 0;
    const beside = Math.min(most, await proposalsBeside(tx, research, { left: allowed.trials, window }));
    const limit = allowed.exhausted || held ? 0 : input.room - beside;
    const mayEvaluate = allowed.exhausted === null && !held && (isMeasured(gate) || isBaselineGivenUp(gate));
    const trials = await admitNext(tx, research, {
      input,
      hashes,
      limit,
      most,
      left: allowed.trials,
      mayEvaluate,
    });
    const isHeld = held && lossPace < LONGEST_PACE_SECONDS;
    const isWanted =
      (isHeld || hold !== null) && !allowed.exhausted && (await isAnyWanted(tx, research, allowed.trials));
    // Without anything left to do, the research ends as usual.
    const isLeft = isWanted || spent === null || trials.length > 0;
    const failing = isLeft ? (hold?.reason ?? null) : null;
    return { ...state, trials, held: isHeld && isWanted, failing, board: await boardWith(trials) };
  });

/** The hold of a research whose last trials failed alike; null if there is none. A database’s is also an alert. */
async function findHold(
  tx: TxStore,
  { id: researchId }: Research,
  { retries = false }: Pick<AdmitInput, 'retries'>,
): Promise<Hold | null> {
  const failures = await tx.research.findRepeatedFailures(researchId);
  if (failures.length === 0) return null;
  const { running } = await tx.research.readCounts({ researchId });
  const hold = holdOf(failures, { researchId, running, retries });
  if (hold?.label === STORE_FAILED) await tx.research.insertAlert({ researchId, message: hold.reason, once: true });
  return hold;
}

/** True if a run that the budget allows, or an evaluation, waits for its number. */
async function isAnyWanted(tx: TxStore, research: Research, left: number | null): Promise<boolean> {
  const runs = await findAllowedRuns(tx, research, { limit: 1, left });
  return runs.length > 0 || (await tx.research.findWantedEvaluations({ researchId: research.id, limit: 1 })).length > 0;
}

/** At most `limit` wanted runs; ablations only within the rest of a budget of trials that counts them. */
async function findAllowedRuns(
  tx: TxStore,
  { id: researchId, budget: { counts } }: Research,
  { limit, left }: { limit: number; left: number | null },
) {
  return withoutExcess(await tx.research.findWantedRuns({ researchId, limit }), { counts, left });
}

/** Admits at most `limit` wanted runs, then evaluations and at most `most` new proposals as far as there is room. */
async function admitNext(
  tx: TxStore,
  research: Research,
  {
    input,
    hashes,
    limit,
    most,
    left,
    mayEvaluate,
  }: {
    input: AdmitInput;
    hashes: Hashes;
    limit: number;
    most: number;
    left: number | null;
    mayEvaluate: boolean;
  },
): Promise<TrialSpec[]> {
  const { id: researchId, lastN, taskHash, admitted, phase } = research;
  // Read here: the task may have changed since the workflow sent its request.
  const pool = await tx.task.findPool(taskHash);
  const first = await findAllowedRuns(tx, research, { limit, left });
  const isAblationCounted = research.budget.counts.includes('ablation');
  const ablations = isAblationCounted ? first.filter(({ kind }) => kind === 'ablation').length : 0;
  const { evaluations, searches } = await nextSamples(tx, research, {
    input: { ...input, room: input.room - first.length },
    most: Math.max(0, left === null ? most : Math.min(most, left - ablations)),
    mayEvaluate,
  });
  const wanted = [...first, ...evaluations];
  await tx.research.numberWantedRuns(wanted.map(({ id }, offset) => ({ id, n: lastN + 1 + offset })));
  const numbered = numberOn({ researchId, lastN, taskHash, pool }, { wanted, searches });
  if (numbered.length === 0) return [];
  const seeded = await giveSeeds(tx, research, { numbered, hashes });
  await tx.research.insertTrials({ researchId, key: input.key, seeded });
  const specs = seeded.map(({ spec }) => spec);
  await tx.research.noteAdmitted({
    researchId,
    lastN: lastN + specs.length,
    admitted: countedIn(admitted, specs),
    // Written here, since the workflow stores its phase only after all admitted trials have started.
    ...(phase === 'starting' ? { phase: 'running' as const } : {}),
  });
  const injected = specs.filter(({ kind }) => kind === 'injected').map(({ n }) => n);
  await tx.research.copyInjected({ researchId, ns: injected });
  return specs;
}

/** The evaluations that start now, and the number of new proposals beside them. Both sample the policy. */
async function nextSamples(
  tx: TxStore,
  { id: researchId, endpointDown }: Research,
  { input: { room, window = room }, most, mayEvaluate }: { input: AdmitInput; most: number; mayEvaluate: boolean },
) {
  // While the endpoint is down, one sample stays under way to notice that it is back.
  const down = endpointDown !== null;
  const limit = down && (most > 0 || (await tx.research.isProposing(researchId))) ? 0 : Math.min(room, down ? 1 : room);
  const waiting =
    mayEvaluate && limit > 0 ? await tx.research.findWantedEvaluations({ researchId, limit: Math.max(0, limit) }) : [];
  const open = waiting.length > 0 ? await tx.research.countOpenEvaluations(researchId) : 0;
  const share = shareRoom({ room, proposals: most, waiting: waiting.length, open, window });
  return { evaluations: waiting.slice(0, share.evaluations), searches: share.proposals };
}

/**
 * Opens the race of the lead at the end of the search, once no trial runs. Nothing is left for which to save the
 * budget. Returns the state of the gate.
 */
async function openLastRace(tx: TxStore, research: Research): Promise<GateState> {
  const { id: researchId, gate, gateConfig } = research;
  const race = startLastRace(gateConfig, gate);
  if (race === null || (await tx.research.readCounts({ researchId })).running > 0) return gate;
  await storeAdvance(tx, research, race);
  await tx.event.insertEvents(gateEvents(gate, race, { researchId, by: 'gate', reason: reasonOfClaim(race) }));
  return race.state;
}

/** Reason why all proposers that draw have nothing left to draw; null if one of them may have. */
async function nothingNew(tx: TxStore, research: Research): Promise<string | null> {
  const drawers = knownFacts(choiceIn(research))?.drawers ?? [];
  const why = drawers.length > 0 ? await tx.research.findNothingNew({ researchId: research.id, drawers }) : null;
  return why && `${why}; to continue, widen a knob (changeTask), or start the research with another proposer`;
}

/** Addition to the reason for the end of a research: every trial failed. Empty if that is not so, or a trial runs. */
async function allFailedNote(tx: TxStore, researchId: string): Promise<string> {
  const { byStatus, running } = await tx.research.readCounts({ researchId });
  const failed = running > 0 ? null : nothingButFailures(byStatus);
  return failed === null ? '' : `; every trial failed (${failed})`;
}

/** Number of new proposals that budget and endpoint allow. */
async function mostSearches(
  tx: TxStore,
  { id, endpointDown }: Research,
  { room, allowed }: { room: number; allowed: Pick<Allowance, 'trials' | 'proposals'> },
): Promise<number> {
  const withinBudget = Math.min(room, allowed.trials ?? room, allowed.proposals ?? room);
  if (!endpointDown) return withinBudget;
  // While the endpoint is down, one proposal stays under way to notice that it is back.
  return Math.min(withinBudget, (await tx.research.isProposing(id)) ? 0 : 1);
}

/** Number of proposals that may start beside the baseline runs; 0 once the baseline is measured. */
async function proposalsBeside(
  tx: TxStore,
  { id: researchId, taskHash, gate, budget }: Research,
  { left, window }: { left: number | null; window: number },
): Promise<number> {
  if (!gate.calibrating) return 0;
  const { waiting, injected, begun } = await tx.research.countEarlyProposals({ researchId, taskHash });
  // If baseline runs count on the same budget, wanted baseline runs come first.
  const proposalsLeft = left === null ? null : left - (budget.counts.includes('baseline') ? waiting : 0);
  return earlyProposals(gate, {
    baselineRunsWaiting: waiting,
    proposalsBegun: begun,
    injectedWaiting: injected,
    proposalsLeft,
    window,
  });
}
