import type { HostFaultCode } from '../../domain/fault/host-fault.ts';

/** Setup commands of a task failed on a host. The host or the task is at fault, never the trial. */
export class SetupFailedError extends Error {
  override readonly name = 'SetupFailedError';
  readonly code = 'setup-failed' satisfies HostFaultCode;
  readonly logTail: string;
  constructor(message: string, logTail: string) {
    super(message);
    this.logTail = logTail;
  }
}

/** The sandbox cannot hide a folder at its path; the message says what to do. */
export class CannotHideError extends Error {
  override readonly name = 'CannotHideError';
}

/** The host cannot give the sandbox that `sandbox: required` demands; the message says how to enable one. */
export class SandboxUnavailableError extends Error {
  override readonly name = 'SandboxUnavailableError';
  readonly code = 'no-sandbox' satisfies HostFaultCode;
}

/** A task names a folder that no run may see: it leads to a user's keys, or into PERPETUA_HOME. */
export class CannotShowError extends Error {
  override readonly name = 'CannotShowError';
  readonly code = 'cannot-show' satisfies HostFaultCode;
  /** Reason, as the end of a sentence. */
  readonly why: string;
  constructor(host: string, refusal: { folder: string; real: string; why: string; ofPath: boolean }) {
    const { folder, real, why, ofPath } = refusal;
    const key = ofPath ? 'run.path' : 'run.readable';
    const got = real === folder ? folder : `${folder}, which leads to ${real}`;
    super(`${key}: expected a folder of host ${host} that runs may see; got ${got}: ${why}; name another folder`);
    this.why = why;
  }
}

/** A host failed, not a run: the scheduler puts the host in quarantine. The message says what to do. */
export abstract class HostError extends Error {
  abstract readonly code: HostFaultCode;
  readonly host: string;
  constructor(host: string, message: string, options?: ErrorOptions) {
    super(`host ${host}: ${message}`, options);
    this.host = host;
  }
}

/** No worker here serves the host: it belongs to another machine, or the fleet no longer has it. */
export class HostGoneError extends HostError {
  override readonly name = 'HostGoneError';
  override readonly code = 'host-unknown' satisfies HostFaultCode;
}

/** A run directory is gone from its host, which was cleared or set up again. A retry cannot succeed. */
export class RunGoneError extends HostError {
  override readonly name = 'RunGoneError';
  override readonly code = 'run-gone' satisfies HostFaultCode;
  constructor(host: string, { run, state }: { run: { jobId: string; placement: number }; state: string }) {
    const directory = `the run directory of ${run.jobId}, placement ${run.placement}`;
    const consequence = 'the run counts as lost, and is placed at most once more';
    super(host, `expected ${directory}; it is ${state}: the host was cleared or set up again; ${consequence}`);
  }
}

/**
 * A newer conversation with the run replaced this one, begun by the attempt that took over. The end of the old
 * conversation says nothing about the candidate.
 */
export class ConversationReplacedError extends Error {
  override readonly name = 'ConversationReplacedError';
  readonly code = 'talk-replaced' satisfies HostFaultCode;
  constructor(host: string, run: { jobId: string }) {
    super(`host ${host}: a newer conversation with ${run.jobId} replaced this one`);
  }
}

/** Another process holds the slot's GPU. The slot cannot be used; the other slots of its host can. */
export class SlotTakenError extends Error {
  override readonly name = 'SlotTakenError';
  readonly code = 'slot-taken' satisfies HostFaultCode;
}

/** The stage of a run is not on its host, or no longer there: the caller stages it first. */
export class StageMissingError extends Error {
  override readonly name = 'StageMissingError';
  readonly code = 'stage-missing' satisfies HostFaultCode;
  constructor(stageHash: string, host: string, damage?: string) {
    super(`stage ${stageHash}: expected it on host ${host}${damage ? ` (${damage})` : ''}; call stage() first`);
  }
}

/**
 * Reason why a host cannot be reached: its name does not resolve, its port refuses, it does not answer in time, there
 * is no route, or it closed the connection.
 */
export type Unreachable = 'name' | 'refused' | 'timeout' | 'route' | 'closed';

/** The connection failed or was lost: a retry may succeed. */
export class HostUnreachableError extends HostError {
  override readonly name = 'HostUnreachableError';
  override readonly code = 'host-unreachable' satisfies HostFaultCode;
  readonly reason: Unreachable;
  constructor(host: string, reason: Unreachable, options: { message: string; cause?: unknown }) {
    super(host, options.message, { cause: options.cause });
    this.reason = reason;
  }
}

/** The host presented a key that is not trusted, or another key than before. */
export class HostKeyError extends HostError {
  override readonly name = 'HostKeyError';
  override readonly code = 'host-key' satisfies HostFaultCode;
}

/** The host refused every key that this worker offered. */
export class HostAuthError extends HostError {
  override readonly name = 'HostAuthError';
  override readonly code = 'host-auth' satisfies HostFaultCode;
}

/** The configuration of the host cannot be used: an alias, a key file, or an unsupported option. */
export class HostConfigError extends HostError {
  override readonly name = 'HostConfigError';
  override readonly code = 'host-config' satisfies HostFaultCode;
}

/** The login succeeded, but the host cannot work: a tool or the scratch folder is missing, or the disk is full. */
export class HostUnusableError extends HostError {
  override readonly name = 'HostUnusableError';
  override readonly code = 'host-unusable' satisfies HostFaultCode;
}
