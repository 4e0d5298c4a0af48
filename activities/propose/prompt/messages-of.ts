import type { Research } from '../../../db/research/research.ts';
import { baseline, claim } from '../../../domain/gate/gate.ts';
import {
  buildAgentPrompt,
  buildPrompt,
  LEAST_CHARACTERS,
  PROMPT_CHARACTERS,
  type Prompt,
} from '../../../domain/search/context/build-messages.ts';
import { importedModules } from '../../../domain/prompt/imported-modules.ts';
import { packagesIn } from '../../../domain/prompt/packages.ts';
import type { PromptInput } from '../../../domain/prompt/prompt-input.ts';
import type { ContextRule } from '../../../domain/search/context.ts';
import { operatorPart } from '../../../domain/search/operator/part.ts';
import { specialistPart } from '../../../domain/search/specialist/part.ts';
import { contextOf, readsOf } from '../../../domain/search/context/table.ts';
import { askedChange } from '../operator/asked-change.ts';
import { specialistOf } from '../operator/specialist-of.ts';
import { readTrialHistory, measured, parentOf } from './read-trial-history.ts';
import { readDetailedHistory, underWayOf } from './read-detailed-history.ts';
import { readSearchFacts } from './read-search-facts.ts';
import type { UnusableAnswer, ProposeContext } from '../propose-context.ts';

/** Newest notes of people that a prompt contains. */
export const NOTES = 20;

interface MessagesInput {
  research: Research;
  correction: UnusableAnswer | null;
  /** True for a policy, whose prompt leaves out the parts that are `extra`. */
  lean?: boolean;
  /** Most characters that the model's endpoint accepts; null: unknown. */
  limit?: number | null;
  /** True: the model answers with tool calls. */
  byTools?: boolean;
}

/** Trials besides the parent whose cases of the evaluator a prompt shows. */
const FEEDBACK_TRIALS = 3;

/** Builds the prompt of a proposal that edits files, with the parts of the task's context. */
export async function chatPromptOf(context: ProposeContext, input: MessagesInput): Promise<Prompt> {
  const { parts } = ruleOf(context);
  const { lean = false, limit = null } = input;
  const asked = await askedChange(context);
  const specialist = lean ? null : specialistOf(context);
  return buildPrompt(
    { ...(await inputOf(context, input)), ...(specialist && { specialist }), ...(asked && { asked }) },
    {
      parts: lean ? parts.filter(({ extra }) => !extra) : [...parts, specialistPart, operatorPart],
      characters: clamp(limit ?? PROMPT_CHARACTERS, LEAST_CHARACTERS, PROMPT_CHARACTERS),
    },
  );
}

/** The prompt of an agent that edits a work tree. */
export async function agentPromptOf(context: ProposeContext, research: Research, characters?: number): Promise<string> {
  const input = await inputOf(context, { research, correction: null });
  return buildAgentPrompt(input, { parts: ruleOf(context).parts, ...(characters === undefined ? {} : { characters }) });
}

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

const ruleOf = ({ version }: ProposeContext): ContextRule => contextOf(version.task.search.context).method;

async function inputOf(
  context: ProposeContext,
  { research, correction, lean = false, byTools = false }: MessagesInput,
): Promise<PromptInput> {
  const { deps, trial, version, files } = context;
  const { task } = version;
  const isEvaluation = trial.kind === 'evaluation';
  return {
    task,
    prompt: version.prompt,
    files,
    parent: await parentOf(deps, trial),
    incumbent: measured(isEvaluation ? baseline(research.gate) : claim(research.gate)),
    baseline: measured(baseline(research.gate)),
    notes: isEvaluation ? [] : await deps.store.research.findNotes({ researchId: research.id, limit: NOTES }),
    readOnly: await readOnlyOf(context),
    ...(await trialsOf(context, { research, lean })),
    ...(lean || isEvaluation ? {} : await searchFactsOf(context, research)),
    ...(lean ? {} : await runFactsOf(context)),
    ...(byTools ? { byTools } : {}),
    ...(correction ? { correction } : {}),
  };
}

async function trialsOf(
  context: ProposeContext,
  { research, lean }: { research: Research; lean: boolean },
): Promise<Pick<PromptInput, 'history' | 'best' | 'underWay'>> {
  const { deps, trial, version } = context;
  const { search } = version.task;
  if (!ruleOf(context).readsTrials || trial.kind === 'evaluation') return { history: [] };
  if (lean) return { history: await readTrialHistory(deps, { researchId: research.id, limit: search.history }) };
  return {
    ...(await readDetailedHistory(deps, { research, last: search.history, best: readsOf(search.context).best })),
    underWay: await underWayOf(deps, { researchId: research.id, trialId: trial.id }),
  };
}

/** The search as a whole, the model's memory, and the cases of the evaluator. */
async function searchFactsOf(
  { deps, trial, version: { task } }: ProposeContext,
  research: Research,
): Promise<Pick<PromptInput, 'lineage' | 'inspirations' | 'stalls' | 'memory' | 'feedback'>> {
  const { store } = deps;
  const researchId = research.id;
  const parentId = trial.parentId ?? research.baselineCandidate;
  const reads = readsOf(task.search.context);
  const { evaluator, metric } = task;
  const showsFeedback = evaluator.type !== 'none' && evaluator.feedback === true;
  return {
    ...(await readSearchFacts(deps, { research, parentId, reads, minDelta: metric.minDelta })),
    ...(reads.memory ? { memory: await store.trial.findMemory(researchId) } : {}),
    ...(showsFeedback
      ? { feedback: await store.trial.findFeedback({ researchId, candidateId: parentId, last: FEEDBACK_TRIALS }) }
      : {}),
  };
}

/** Facts about runs: their machine, programs and packages, and the files that they may read. */
async function runFactsOf(
  context: ProposeContext,
): Promise<Pick<PromptInput, 'hardware' | 'packages' | 'programs' | 'otherFiles'>> {
  const { deps, version } = context;
  const { run, environment } = version.task;
  const { pool } = run.resources;
  const workspace = await deps.store.task.listWorkspace(version.hash);
  const sources = workspace.flatMap(({ path, source }) => (source === null ? [] : [[path, source] as const]));
  const needs = { ...run, taskHash: version.hash, modules: importedModules(Object.fromEntries(sources)) };
  return {
    hardware: await deps.pools.hardware(pool),
    packages: await packagesOf(context),
    programs: environment === undefined ? await deps.pools.programs(pool, needs) : [],
    otherFiles: workspace.filter(({ path }) => !version.mutablePaths.includes(path)),
  };
}

async function packagesOf({ deps, version }: ProposeContext): Promise<string[]> {
  if (version.task.environment === undefined) return [];
  const files = await deps.store.task.loadTaskFiles({ taskHash: version.hash, role: 'environment' });
  const lock = files.find(({ path }) => path === version.task.environment?.lock);
  return lock === undefined ? [] : packagesIn(new TextDecoder().decode(lock.content));
}

async function readOnlyOf({ deps, version }: ProposeContext): Promise<Record<string, string>> {
  if (version.task.llm.files.length === 0) return {};
  const workspace = await deps.store.task.loadTaskFiles({ taskHash: version.hash, role: 'workspace' });
  return deps.tasks.shownFiles(workspace, version);
}
