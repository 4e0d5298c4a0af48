import { hostname } from 'node:os';
import { Context } from '@temporalio/activity';
import type { Research } from '../../../db/research/research.ts';
import { maxTokensOf, type PolicySettings } from '../../../domain/search/proposer/policy.ts';
import { proposerSeedOf } from '../../../domain/trial/trial-seeds.ts';
import type { Failure } from '../../../domain/trial.ts';
import { type AnswerTokens, findAnswerTokens } from '../../../domain/learning/answer-tokens.ts';
import { answerOf, type Message, type PolicyPrompt } from '../../../domain/learning/policy-prompt.ts';
import type { Sample } from '../../../infra/policy.ts';
import { knobText } from '../../../domain/prompt/knob-text.ts';
import { preparationWait } from '../../../domain/fleet/preparing.ts';
import { contextOf } from '../../../domain/search/context/table.ts';
import { createWaitReporter } from '../../launch/wait-reporter.ts';
import { policyStartOf, type PolicyStart } from '../../learning/policy-base.ts';
import { isPolicyError } from '../../learning/is-policy-error.ts';
import { reportEndpointDown, createFencedFailure } from '../report-endpoint-down.ts';
import type { ProposeContext } from '../propose-context.ts';
import { readTrialHistory } from '../prompt/read-trial-history.ts';
import { chatPromptOf, NOTES } from '../prompt/messages-of.ts';

interface PolicyInput {
  research: Research;
  settings: PolicySettings;
}

/** A drawn answer. `text` includes the part of the prompt that belongs to the answer. */
export interface Drawn {
  text: string;
  finishReason: string | null;
}

/**
 * The trial's answer: the stored one, or a new sample of its group's policy version. The row of the call is stored
 * first.
 */
export async function sampleOnce(context: ProposeContext, input: PolicyInput): Promise<Drawn | { rejected: Failure }> {
  const { prompt, version } = await placeOf(context, input);
  const drawn = (await findDrawn(context)) ?? (await draw(context, { ...input, prompt, version }));
  return 'rejected' in drawn ? drawn : { ...drawn, text: answerOf(prompt, drawn.text) };
}

/** Version and prompt of a trial's sample: those of its group, or of its evaluation. */
async function placeOf(
  context: ProposeContext,
  input: PolicyInput,
): Promise<{ prompt: PolicyPrompt; version: number }> {
  const { deps, trial } = context;
  if (trial.kind === 'evaluation') {
    const version = await deps.store.research.findEvaluatedVersion(trial);
    return { version, prompt: await promptOf(context, input) };
  }
  const group = await deps.store.learning.findGroup(trial.id);
  if (!group) throw new Error(`Expected trial ${trial.id} to be a member of a group`);
  const { researchId, g, version } = group;
  const prompt =
    group.prompt ??
    (await deps.store.learning.keepFirstPrompt({ researchId, g, prompt: await promptOf(context, input) }));
  return { version, prompt };
}

/** The stored sample of a trial; null if there is none. An evaluation teaches nothing and has only its call. */
async function findDrawn({ deps, trial }: ProposeContext): Promise<Drawn | null> {
  if (trial.kind !== 'evaluation') {
    const rollout = await deps.store.learning.findRollout(trial.id);
    return rollout?.sampledAt ? { text: rollout.text ?? '', finishReason: rollout.finishReason } : null;
  }
  const call = await deps.store.call.findCall({ trialId: trial.id, turn: 0 });
  if (typeof call?.answer !== 'string') return null;
  const { finishReason = null } = (call.outcome ?? {}) as { finishReason?: string | null };
  return { text: call.answer, finishReason };
}

/**
 * The prompt of a policy. If it answers with knob values: plain text that ends where the first value begins; else a
 * chat.
 */
async function promptOf(context: ProposeContext, { research, settings }: PolicyInput): Promise<PolicyPrompt> {
  if (settings.answers === 'edits') {
    const { messages } = await chatPromptOf(context, { research, correction: null, lean: true });
    return { form: 'chat', messages };
  }
  const { deps, version } = context;
  const { task, prompt } = version;
  const { method } = contextOf(task.search.context);
  // The samples of an evaluation are independent only if no prompt shows earlier trials.
  const readsTrials = method.readsTrials && context.trial.kind !== 'evaluation';
  const limit = readsTrials ? task.search.history : 0;
  const history = await readTrialHistory(deps, { researchId: research.id, limit });
  const notes = readsTrials ? await deps.store.research.findNotes({ researchId: research.id, limit: NOTES }) : [];
  return { form: 'text', ...knobText({ task, knobs: task.knobs, prompt, history, notes }) };
}

async function draw(
  context: ProposeContext,
  { research, settings, prompt, version }: PolicyInput & { prompt: PolicyPrompt; version: number },
): Promise<Drawn | { rejected: Failure }> {
  const { deps, trial, signal } = context;
  const { base, deadlineSeconds, stop = [] } = settings;
  const maxTokens = maxTokensOf(settings);
  const key = { trialId: trial.id, turn: 0 };
  const { attempt, workflowExecution } = Context.current().info;
  const sender = { workflowRun: workflowExecution?.runId ?? '', attempt };
  const request = {
    model: base,
    version,
    ...asMessages(prompt),
    maxTokens,
    ...(stop.length > 0 && { stop }),
    seed: proposerSeedOf(trial),
    temperature: 1,
  };
  const mark = await deps.store.call.beginCall({ ...key, ...sender, model: base, request });
  if (mark === null) throw createFencedFailure();
  deps.reach('sample-requested');
  try {
    const weights = await weightsOf(context, { base, version });
    if ('rejected' in weights) return weights;
    const { model, checkpoint } = weights;
    const reporter = createWaitReporter(deps, { jobId: trial.id, what: preparationWait('policy server', hostname()) });
    const drawn = await deps.policy
      .sample(
        { base: model, version: checkpoint, prompt, maxTokens, stop, seed: proposerSeedOf(trial), deadlineSeconds },
        signal,
        reporter.onOutput,
      )
      // The note is only for display: a database that is away must not cost the sample.
      .finally(() => reporter.end().catch(() => undefined));
    deps.reach('sample-drawn');
    if (trial.kind === 'evaluation') deps.reach('evaluation-drawn');
    await store(context, {
      key: { ...key, mark },
      drawn,
      answerTokens: answerTokensOf(context, { settings, prompt, drawn }),
    });
  } catch (error) {
    if (!isPolicyError(error)) throw error;
    await deps.store.call.saveCallError({ ...key, mark, error: error.message });
    if (error.kind === 'refused')
      return { rejected: { label: 'proposer-failed', message: `policy: ${error.message}`.slice(0, 1000) } };
    return reportEndpointDown(context, research, { what: 'policy', message: error.message });
  }
  await deps.store.call.recordEndpoint({ researchId: trial.researchId, down: null });
  const stored = await findDrawn(context);
  if (stored === null) throw createFencedFailure();
  return stored;
}

/** The prompt as chat messages, the form in which surfaces show the request of any call. */
const asMessages = (prompt: PolicyPrompt): { messages: readonly Message[] } =>
  prompt.form === 'chat' ? prompt : { messages: [{ role: 'user', content: prompt.text }] };

/**
 * The weights of a policy version. Version 0 is the base with which the research began. The weights of an ended
 * research may be removed before its last evaluations begin.
 */
async function weightsOf(
  { deps, trial: { researchId } }: ProposeContext,
  { base, version }: { base: string; version: number },
): Promise<PolicyStart | { rejected: Failure }> {
  const start = await policyStartOf(deps, { researchId, base });
  if (version === 0) return start;
  const update = await deps.store.learning.findUpdate({ researchId, k: version });
  if (update && update.removedAt !== null)
    return {
      rejected: { label: 'proposer-failed', message: `policy: the weights of version ${version} were removed` },
    };
  const found = await deps.store.learning.findVersion({ researchId, version });
  if (!found) throw new Error(`Expected version ${version} of the policy of ${researchId} in the database`);
  const path = deps.policy.checkpoints.folder(found.stepKey);
  return { model: start.model, checkpoint: { path, sha256: found.checkpoint } };
}

/** Tokens that decide an answer in knobs; null: all tokens do. */
const answerTokensOf = (
  { version, files }: ProposeContext,
  { settings, prompt, drawn }: { settings: PolicySettings; prompt: PolicyPrompt; drawn: Sample },
): AnswerTokens | null =>
  settings.answers === 'knobs' ? findAnswerTokens(drawn, { prompt, knobs: version.task.knobs, files }) : null;

/** Stores answer and sample in one transaction: one without the other would be drawn again, or never learnt from. */
async function store(
  { deps, trial }: ProposeContext,
  {
    key,
    drawn,
    answerTokens,
  }: { key: { trialId: string; turn: number; mark: string }; drawn: Sample; answerTokens: AnswerTokens | null },
): Promise<void> {
  const { text, finishReason, policyVersion, promptIds, completionIds, logprobs, latencySeconds } = drawn;
  const [tokensIn, tokensOut] = [promptIds.length, completionIds.length];
  const outcome = { finishReason, refusal: null };
  await deps.store.withResearch(trial.researchId, async (tx) => {
    const saved = await tx.call.saveAnswer({
      ...key,
      answer: text,
      outcome,
      tokensIn,
      tokensOut,
      usd: null,
      latencySeconds,
    });
    if (!saved) throw createFencedFailure();
    const sample = { policyVersion, promptIds, completionIds, logprobs, text, finishReason };
    await tx.learning.saveSample({ trialId: trial.id, ...sample, answerTokens });
  });
}
