import { log } from '@temporalio/activity';
import { knownFacts, KNOB_WRITERS } from '../../domain/search/proposer/makers.ts';
import { NEIGHBOURS, PERSON } from '../../domain/search/proposer/table.ts';
import type { Task } from '../../domain/task/task.ts';
import type { SandboxMode } from '../../infra/compute.ts';
import type { PickDeps, PickStatements } from '../deps.ts';

/** Names whose candidates are the owner's own, or change declared values only. */
const OWNED = [...KNOB_WRITERS, NEIGHBOURS, PERSON];

/** The authors of what runs: the proposers that may be chosen, and the candidate that is run or edited next. */
export interface Author {
  /** The research's choice, with its settings. */
  proposer: unknown;
  researchId: string;
  /** Null if the research has none yet. */
  candidateId: string | null;
}

/**
 * The sandbox mode of a research's runs. Unreviewed code requires a sandbox; changes of declared knobs prefer one. The
 * strictest of the proposers that may be chosen decides for all runs, so that runs can be compared. The candidate's
 * ancestors count, too: code that a model wrote stays in every candidate edited from it. An injected candidate is the
 * owner's own code, like the task.
 */
export async function sandboxOf(
  store: PickStatements<'trial', 'hasForeignEdits'>['store'],
  task: Task,
  { proposer, researchId, candidateId }: Author,
): Promise<SandboxMode> {
  if (task.run.sandbox) return task.run.sandbox;
  // A proposer that this build does not know may write anything.
  if (knownFacts(proposer)?.writes !== 'knobs') return 'required';
  const isWritten =
    candidateId !== null && (await store.trial.hasForeignEdits({ researchId, candidateId, owned: OWNED }));
  return isWritten ? 'required' : 'preferred';
}

/** The sandbox mode of a person's command, and of the unmodified workspace: both are the owner's own code. */
export const commandSandbox = ({ run }: Task): SandboxMode => run.sandbox ?? 'preferred';

/** The reach of a task's runs in its pool. */
interface Exposure {
  /** Reach of the runs, in one sentence; null if no host of the pool answers. */
  exposure: string | null;
  /** Alert if a sandbox is preferred and cannot keep runs from the network and from our servers; otherwise null. */
  alert: string | null;
}

/**
 * Describes what a task's runs could reach. If that cannot be determined, the failure is logged, and the research
 * opens.
 */
export async function exposureOf(
  deps: PickDeps<'pools', 'protections'>,
  task: Task,
  mode: SandboxMode,
): Promise<Exposure> {
  const protections = await deps.pools.protections(mode, task.run.resources.pool).catch((error: unknown) => {
    log.warn('cannot determine what runs could reach', { task: task.name, error: String(error) });
    return null;
  });
  if (protections === null) return { exposure: null, alert: null };
  const { exposure, network, notes } = protections;
  const alert =
    mode === 'preferred' && !network
      ? `run.sandbox: preferred, but no sandbox is available: trials are untrusted. ${exposure} ${notes.join(' ')}`
      : null;
  return { exposure, alert };
}
