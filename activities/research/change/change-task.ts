import { isDeepStrictEqual } from 'node:util';
import type { Research } from '../../../db/research/research.ts';
import type { Store, TxStore } from '../../../db/store.ts';
import type { ChangedFile } from '../../../db/task/changed-files.ts';
import type { TaskVersion } from '../../../db/task/task-version.ts';
import { claim, hasValue } from '../../../domain/gate/gate.ts';
import { overruleCommand } from '../../../domain/messages/steer-commands.ts';
import type { GateConfig, GateState, WantedRun } from '../../../domain/gate/types.ts';
import { senderField, type Sender } from '../../../domain/messages/sender.ts';
import type { Settings } from '../../../domain/task/overrides.ts';
import { ignoredChanges } from '../../../domain/task/ignored-changes.ts';
import { measurementChanges } from '../../../domain/task/measurement-changes.ts';
import { changedTexts, describeUntriedTexts, type TaskLocation } from '../../../domain/task/starting-text.ts';
import { formatValue } from '../../../domain/text/format.ts';
import { listNames } from '../../../domain/text/list-names.ts';
import { withoutForms } from '../../../domain/knob/knob-form.ts';
import { describeOutside, staysInSpace } from '../../../domain/search/outside-space.ts';
import { plural } from '../../../domain/text/plural.ts';
import { textsOf } from '../../task/baseline-of.ts';
import { findFixedFiles } from '../../task/edit-scope.ts';
import { reconfigureGate, openNewGate } from './move-gate.ts';

export interface ChangeTaskInput {
  researchId: string;
  /** Key of the change. A repeated call returns the first answer, unless another change came in between. */
  key?: string | undefined;
  /** Absent if the message names none. */
  sender?: Sender | undefined;
  taskHash: string;
  baseline: { id: string; immutableHash: string; files: Record<string, string> };
  location: TaskLocation;
  /** The research's settings under the new version, and overrides that the version does not accept. */
  method: { settings: Settings; settingsHash: string; unfit: string[] };
  /** The new gate, for the case that the incumbent cannot stay. */
  gate: { config: GateConfig; state: GateState; wanted: WantedRun[] };
}

export interface TaskChangeAnswer {
  keptIncumbent: boolean;
  /** Message that the new starting texts are not run by themselves, with the commands that run them. */
  notRun?: string;
  /** Message that lead or claim lie outside the new search space, with their knobs. */
  outside?: string;
}

/** The answer to a change in the form in which it is returned and stored. */
export function answerOf({ keptIncumbent, notRun, outside }: TaskChangeAnswer): TaskChangeAnswer {
  const answer: TaskChangeAnswer = { keptIncumbent };
  if (notRun !== undefined) answer.notRun = notRun;
  if (outside !== undefined) answer.outside = outside;
  return answer;
}

/**
 * Points a research at another task version. The incumbent stays only if the research has measured values, evaluator
 * and metric are the same, all runs of baseline and incumbent lie within the new bounds, and the files that the
 * incumbent changes are still mutable.
 */
export const changeTask = (
  { withResearch }: Pick<Store, 'withResearch'>,
  input: ChangeTaskInput,
): Promise<TaskChangeAnswer> =>
  withResearch(input.researchId, async (tx, research) => {
    const { key } = input;
    if (key !== undefined && research.lastChange?.key === key) return answerOf(research.lastChange);
    // A person changes the task, so its evaluator gets the sandbox that older versions did not have.
    if (research.openEvaluatorTask !== null) await tx.research.updateResearch(research.id, { openEvaluatorTask: null });
    const switched =
      research.taskHash === input.taskHash ? { keptIncumbent: true } : await switchTask(tx, research, input);
    if (key !== undefined) await tx.research.updateResearch(research.id, { lastChange: { key, ...switched } });
    return switched;
  });

async function switchTask(tx: TxStore, research: Research, input: ChangeTaskInput): Promise<TaskChangeAnswer> {
  const before = await tx.task.loadTaskVersion(research.taskHash);
  const after = await tx.task.loadTaskVersion(input.taskHash);
  const files = await tx.task.findChangedFiles({ before: before.hash, after: after.hash });
  const outsideBounds = await findOutsideBounds(tx, research.id, { before, after });
  const drop = await whyDropped(tx, research, { before, after, files, baselineId: input.baseline.id, outsideBounds });
  const why = drop?.why ?? null;
  await tx.trial.saveCandidate(input.baseline);
  const { unfit, ...settings } = input.method;
  await tx.research.updateResearch(research.id, {
    taskHash: input.taskHash,
    gateConfig: input.gate.config,
    // Proposals that found nothing new under the old version are no evidence about the new one.
    withoutNew: 0,
    // Values of another metric, or outside the new bounds, do not compare: the tree is built again when it is read.
    nodes: null,
    ...settings,
  });
  const dropped =
    drop === null
      ? await reconfigureGate(tx, research, {
          config: input.gate.config,
          after,
          outside: outsideBounds.map(({ candidateId }) => candidateId),
        })
      : await openNewGate(tx, { ...input, after, keepsIdeas: drop.keepsIdeas });
  const withdrawn = await tx.research.withdrawEvaluations(research.id);
  const unablated = await tx.research.withdrawAblations(research.id);
  const incumbent = why === null ? 'kept' : `dropped: ${why}`;
  const fixed = files.filter(({ role, path }) => role === 'workspace' && !after.mutablePaths.includes(path));
  const immutable = fixed.map(({ path }) => path);
  const otherwise = why === null ? measurementChanges(before.task, after.task, immutable) : [];
  const other = before.task.name === after.task.name ? '' : ` (was ${before.task.name})`;
  const ignored = ignoredChanges(before.task, after.task, research);
  const sentences = [`task changed to ${after.task.name}${other} ${after.hash.slice(0, 12)}; incumbent ${incumbent}`];
  if (dropped > 0) sentences.push(`Inject again: ${plural(dropped, 'injected proposal')} had not run and will not run`);
  if (withdrawn > 0)
    sentences.push(`Evaluations of versions: ${plural(withdrawn, 'sample')} had not begun and will not`);
  if (unablated > 0) sentences.push(`Ablations of claims: ${plural(unablated, 'run')} had not begun and will not`);
  if (unfit.length > 0) sentences.push(`Settings of this research that no longer fit: ${unfit.join('; ')}`);
  if (ignored.length > 0) sentences.push(`A running research ignores ${ignored.join(', ')}`);
  if (why === null && outsideBounds.length > 0)
    sentences.push(
      'Candidates that no longer count, since a value lies outside the new bounds: ' +
        listNames(outsideBounds.map(textOf)),
    );
  if (otherwise.length > 0)
    sentences.push(
      `${otherwise.join(' and ')} changed: baseline and incumbent keep the values they had, ` +
        'which may not be comparable with new ones',
      'To measure again, start the task under another id',
    );
  const texts = await changedStartingTexts(tx, before.hash, input);
  const notRun = why === null ? describeUntriedTexts(research.id, texts, input.location) : undefined;
  const { name: task } = after.task;
  const keptIncumbent = why === null;
  const changed = { from: before.hash, to: after.hash, task, keptIncumbent, why, ...senderField(input.sender) };
  await tx.event.insertEvents([{ kind: 'task-changed', researchId: research.id, data: changed }]);
  await tx.research.insertAlert({
    researchId: research.id,
    message: sentences.join('. '),
  });
  const answer: TaskChangeAnswer = { keptIncumbent };
  // Separate alerts: alerts are cut at a length that the commands alone may need.
  if (notRun !== undefined) {
    answer.notRun = notRun;
    await tx.research.insertAlert({ researchId: research.id, message: notRun });
  }
  const outside = keptIncumbent ? await outsideOf(tx, { ...research, ...settings }, { before, after }) : undefined;
  if (outside !== undefined) {
    answer.outside = outside;
    await tx.research.insertAlert({ researchId: research.id, message: outside });
  }
  return answer;
}

/** Message that the lead or the claim lies outside the search space of a new version; undefined if both lie inside. */
async function outsideOf(
  tx: TxStore,
  research: Research,
  { before, after }: Pick<Change, 'before' | 'after'>,
): Promise<string | undefined> {
  if (!staysInSpace(research)) return undefined;
  if (isDeepStrictEqual(withoutForms(before.task.knobs), withoutForms(after.task.knobs))) return undefined;
  const { baselineId, incumbentId, leadId } = research.gate;
  const found = await tx.trial.findOutside({ candidateIds: [incumbentId, leadId], version: after });
  return describeOutside({
    claim: found.get(incumbentId) ?? [],
    lead: found.get(leadId) ?? [],
    isOne: incumbentId === leadId,
    isUnmodified: incumbentId === baselineId,
    drop: dropCommand(research),
  });
}

/** A run whose value lies outside the bounds of a metric. */
interface OutsideRun {
  candidateId: string;
  n: number;
  value: number;
}

const textOf = ({ n, value }: OutsideRun): string => `#${n} (${formatValue(value)})`;

/** A run of each candidate whose value the new bounds do not allow; none if the bounds are unchanged. */
async function findOutsideBounds(
  tx: TxStore,
  researchId: string,
  { before, after }: Pick<Change, 'before' | 'after'>,
): Promise<OutsideRun[]> {
  const { min, max } = after.task.metric;
  const isUnchanged = min === before.task.metric.min && max === before.task.metric.max;
  return isUnchanged ? [] : tx.trial.findOutsideBounds({ researchId, taskHash: after.hash });
}

/** The command that discards the claim of a research; null if it claims nothing. */
function dropCommand({ id, gate }: Research): string | null {
  const { ofTrial: n } = claim(gate);
  if (n === null) return null;
  return overruleCommand(id, { n, verdict: 'discard', reason: 'outside the search space' });
}

interface Change {
  before: TaskVersion;
  after: TaskVersion;
  /** Files in which they differ. */
  files: readonly ChangedFile[];
  /** The candidate that is the new version's unmodified workspace. */
  baselineId: string;
  outsideBounds: readonly OutsideRun[];
}

/** True if both versions run in the same environment. */
const isBuiltAlike = ({ before, after, files }: Omit<Change, 'baselineId' | 'outsideBounds'>): boolean =>
  isDeepStrictEqual(before.task.environment, after.task.environment) &&
  files.every(({ role }) => role !== 'environment');

/** Mutable files whose starting texts differ in the new version. */
async function changedStartingTexts(tx: TxStore, taskHash: string, { baseline }: ChangeTaskInput): Promise<string[]> {
  return changedTexts(textsOf(await tx.task.loadOriginals(taskHash)), baseline.files);
}

interface Drop {
  why: string;
  /** True if waiting injected proposals still make sense under the new version. */
  keepsIdeas: boolean;
}

const withIdeas = (why: string): Drop => ({ why, keepsIdeas: false });

/** Reason why the incumbent, and candidates compared with it, cannot stay under the new version; null if they can. */
async function whyDropped(
  tx: TxStore,
  { gate }: Research,
  { before, after, files, baselineId, outsideBounds }: Change,
): Promise<Drop | null> {
  if (before.metricKey !== after.metricKey)
    return withIdeas(
      isBuiltAlike({ before, after, files })
        ? 'the new version has another evaluator or metric'
        : 'the new version has another environment',
    );
  const run = outsideBounds.find(({ candidateId }) => [gate.baselineId, gate.incumbentId].includes(candidateId));
  if (run) {
    const whose = run.candidateId === gate.baselineId ? 'unmodified version' : 'incumbent';
    return withIdeas(`run ${textOf(run)} of the ${whose} lies outside the new bounds`);
  }
  if (!hasValue(gate) && baselineId !== gate.baselineId)
    return { why: 'nothing has a value yet, so the new version is the baseline', keepsIdeas: true };
  const followed = [...gate.subjects, ...gate.held].map(({ candidateId }) => candidateId);
  const [fixed] = await findFixedFiles(tx, { candidateIds: [...followed, gate.incumbentId], version: after });
  return fixed ? withIdeas(`${fixed.path} is no longer mutable`) : null;
}
