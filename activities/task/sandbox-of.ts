import { log } from '@temporalio/activity';
import { knownFacts, KNOB_WRITERS } from '../../domain/search/proposer/makers.ts';
import { NEIGHBOURS, PERSON } from '../../domain/search/proposer/table.ts';
import type { Task } from '../../domain/task/task.ts';
import type { SandboxMode } from '../../infra/compute.ts';
import type { Part, Statements } from '../deps.ts';

/** Whose changes are the owner's own, or of values that the task declared. */
const OWNED = [...KNOB_WRITERS, NEIGHBOURS, PERSON];

/** Whose code it is: who may propose now, and the candidate that is run or edited next. */
export interface Author {
  /** The research's choice, with its settings. */
  proposer: unknown;
  researchId: string;
  /** Null where the research has none yet. */
  candidateId: string | null;
}

/**
 * Code that nobody read gets a sandbox or nothing; declared knobs may do with less. Of several proposers that may be chosen the
 * strictest decides for all runs, so that they compare. Who proposes now does not tell: what a model wrote before goes on in
 * all that is edited from it. What a person injects is the owner's own, as the task is.
 */
export async function sandboxOf(
  store: Statements<'trial', 'isWrittenCode'>['store'],
  task: Task,
  { proposer, researchId, candidateId }: Author,
): Promise<SandboxMode> {
  if (task.run.sandbox) return task.run.sandbox;
  // One that this build does not know may write anything.
  if (knownFacts(proposer)?.writes !== 'knobs') return 'required';
  const isWritten =
    candidateId !== null && (await store.trial.isWrittenCode({ researchId, candidateId, owned: OWNED }));
  return isWritten ? 'required' : 'preferred';
}

/** Of a command of a person, which is the owner's own, as the unmodified workspace is. */
export const commandSandbox = ({ run }: Task): SandboxMode => run.sandbox ?? 'preferred';

/** The reach of a task's runs in its pool. */
interface Exposure {
  /** One sentence; null where no machine of the pool answers now. */
  exposure: string | null;
  /** Of a sandbox that was preferred, and leaves them a way to the network and to our servers. */
  alert: string | null;
}

/** Says what a task's runs could do. It is only told, so a failure to find it out is logged and opens the research all the same. */
export async function exposureOf(deps: Part<'pools', 'protections'>, task: Task, mode: SandboxMode): Promise<Exposure> {
  const there = await deps.pools.protections(mode, task.run.resources.pool).catch((error: unknown) => {
    log.warn('what its runs could do is not known', { task: task.name, error: String(error) });
    return null;
  });
  if (there === null) return { exposure: null, alert: null };
  const { exposure, network, notes } = there;
  const alert =
    mode === 'preferred' && !network
      ? `run.sandbox: preferred, and no sandbox can be had: trials are untrusted. ${exposure} ${notes.join(' ')}`
      : null;
  return { exposure, alert };
}
