import type { Job } from '../../../db/job/job.ts';
import { describeAgentEnd } from '../../../domain/agent/describe-agent-end.ts';
import { changedNothing, outageOf } from '../../../domain/agent/outage.ts';
import { lastMessage } from '../../../domain/agent/last-message.ts';
import { NEW_FILES, readNewFiles } from '../../../domain/agent/new-files.ts';
import type { Edit } from '../../../domain/edit/edit.ts';
import { readAgentProposal } from '../../../domain/agent/read-proposal.ts';
import type { StoredEnd } from '../../run/collect.ts';
import type { Proposal, ProposeContext } from '../propose-context.ts';

const NO_LIST = 'the list of new files is missing or cannot be read: the agent was ended before its script made it';

/** A proposal, and why the agent's endpoint did not serve it although it left none; null: it did. */
export type AgentsProposal = Proposal & { outage: string | null };

/** Reads what the agent of an ended run left: its files, how it ended, and its calls. */
export async function readProposal(
  { deps, trial, files, scope }: Pick<ProposeContext, 'deps' | 'trial' | 'files' | 'scope'>,
  { job, placement }: { job: Pick<Job, 'id' | 'ending'>; placement: number },
): Promise<AgentsProposal> {
  const key = { jobId: job.id, placement };
  const run = await deps.store.run.findRun(key);
  const end = (run?.end ?? null) as StoredEnd | null;
  if (!run || end === null) {
    const why = job.ending?.detail ?? job.ending?.why ?? 'no run of it has an end';
    const message = `the agent did not run to an end: ${why}`;
    return { ok: false, failure: { label: 'proposer-failed', message }, outage: null };
  }
  const [artefacts, calls] = await Promise.all([
    deps.store.run.loadArtefacts(key),
    deps.store.call.readAnswered(trial),
  ]);
  const list = artefacts.find(({ path }) => path === NEW_FILES)?.content;
  const created = list === undefined ? undefined : readNewFiles(list);
  if (created === null || (created === undefined && scope.rules.create.length > 0))
    return { ok: false, failure: { label: 'proposer-failed', message: NO_LIST }, outage: null };
  const proposal = readAgentProposal({
    parent: files,
    scope,
    ...(created === undefined ? {} : { created }),
    left: new Map(artefacts.map(({ path, content }) => [path, content])),
    tooLarge: end.tooLarge,
    ending: describeAgentEnd({ end, stop: run.stop }),
    exitCode: end.exitCode,
    calls: calls.count,
    message: lastMessage(calls.latest),
    output: run.logTail ?? '',
  });
  if (!proposal.ok) {
    const isIdle = changedNothing(proposal.failure.label);
    const last = isIdle ? await deps.store.call.findLastCall({ trialId: trial.id, ...key }) : null;
    return { ...proposal, outage: outageOf(last) };
  }
  return {
    ok: true,
    outage: null,
    proposed: {
      files: proposal.files,
      hypothesis: proposal.hypothesis,
      expectedDelta: null,
      edits: [
        ...proposal.changed.map((path): Edit => ({ path, content: proposal.files[path] ?? '' })),
        ...proposal.removed.map((path): Edit => ({ path, remove: true })),
      ],
    },
  };
}
