import { openGate } from '../domain/gate/gate.ts';
import { changedBudget } from '../domain/research/budget.ts';
import type { SetBudget } from '../domain/messages.ts';
import { fitOverrides, type Overrides, withSettings } from '../domain/task/overrides.ts';
import { startingPoint } from '../domain/search/parent/starting-point.ts';
import { PROPOSER_OF_CHECKS } from '../domain/search/proposer/table.ts';
import { choiceIn } from '../domain/search/proposer/makers.ts';
import type { Task } from '../domain/task/task.ts';
import { changeTaskCommand } from '../domain/messages/steer-commands.ts';
import type { TrialSpec } from '../domain/trial.ts';
import { proposalsAhead } from '../domain/window/window.ts';
import type { Research } from '../db/research/research.ts';
import { wrapInHeartbeat } from './with-heartbeat.ts';
import type { ActivityDeps } from './deps.ts';
import { hasUnread } from './research/fill-knobs.ts';
import { answerOf, changeTask, type TaskChangeAnswer } from './research/change/change-task.ts';
import { authorOfAttacks, type Check, proposesNothing } from './research/authors-of-checks.ts';
import { collectCarriedCurves } from './research/collect-carried-curves.ts';
import { refuseTrialId } from './research/refuse-trial-id.ts';
import { requireSinks } from './research/require-sinks.ts';
import { reopenResearch, requireSameLearning, withProposer } from './research/reopen-research.ts';
import { taskLocationOf, readTask, versionOf } from './task/read-task.ts';
import { readTaskOrVersion } from './task/read-task-or-version.ts';
import { searchPointsOf } from './research/search-points-of.ts';
import { warnOfChange } from './research/change/warn-of-change.ts';
import {
  begunTask,
  gateConfigOf,
  readOverrides,
  recordOf,
  requireFit,
  requireSame,
  windowFor,
} from './research/research-settings.ts';
import { resolveBase, storeBase } from './learning/policy-base.ts';
import { baselineOf } from './task/baseline-of.ts';
import { refuse } from './task/refuse.ts';
import {
  withYamlPosition,
  chooseProposer,
  findMissingTools,
  findTooLarge,
  requireRunnable,
  requireSandbox,
  requireSize,
  requireTools,
} from './task/require-runnable.ts';
import { memorySource, requireSameBeginning } from './research/memory-source.ts';
import { requireEvaluator, requireEvaluatorModel } from './task/require-evaluator.ts';
import { commandSandbox, exposureOf, sandboxOf } from './task/sandbox-of.ts';

export interface OpenResearchInput {
  researchId: string;
  /** Name of a built-in task, or a path on the worker's machine. */
  task: string;
  proposer?: string;
  /** The research's own values in place of the task's. A known research refuses others than it has. */
  overrides?: Overrides;
  budget?: SetBudget;
  /** Text from which the seeds of all trials are made; default: the id. A known research refuses another one. */
  seed?: string;
  /** Research whose memory a new research copies. A known research refuses another one. */
  memoryFrom?: string;
  /** Names of the sinks that get its messages. Absent: all, or for a known research those that it has. */
  notify?: string[];
  /**
   * `true` runs the unmodified workspace once, `attack` also runs injected proposals; neither proposes anything.
   * `evaluation` runs every proposal and claims nothing.
   */
  check?: Check;
  /** Run id of the workflow, which takes charge of the research with this call. */
  runId?: string;
}

export interface OpenedResearch {
  taskName: string;
  pool: string;
  slots: number;
  /** Proposals that the first window makes ahead of the slots. */
  ahead: number;
  window: 'auto' | number;
  whenSpent: 'stop' | 'wait';
  activeSeconds: number;
  /** Admitted trials without an outcome; the workflow adopts them. */
  unfinished: TrialSpec[];
  searchAttributes: boolean;
  /** True if candidates of an older version have knobs that are not stored yet. */
  unread: boolean;
  /** Messages for people, shown in the status. */
  alerts: string[];
  /** Reach of the research's runs, in one sentence; null if no host of the pool answers. */
  exposure: string | null;
}

export interface ChangedTask extends TaskChangeAnswer {
  /** Overrides of the research that the new version does not accept. */
  unfit: string[];
  taskName: string;
  pool: string;
  slots: number;
}

export const createResearchLifecycleActivities = (deps: ActivityDeps) => ({
  /** Opens a research: creates it from its task folder, or continues one that the database knows. */
  openResearch: wrapInHeartbeat(async (input: OpenResearchInput): Promise<OpenedResearch> => {
    const known = await deps.store.research.findResearch(input.researchId);
    const alerts: string[] = [];
    await requireSinks(deps, input.notify);
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
      ...nextParent(research, task),
      proposer: choiceIn(research),
    });
    const { exposure, alert } = await exposureOf(deps, task, mode);
    // `perpetua check` prints the exposure itself.
    if (alert !== null && input.check !== true) alerts.push(alert);
    if (research.openEvaluatorTask === research.taskHash)
      alerts.push(
        `the evaluator of ${task.name} runs without a sandbox, as an older version of Perpetua ran it, ` +
          `until its task changes. To give it one: ${changeTaskCommand(research.id, input.task)}`,
      );
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

  /** Points a research at the task as its folder is now. A repeated call with the same key returns the first answer. */
  changeTask: wrapInHeartbeat(
    async (input: { researchId: string; task: string; key?: string }): Promise<ChangedTask> => {
      const { researchId, key } = input;
      const research = await deps.store.research.findResearch(researchId);
      if (!research) throw refuse(`research ${researchId} is not in the database`, 'Refused');
      if (key !== undefined && research.lastChange?.key === key) {
        // Not read from the folder, which may have changed since or be gone.
        const { task } = await deps.store.task.loadTaskVersion(research.taskHash);
        const { unfit } = fitOverrides(task, research.overrides);
        return changedTo(deps, { task, unfit, ...answerOf(research.lastChange) });
      }
      const loaded = await readTask(deps, input.task);
      // Throws for settings of a newer version, before fitOverrides would count them as unfit.
      const before = await taskOf(deps, research);
      const { proposer, budget, overrides } = research;
      const { task, unfit } = fitOverrides(loaded.task, overrides);
      await withYamlPosition({ loaded, namedElsewhere: ELSEWHERE }, async () => {
        await requireSameLearning(deps.store, { research, before, after: task });
        await requireSize(deps, task);
        await requireTools(deps, task);
        await requireEvaluator(deps, { task, usd: budget.usd });
        await requireRunnable(deps, { ...nextParent(research, task), task, proposer, budget, loaded });
        await storeBase(deps, { researchId, search: task.search, proposer }, choiceIn(research));
      });
      const baseline = baselineOf(deps, loaded);
      await deps.store.task.saveTaskVersion({ ...versionOf(loaded) });
      const config = gateConfigOf(task, budget, research.gateConfig.measuresOnly === true && 'evaluation');
      const gate = { config, ...openGate(config, baseline.id) };
      const settled = begunTask({ task, proposer, before: before.search });
      const method = { ...recordOf(deps.machine.sha256, { task: settled, proposer }), unfit };
      const location = taskLocationOf(loaded, input.task);
      const change = {
        researchId,
        taskHash: loaded.hash,
        baseline,
        location,
        gate,
        method,
        ...(key === undefined ? {} : { key }),
      };
      return changedTo(deps, { task, unfit, ...(await changeTask(deps.store, change)) });
    },
  ),
});

/** The parent of the research's next proposals. */
const nextParent = (research: Research, { search }: Task) => ({
  researchId: research.id,
  candidateId: startingPoint(search.parent, searchPointsOf(research)),
});

/** The task with the settings of a research. */
async function taskOf(deps: ActivityDeps, { taskHash, settings }: Research): Promise<Task> {
  return withSettings((await deps.store.task.loadTaskVersion(taskHash)).task, settings);
}

/** Keys whose values a change of task does not take from the folder. */
const ELSEWHERE = ['search.proposer', 'budget.usd'];

async function changedTo(
  deps: ActivityDeps,
  { task, ...answer }: TaskChangeAnswer & Pick<ChangedTask, 'unfit'> & { task: Task },
): Promise<ChangedTask> {
  const { pool } = task.run.resources;
  return { ...answer, taskName: task.name, pool, slots: await deps.pools.slotsOf(pool) };
}

async function createResearch(deps: ActivityDeps, input: OpenResearchInput): Promise<void> {
  refuseTrialId(input.researchId);
  const loaded = await readTaskOrVersion(deps, input.task);
  const overrides = readOverrides(input.overrides);
  const task = requireFit(loaded.task, overrides, input);
  const budget = changedBudget(loaded.task.budget, input.budget ?? {});
  const namedElsewhere = input.proposer ? ['search.proposer'] : [];
  if (input.budget?.usd !== undefined) namedElsewhere.push('budget.usd');
  const proposer = await withYamlPosition({ loaded, namedElsewhere }, async () => {
    await requireSize(deps, task);
    await requireTools(deps, task);
    await requireEvaluator(deps, { task, usd: budget.usd });
    // A check proposes nothing.
    if (input.check === true) {
      await requireSandbox(deps, task, commandSandbox(task));
      return PROPOSER_OF_CHECKS;
    }
    if (input.check === 'attack') return authorOfAttacks(deps, task, input.researchId);
    const chosen = chooseProposer(deps, task, input.proposer);
    const { researchId } = input;
    await requireRunnable(deps, { researchId, candidateId: null, proposer: chosen, budget, task, loaded });
    return chosen;
  });
  const policyBase = await withYamlPosition({ loaded, namedElsewhere }, () =>
    resolveBase(deps, { researchId: input.researchId, search: task.search, proposer }),
  );
  const baseline = baselineOf(deps, loaded);
  await deps.store.task.saveTaskVersion(versionOf(loaded));
  const config = gateConfigOf(task, budget, input.check);
  const { state, wanted } = openGate(config, baseline.id);
  // None with a seed root: researches with one root are compared, and must start alike. A check has no search trials.
  const carried =
    input.seed !== undefined || input.check ? null : await collectCarriedCurves(deps, { ...loaded, task });
  await deps.store.research.createResearch({
    id: input.researchId,
    taskHash: loaded.hash,
    proposer,
    overrides,
    ...recordOf(deps.machine.sha256, { task: begunTask({ task, proposer }), proposer }),
    seedRoot: input.seed ?? input.researchId,
    memoryFrom: await memorySource(deps, input, task),
    notify: input.notify ?? null,
    budget: { ...budget, ...(proposesNothing(input.check) ? { trials: 0 } : {}) },
    gateConfig: config,
    gate: state,
    baseline,
    carried,
    policyBase,
    wanted,
  });
}

/** Continues a known research, with the requested budget and proposer if there are any. Returns warnings for people. */
async function reopen(deps: ActivityDeps, known: Research, input: OpenResearchInput): Promise<string[]> {
  const warnings = await warnOfChange(deps, known, input.task);
  await requireSameBeginning(deps, known, input);
  requireSame(known.id, { asked: readOverrides(input.overrides), has: known.overrides });
  const task = await taskOf(deps, known);
  const proposer = input.proposer ? chooseProposer(deps, task, input.proposer) : known.proposer;
  const budget = changedBudget(known.budget, input.budget ?? {});
  await requireEvaluatorModel(deps, { task, usd: budget.usd });
  await requireRunnable(deps, { ...nextParent(known, task), task, proposer, budget });
  const { search } = withProposer((await deps.store.task.loadTaskVersion(known.taskHash)).task, known, proposer);
  await storeBase(deps, { researchId: known.id, search, proposer }, choiceIn(known));
  for (const problem of await findMissingTools(deps, task))
    warnings.push(`${problem}; until then its trials are lost: pause the research, and resume it afterwards`);
  const { memory, room } = await findTooLarge(deps, task);
  // The folder's new content takes effect only by a change of task, which needs a running research.
  const mended = `when you have corrected the folder: ${changeTaskCommand(known.id, input.task)}`;
  if (room !== null) warnings.push(`${room}; until then its runs wait; ${mended}`);
  if (memory !== null) warnings.push(`${memory}; until then its trials are lost: pause the research, and ${mended}`);
  await reopenResearch(deps.store, {
    researchId: known.id,
    sha256: deps.machine.sha256,
    budget: input.budget,
    notify: input.notify,
    proposer: input.proposer && proposer,
  });
  // No proposal is under way that would clear the outage.
  await deps.store.call.recordEndpoint({ researchId: known.id, down: null, why: 'the research is started again' });
  return warnings;
}
