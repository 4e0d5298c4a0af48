import { openGate } from '../domain/gate/gate.ts';
import { changedBudget } from '../domain/research/budget.ts';
import { parseTrialId } from '../domain/trial/ids.ts';
import type { SetBudget } from '../domain/messages.ts';
import { fitOverrides, type Overrides, withSettings } from '../domain/task/overrides.ts';
import { startingPoint } from '../domain/search/parent/starting-point.ts';
import { PROPOSER_OF_ATTACKS, PROPOSER_OF_CHECKS } from '../domain/search/proposer/table.ts';
import { choiceIn } from '../domain/search/proposer/makers.ts';
import type { Task } from '../domain/task/task.ts';
import { changeTaskCommand } from '../domain/messages/temporal-command.ts';
import type { TrialSpec } from '../domain/trial.ts';
import { proposalsAhead } from '../domain/window/window.ts';
import type { Research } from '../db/research/research.ts';
import { wrapInHeartbeat } from './with-heartbeat.ts';
import type { ActivityDeps } from './deps.ts';
import { hasUnread } from './research/fill-knobs.ts';
import { answerOf, changeTask, type TaskChangeAnswer } from './research/change/change-task.ts';
import { collectCarriedCurves } from './research/collect-carried-curves.ts';
import { reopenResearch, requireSameLearning } from './research/reopen-research.ts';
import { taskLocationOf, readTask, versionOf } from './task/read-task.ts';
import { searchPointsOf } from './research/search-points-of.ts';
import { warnOfChange } from './research/change/warn-of-change.ts';
import {
  gateConfigOf,
  readOverrides,
  recordOf,
  requireFit,
  requireSame,
  requireSameSeed,
  windowFor,
} from './research/research-settings.ts';
import { baselineOf } from './task/baseline-of.ts';
import {
  withYamlPosition,
  chooseProposer,
  findMissingTools,
  findTooLarge,
  refuse,
  requireRunnable,
  requireSandbox,
  requireSize,
  requireTools,
} from './task/require-runnable.ts';
import { commandSandbox, exposureOf, sandboxOf } from './task/sandbox-of.ts';

export interface OpenResearchInput {
  researchId: string;
  /** A name among the built-in tasks, or a path on the worker's machine. */
  task: string;
  proposer?: string;
  /** Values of its own in place of the task's; a research that is known refuses other ones than it has. */
  overrides?: Overrides;
  budget?: SetBudget;
  /** What the seeds of its trials are made from, instead of its id; a research that is known refuses another one than it has. */
  seed?: string;
  /** Proposes nothing: `true` runs the unmodified workspace once, `attack` runs what is injected, too. */
  check?: boolean | 'attack';
  /** Run id of the workflow, which is in charge from here on. */
  runId?: string;
}

export interface OpenedResearch {
  taskName: string;
  pool: string;
  slots: number;
  /** Proposals ahead of the slots to begin with. */
  ahead: number;
  window: 'auto' | number;
  whenSpent: 'stop' | 'wait';
  activeSeconds: number;
  /** Trials that were given a number and have no outcome yet: they are adopted. */
  unfinished: TrialSpec[];
  searchAttributes: boolean;
  /** Candidates of an older version have knobs that nobody has read. */
  unread: boolean;
  /** What a person should see in the status. */
  alerts: string[];
  /** One sentence: what its runs could do. Null where no machine of the pool answers now. */
  exposure: string | null;
}

export interface ChangedTask extends TaskChangeAnswer {
  /** Values of the research's own that the new version does not take. */
  unfit: string[];
  taskName: string;
  pool: string;
  slots: number;
}

export const createResearchLifecycleActivities = (deps: ActivityDeps) => ({
  /** Opens a research: a new one from its task folder, or one that the database knows, where it stood. */
  openResearch: wrapInHeartbeat(async (input: OpenResearchInput): Promise<OpenedResearch> => {
    const known = await deps.store.research.findResearch(input.researchId);
    const alerts: string[] = [];
    if (known) alerts.push(...(await reopen(deps, known, input)));
    else await createResearch(deps, input);
    if (input.runId !== undefined)
      await deps.store.research.recordWorkflowRun({ researchId: input.researchId, runId: input.runId });
    const research = await deps.store.research.findResearch(input.researchId);
    if (!research) throw new Error(`Expected research ${input.researchId} to be stored`);
    const task = await taskOf(deps, research);
    if (!deps.temporal.searchAttributes.registered)
      alerts.push(
        `search attributes are left out: ${deps.temporal.searchAttributes.reason ?? 'they could not be registered'}`,
      );
    const mode = await sandboxOf(deps.store, task, {
      ...editedNext(research, task),
      proposer: choiceIn(research),
    });
    const { exposure, alert } = await exposureOf(deps, task, mode);
    // A check shows it beside its run.
    if (alert !== null && input.check !== true) alerts.push(alert);
    for (const message of alerts) await deps.store.research.insertAlert({ researchId: research.id, message });
    const slots = Math.max(1, await deps.pools.slotsOf(task.run.resources.pool));
    deps.reach('research-opened');
    return {
      taskName: task.name,
      pool: task.run.resources.pool,
      slots,
      ahead: proposalsAhead(slots),
      window: windowFor(task),
      whenSpent: research.budget.whenSpent,
      activeSeconds: research.activeSeconds,
      unfinished: await deps.store.research.findUnfinished(research.id),
      searchAttributes: deps.temporal.searchAttributes.registered,
      unread: await hasUnread(deps, research),
      alerts,
      exposure,
    };
  }),

  /** Points a research at the task as its folder is now; repeated under its key, it answers as it did first. */
  changeTask: wrapInHeartbeat(
    async (input: { researchId: string; task: string; key?: string }): Promise<ChangedTask> => {
      const { researchId, key } = input;
      const research = await deps.store.research.findResearch(researchId);
      if (!research) throw refuse(`research ${researchId} is not in the database`, 'Refused');
      if (key !== undefined && research.lastChange?.key === key) {
        // The folder may differ by now, or be gone.
        const { task } = await deps.store.task.loadTaskVersion(research.taskHash);
        const { unfit } = fitOverrides(task, research.overrides);
        return changedTo(deps, { task, unfit, ...answerOf(research.lastChange) });
      }
      const loaded = await readTask(deps, input.task);
      // An override of a newer version must not count as one that does not fit.
      const before = await taskOf(deps, research);
      const { proposer, budget, overrides } = research;
      const { task, unfit } = fitOverrides(loaded.task, overrides);
      await withYamlPosition({ loaded, namedElsewhere: ELSEWHERE }, async () => {
        await requireSameLearning(deps.store, { research, before, after: task });
        await requireSize(deps, task);
        await requireTools(deps, task);
        await requireRunnable(deps, { ...editedNext(research, task), task, proposer, budget });
      });
      const baseline = baselineOf(deps, loaded);
      await deps.store.task.saveTaskVersion({ ...versionOf(loaded) });
      const config = gateConfigOf(task);
      const gate = { config, ...openGate(config, baseline.id) };
      const own = { ...recordOf(deps.machine.sha256, { task, proposer }), unfit };
      const place = taskLocationOf(loaded, input.task);
      const change = {
        researchId,
        taskHash: loaded.hash,
        baseline,
        place,
        gate,
        own,
        ...(key === undefined ? {} : { key }),
      };
      return changedTo(deps, { task, unfit, ...(await changeTask(deps.store, change)) });
    },
  ),
});

/** The candidate that the next proposals of a research are made from. */
const editedNext = (research: Research, { search }: Task) => ({
  researchId: research.id,
  candidateId: startingPoint(search.parent, searchPointsOf(research)),
});

/** The task as a research runs it: with the values of its own. */
async function taskOf(deps: ActivityDeps, { taskHash, settings }: Research): Promise<Task> {
  return withSettings((await deps.store.task.loadTaskVersion(taskHash)).task, settings);
}

/** What a change of task does not take from the folder. */
const ELSEWHERE = ['search.proposer', 'budget.usd'];

async function changedTo(
  deps: ActivityDeps,
  { task, ...answer }: TaskChangeAnswer & Pick<ChangedTask, 'unfit'> & { task: Task },
): Promise<ChangedTask> {
  const { pool } = task.run.resources;
  return { ...answer, taskName: task.name, pool, slots: await deps.pools.slotsOf(pool) };
}

async function createResearch(deps: ActivityDeps, input: OpenResearchInput): Promise<void> {
  const named = parseTrialId(input.researchId);
  if (named)
    throw refuse(
      `workflow id: expected one that does not end in /number, came ${input.researchId}: it is the id of trial ${named.n} of a research ${named.researchId}; start it under another one`,
      'BadInput',
    );
  const loaded = await readTask(deps, input.task);
  const overrides = readOverrides(input.overrides);
  const task = requireFit(loaded.task, overrides);
  const budget = changedBudget(loaded.task.budget, input.budget ?? {});
  const namedElsewhere = [
    ...(input.proposer ? ['search.proposer'] : []),
    ...(input.budget?.usd === undefined ? [] : ['budget.usd']),
  ];
  const proposer = await withYamlPosition({ loaded, namedElsewhere }, async () => {
    await requireSize(deps, task);
    await requireTools(deps, task);
    // A check proposes nothing.
    if (input.check === true) {
      await requireSandbox(deps, task, commandSandbox(task));
      return PROPOSER_OF_CHECKS;
    }
    if (input.check) return authorOfAttacks(deps, task, input.researchId);
    const chosen = chooseProposer(deps, task, input.proposer);
    const of = { researchId: input.researchId, candidateId: null, proposer: chosen, budget };
    await requireRunnable(deps, { ...of, task });
    return chosen;
  });
  const baseline = baselineOf(deps, loaded);
  await deps.store.task.saveTaskVersion(versionOf(loaded));
  const config = gateConfigOf(task, input.check);
  const { state, wants } = openGate(config, baseline.id);
  // Researches of one seed are there to be compared with each other, and a check proposes nothing.
  const carried =
    input.seed !== undefined || input.check ? null : await collectCarriedCurves(deps, { ...loaded, task });
  await deps.store.research.createResearch({
    id: input.researchId,
    taskHash: loaded.hash,
    proposer,
    overrides,
    ...recordOf(deps.machine.sha256, { task, proposer }),
    seedRoot: input.seed ?? input.researchId,
    budget: { ...budget, ...(input.check ? { trials: 0 } : {}) },
    gateConfig: config,
    gate: state,
    baseline,
    carried,
    wants,
  });
}

/** An attack is treated as code that nobody read, whoever sends it. */
async function authorOfAttacks(deps: ActivityDeps, task: Task, researchId: string): Promise<string> {
  const proposer = PROPOSER_OF_ATTACKS;
  await requireSandbox(deps, task, await sandboxOf(deps.store, task, { proposer, researchId, candidateId: null }));
  return proposer;
}

/** Goes on with a research that the database knows, under the budget and by the proposer that were asked for, if any. */
async function reopen(deps: ActivityDeps, known: Research, input: OpenResearchInput): Promise<string[]> {
  const warnings = await warnOfChange(deps, known, input.task);
  requireSameSeed(known, input.seed);
  requireSame(known.id, { asked: readOverrides(input.overrides), has: known.overrides });
  const task = await taskOf(deps, known);
  const proposer = input.proposer ? chooseProposer(deps, task, input.proposer) : known.proposer;
  const budget = changedBudget(known.budget, input.budget ?? {});
  await requireRunnable(deps, { ...editedNext(known, task), task, proposer, budget });
  for (const problem of await findMissingTools(deps, task))
    warnings.push(`${problem}; until then its trials are lost: pause it, and resume it when that is mended`);
  const { memory, room } = await findTooLarge(deps, task);
  // Only a research that runs takes the task as it is by now.
  const mended = `when the folder is mended: ${changeTaskCommand(known.id, input.task)}`;
  if (room !== null) warnings.push(`${room}; until then its runs wait; ${mended}`);
  if (memory !== null) warnings.push(`${memory}; until then its trials are lost: pause it, and ${mended}`);
  await reopenResearch(deps.store, {
    researchId: known.id,
    sha256: deps.machine.sha256,
    budget: input.budget,
    proposer: input.proposer && proposer,
  });
  // Nobody is under way who could notice that the endpoint is back.
  await deps.store.call.recordEndpoint({ researchId: known.id, down: null, why: 'the research is started again' });
  return warnings;
}
