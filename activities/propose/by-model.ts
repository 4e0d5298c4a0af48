import type { Research } from '../../db/research/research.ts';
import type { Failure } from '../../domain/trial.ts';
import { NOTHING } from '../../domain/edit/answer/finish-reason.ts';
import { storedToolCalls, toolCallsText } from '../../domain/edit/tools/tool-call.ts';
import { describeDuplicate } from '../../domain/prompt/describe-known-outcome.ts';
import type { LlmProposerSettings } from '../../domain/search/proposer/llm.ts';
import { candidateContent, deletedIn } from '../../domain/trial/candidate.ts';
import { readsOf } from '../../domain/search/context/table.ts';
import { askModel } from './ask-model.ts';
import { refusedChange } from './operator/refused-change.ts';
import { readAnswer } from './read-answer.ts';
import type { UnusableAnswer, ModelAnswer, Proposal, ProposeContext, Proposed } from './propose-context.ts';
import { nearBefore } from './known/near.ts';
import { findSameProgram, samenessFor } from './known/same-program.ts';
import { seenOf } from './prompt/read-detailed-history.ts';

/**
 * Requests an answer from the model. If the answer is unusable, or proposes a known candidate or one much like it, the
 * next request gives the reason. Sends at most `llm.attempts` requests.
 */
export async function proposeByModel(
  context: ProposeContext,
  { research, settings }: { research: Research; settings: LlmProposerSettings },
): Promise<Proposal> {
  const { version, scope, files, trial, deps } = context;
  let correction: UnusableAnswer | null = null;
  let known: Proposal | null = null;
  let near: Proposal | null = null;
  let failure: Failure = { label: 'proposer-failed', message: 'the model was never asked' };
  const { attempts } = version.task.llm;
  const keepsMemory = trial.kind !== 'evaluation' && readsOf(version.task.search.context).memory;
  let requests = 0;
  for (let turn = trial.firstTurn; requests < attempts; turn += 1) {
    const stored = await deps.store.call.findCall({ trialId: trial.id, turn });
    // A late call of the agent whose arm was replaced may have the turn.
    if (stored && stored.protocol !== null) continue;
    requests += 1;
    const asked: ModelAnswer | { rejected: Failure } =
      stored && stored.answer !== null
        ? answerOf(stored)
        : await askModel(context, { research, settings, turn, correction });
    if ('rejected' in asked) {
      failure = asked.rejected;
      continue;
    }
    if (asked.finishReason === NOTHING) {
      await deps.store.call.saveUnused({ trialId: trial.id, turn, why: 'proposer-failed' });
      return near ?? known ?? { ok: false, failure: nothingAnswered(asked) };
    }
    const read = allowed(context, readAnswer({ ...asked, keepsMemory, form: version.task.llm.edits }, files, scope));
    const seen = read.ok ? await seenBefore(context, read.proposed) : null;
    const nearly = read.ok && seen === null ? await nearBefore(context, read.proposed.files) : null;
    if (read.ok && seen === null && nearly === null) return read;
    if (!read.ok) failure = read.failure;
    else if (nearly !== null) near = read;
    else known = read;
    await deps.store.call.saveUnused({ trialId: trial.id, turn, why: read.ok ? 'duplicate' : read.failure.label });
    correction = correctionOf(asked, seen ?? nearly ?? failure.message);
  }
  // A near duplicate is new and runs. A known candidate ends the trial as `cached`, which is more informative than the
  // failure of the last answer.
  return near ?? known ?? { ok: false, failure };
}

/** A readable answer, unless the operator of the trial does not allow its change. */
function allowed(context: ProposeContext, read: Proposal): Proposal {
  const failure = read.ok ? refusedChange(context, read.proposed) : null;
  return failure === null ? read : { ok: false, failure };
}

/** An unusable answer as the next request shows it. */
function correctionOf({ text, toolCalls = [] }: ModelAnswer, reason: string): UnusableAnswer {
  const answer = [text, toolCallsText(toolCalls)].filter((part) => part !== '').join('\n');
  return { answer, reason, lacksCalls: toolCalls.length === 0 };
}

/** A sentence on the trial that ran this program or is running it, with its result; null if the program is new. */
async function seenBefore(context: ProposeContext, { files }: Pick<Proposed, 'files'>): Promise<string | null> {
  const { deps, trial, version } = context;
  // An injected candidate runs in any case, and so does one that the platform runs again.
  if (trial.kind !== 'search') return null;
  const { immutableHash } = version;
  const id = deps.machine.sha256(candidateContent(files, immutableHash, deletedIn(files, version.mutablePaths)));
  const candidate = { id, immutableHash, files, sameness: await samenessFor(context, { immutableHash, files }) };
  const same = await findSameProgram(deps, { trial, candidate });
  if (same !== null && same.id === trial.parentId)
    return 'these edits change only comments and formatting. Propose a change of the program.';
  const seen = seenOf(await deps.store.trial.findKnownCandidate({ trial, candidateId: same?.id ?? id }));
  return seen && describeDuplicate(seen, { metric: version.task.metric.name, isSameText: same === null });
}

const answerOf = (call: { answer: string | null; outcome: unknown }): ModelAnswer => {
  const outcome = (call.outcome ?? {}) as Partial<ModelAnswer>;
  const { finishReason = null, refusal = null, why } = outcome;
  const toolCalls = storedToolCalls(outcome.toolCalls);
  const calls = toolCalls.length === 0 ? {} : { toolCalls };
  const answer = { text: call.answer ?? '', ...calls, finishReason, refusal };
  return why === undefined ? answer : { ...answer, why };
};

const nothingAnswered = ({ why = '' }: ModelAnswer): Failure => ({
  label: 'proposer-failed',
  message: `the endpoint answers other prompts, and this one with no completion: ${why}`.slice(0, 1000),
});
