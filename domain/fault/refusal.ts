import { launchFailureOf, PARTY_OF_FAULT, PARTY_OF_TYPE } from './attribute.ts';
import { type HostFaultCode, hostFaultOf } from './host-fault.ts';

/** Of what a failed setup said last, for people: what a trial keeps of its failure has room for it. */
const SETUP_CHARS = 1500;

/** Why a host that works is none for a task: it lacks the sandbox, the memory or the programs, or the task's setup fails there. */
export interface Refusal {
  /** How the trial ends if hosts go on refusing it. */
  why: 'failed' | 'setup-failed' | 'tools-missing';
  detail: string;
}

/** Keys whose party is the task. */
type OfTask<Parties> = { [K in keyof Parties]: Parties[K] extends 'task' ? K : never }[keyof Parties];
type TaskFault = OfTask<typeof PARTY_OF_FAULT>;
type TaskFailure = OfTask<typeof PARTY_OF_TYPE>;

/** How a trial ends by each fault of its task. */
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

/** The refusal of a host that an error is: the task may go through elsewhere. Null for any other error. */
export function refusalOf(error: unknown): Refusal | null {
  const type = launchFailureOf(error);
  if (type !== null && isTaskFailure(type)) return { why: WHY[type], detail: (error as Error).message };
  const fault = hostFaultOf(error);
  if (fault === null || !isTaskFault(fault.code)) return null;
  const said = fault.code === 'setup-failed' ? fault.logTail.slice(-SETUP_CHARS) : '';
  return { why: WHY[fault.code], detail: [fault.message, said].filter(Boolean).join('\n') };
}
