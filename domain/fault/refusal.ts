import { launchFailureOf, PARTY_OF_FAULT, PARTY_OF_TYPE } from './attribute.ts';
import { type HostFaultCode, hostFaultOf } from './host-fault.ts';

/** Characters of a failed setup's last output that are shown; a trial's stored failure has room for them. */
const SETUP_CHARS = 1500;

/**
 * Reason why a working host does not suit a task: a lack of sandbox, memory or programs, or a setup that fails there.
 */
export interface Refusal {
  /** Failure of the trial if all hosts refuse it. */
  why: 'failed' | 'setup-failed' | 'tools-missing';
  detail: string;
}

/** Keys whose party is the task. */
type OfTask<Parties> = { [K in keyof Parties]: Parties[K] extends 'task' ? K : never }[keyof Parties];
type TaskFault = OfTask<typeof PARTY_OF_FAULT>;
type TaskFailure = OfTask<typeof PARTY_OF_TYPE>;

/** Failure of the trial by each fault of its task. */
const WHY = {
  'no-sandbox': 'failed',
  'cannot-show': 'tools-missing',
  'setup-failed': 'setup-failed',
  SetupFailedError: 'setup-failed',
  TooLittleMemory: 'failed',
  ToolsMissing: 'tools-missing',
} as const satisfies Record<TaskFault | TaskFailure, Refusal['why']>;

const isTaskFault = (code: HostFaultCode): code is TaskFault => PARTY_OF_FAULT[code] === 'task';
const isTaskFailure = (type: keyof typeof PARTY_OF_TYPE): type is TaskFailure => PARTY_OF_TYPE[type] === 'task';

/** The error as a refusal by a host, after which the task may run on another one; null for any other error. */
export function refusalOf(error: unknown): Refusal | null {
  const type = launchFailureOf(error);
  if (type !== null && isTaskFailure(type)) return { why: WHY[type], detail: (error as Error).message };
  const fault = hostFaultOf(error);
  if (fault === null || !isTaskFault(fault.code)) return null;
  const output = fault.code === 'setup-failed' ? fault.logTail.slice(-SETUP_CHARS) : '';
  return { why: WHY[fault.code], detail: [fault.message, output].filter(Boolean).join('\n') };
}
