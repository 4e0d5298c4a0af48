import { tooLargeTogether } from '../../domain/edit/mutable-size.ts';
import { unfitReason } from '../../domain/edit/apply-edits.ts';
import { findViolation } from '../../domain/edit/scope/edit-scope.ts';
import type { CandidateFiles, NewCandidate } from '../../db/trial/candidate.ts';
import { editScopeOf } from '../task/edit-scope.ts';
import { candidateContent, deletedIn } from '../../domain/trial/candidate.ts';
import { senderField, type Sender } from '../../domain/messages/sender.ts';
import type { Inject } from '../../domain/messages.ts';
import { withSettings } from '../../domain/task/overrides.ts';
import { startingPoint } from '../../domain/search/parent/starting-point.ts';
import type { Store } from '../../db/store.ts';
import { PERSON } from '../../domain/search/proposer/table.ts';
import type { KnobValues } from '../../domain/knob/knob-value.ts';
import { knobsAndStructure } from '../propose/structure-of.ts';
import type { ActivityDeps, PickDeps } from '../deps.ts';
import { parentFiles } from '../propose/parent-files.ts';
import { searchPointsOf } from './search-points-of.ts';

interface InjectInput {
  researchId: string;
  /** The task version that the proposal was checked against. */
  taskHash: string;
  /** Key of the injection. A repeated call with the same key does nothing. */
  key: string;
  candidate: NewCandidate;
  /** Values of the task's knobs in its files. */
  knobs: KnobValues;
  /** Hash of its files without the literals of the knobs. */
  structure: string | null;
  parentId: string;
  hypothesis: string;
  sender?: Sender | undefined;
}

/** Most characters of a hypothesis in its event. */
const EVENT_CHARACTERS = 300;

/** Queues a run of a person's proposal, ahead of new proposals. Throws if the task has changed since the check. */
export async function injectRun({ withResearch }: Pick<Store, 'withResearch'>, input: InjectInput): Promise<void> {
  const { researchId, taskHash, key, candidate, knobs, structure, parentId, hypothesis, sender } = input;
  await withResearch(researchId, async (tx, research) => {
    if (research.taskHash !== taskHash)
      throw new Error(`the task of ${researchId} changed meanwhile: the proposal has to be checked again`);
    if (await tx.research.isInjected({ researchId, key })) return;
    await tx.trial.saveCandidate(candidate);
    const proposer = candidate.id === research.baselineCandidate ? null : PERSON;
    await tx.trial.saveKnobs({ researchId, taskHash, candidateId: candidate.id, knobs, structure, proposer });
    const proposal = { key, parentId, hypothesis };
    await tx.research.insertInjected({ researchId, candidateId: candidate.id, proposal });
    const data = { key, hypothesis: hypothesis.slice(0, EVENT_CHARACTERS), ...senderField(sender) };
    await tx.event.insertEvents([{ kind: 'idea-injected', researchId, data }]);
  });
}

type Deps = Pick<ActivityDeps, 'store'> & PickDeps<'machine', 'sha256'>;
type Injection = Inject & { researchId: string; key: string; altered?: boolean; sender?: Sender };

/** Checks and queues a person's proposal, once per key. Returns the reason of a refusal, or null. */
export async function injectProposal({ store, machine }: Deps, input: Injection): Promise<string | null> {
  if (input.altered)
    return 'expected text, got NUL characters or halves of characters (lone surrogates); send it without them';
  const research = await store.research.findResearch(input.researchId);
  if (!research) return `research ${input.researchId} is not in the database`;
  const before = await store.research.findInjectedByKey({ researchId: research.id, key: input.key });
  // The task may have changed since the first request, so the rules below do not apply to a repeated one.
  if (before !== null) return otherFilesReason(input, await store.trial.loadCandidate(before.candidateId));
  const version = await store.task.loadTaskVersion(research.taskHash);
  const scope = await editScopeOf(store, version);
  const outside = Object.keys(input.files).find((path) => !version.mutablePaths.includes(path));
  if (outside !== undefined && scope.rules.create.length === 0)
    return outsideReason(outside, version, await store.task.listWorkspace(version.hash));
  const unfit = Object.entries(input.files).flatMap(([path, text]) => unfitReason(path, text) ?? []);
  if (unfit[0] !== undefined) return `files: ${unfit[0]}`;
  const { search } = withSettings(version.task, research.settings);
  const parentId = startingPoint(search.parent, searchPointsOf(research));
  const parent = await parentFiles(store, { parentId, version });
  const unknown = (input.delete ?? []).find((path) => !Object.hasOwn(parent, path) || Object.hasOwn(input.files, path));
  if (unknown !== undefined)
    return `delete: expected files of the candidate that it starts from, and none of files, got ${nameOf(unknown)}`;
  const kept = Object.entries(parent).filter(([path]) => input.delete?.includes(path) !== true);
  const files = Object.fromEntries([...kept, ...Object.entries(input.files)]);
  const violation = findViolation(parent, files, scope);
  if (violation !== null) return `files.${nameOf(violation.path)}: ${violation.reason}`;
  // The files of the message alone may be small enough: the parent has the others.
  const excess = tooLargeTogether(files);
  if (excess !== null) return `files: ${excess}`;
  const deleted = deletedIn(files, version.mutablePaths);
  await injectRun(store, {
    researchId: research.id,
    taskHash: research.taskHash,
    key: input.key,
    candidate: {
      id: machine.sha256(candidateContent(files, version.immutableHash, deleted)),
      immutableHash: version.immutableHash,
      files,
      deleted,
    },
    ...knobsAndStructure(version.task.knobs, files),
    parentId,
    hypothesis: input.hypothesis,
    sender: input.sender,
  });
  return null;
}

/** Reason to refuse a key whose proposal has other files; null if the message has the same. */
function otherFilesReason({ key, files, delete: removed = [] }: Injection, stored: CandidateFiles): string | null {
  const changed = Object.entries(files).find(([path, text]) => stored.files[path] !== text)?.[0];
  const other = changed ?? removed.find((path) => Object.hasOwn(stored.files, path));
  if (other === undefined) return null;
  return `key: expected a new key for other files, got ${JSON.stringify(key)}, whose ${nameOf(other)} is different`;
}

/** Reason to refuse a file that is not mutable. */
function outsideReason(
  path: string,
  { mutablePaths }: { mutablePaths: readonly string[] },
  workspace: readonly { path: string }[],
): string {
  const isThere = workspace.some((file) => file.path === path);
  const why = isThere ? 'this file is immutable' : 'the workspace has no such file';
  return `files.${nameOf(path)}: expected one of the mutable files ${mutablePaths.join(', ')}; ${why}`;
}

/** A path unchanged, or in quotes if it could be misread. */
const nameOf = (path: string): string => (/^\w[\w./-]*$/.test(path) ? path : JSON.stringify(path));
