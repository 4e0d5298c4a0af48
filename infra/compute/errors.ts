import type { HostFaultCode } from '../../domain/fault/host-fault.ts';

/** The task's setup commands failed on a host: the host's or the task's fault, never the trial's. */
export class SetupFailedError extends Error {
  override readonly name = 'SetupFailedError';
  readonly code = 'setup-failed' satisfies HostFaultCode;
  readonly logTail: string;
  constructor(message: string, logTail: string) {
    super(message);
    this.logTail = logTail;
  }
}

/** A folder cannot be kept from runs where it lies; the message says what to do. */
export class CannotHideError extends Error {
  override readonly name = 'CannotHideError';
}

/** `sandbox: required` and this host cannot give one; the message says how to get it. */
export class SandboxUnavailableError extends Error {
  override readonly name = 'SandboxUnavailableError';
  readonly code = 'no-sandbox' satisfies HostFaultCode;
}

/** A task names a folder that no run may see: it leads to somebody's keys, or into Perpetua's own home. */
export class CannotShowError extends Error {
  override readonly name = 'CannotShowError';
  readonly code = 'cannot-show' satisfies HostFaultCode;
  /** As a sentence's end. */
  readonly why: string;
  constructor(host: string, of: { folder: string; real: string; why: string; ofPath: boolean }) {
    const { folder, real, why, ofPath } = of;
    const where = real === folder ? folder : `${folder}, which is ${real}`;
    super(
      `${ofPath ? 'run.path' : 'run.readable'}: expected a folder of host ${host} that runs may see; came ${where}: ${why}; name another folder`,
    );
    this.why = why;
  }
}

/** A host failed, not a run: whoever places runs takes the host out for a while. The message says what to do. */
export abstract class HostError extends Error {
  abstract readonly code: HostFaultCode;
  readonly host: string;
  constructor(host: string, message: string, options?: ErrorOptions) {
    super(`host ${host}: ${message}`, options);
    this.host = host;
  }
}

/** Nobody here works with that host: it is another machine's own, or is not in the fleet any more. */
export class HostGoneError extends HostError {
  override readonly name = 'HostGoneError';
  override readonly code = 'host-unknown' satisfies HostFaultCode;
}

/** Nothing is left of a run that was there: its host was cleared, or set up anew. Asking again brings nothing back. */
export class RunGoneError extends HostError {
  override readonly name = 'RunGoneError';
  override readonly code = 'run-gone' satisfies HostFaultCode;
  constructor(host: string, { run, state }: { run: { trialId: string; placement: number }; state: string }) {
    super(host, `expected what run ${run.placement} of ${run.trialId} left; it is ${state}: somebody cleared the host`);
  }
}

/** Another conversation with that run was begun, by whoever goes on with it: this one says nothing about the candidate. */
export class ConversationReplacedError extends Error {
  override readonly name = 'ConversationReplacedError';
  readonly code = 'talk-replaced' satisfies HostFaultCode;
  constructor(host: string, run: { trialId: string }) {
    super(`host ${host}: another conversation with ${run.trialId} was begun; this one was ended for it`);
  }
}

/** A slot's GPU is held by somebody else by now: that slot serves nobody, its host goes on. */
export class SlotTakenError extends Error {
  override readonly name = 'SlotTakenError';
  readonly code = 'slot-taken' satisfies HostFaultCode;
}

/** The workspace of a run is not on its host, or not any more: it is to be staged first. */
export class StageMissingError extends Error {
  override readonly name = 'StageMissingError';
  readonly code = 'stage-missing' satisfies HostFaultCode;
  constructor(stageHash: string, host: string, damage?: string) {
    super(`stage ${stageHash}: expected it on host ${host}${damage ? ` (${damage})` : ''}; call stage() first`);
  }
}

/** How a host cannot be reached: its name, its port, no answer in time, no way there, or it hung up. */
export type Unreachable = 'name' | 'refused' | 'timeout' | 'route' | 'closed';

/** No connection, or it was lost: another attempt may go through. */
export class HostUnreachableError extends HostError {
  override readonly name = 'HostUnreachableError';
  override readonly code = 'host-unreachable' satisfies HostFaultCode;
  readonly reason: Unreachable;
  constructor(host: string, reason: Unreachable, options: { message: string; cause?: unknown }) {
    super(host, options.message, { cause: options.cause });
    this.reason = reason;
  }
}

/** The host showed a key that nobody has vouched for, or another one than before. */
export class HostKeyError extends HostError {
  override readonly name = 'HostKeyError';
  override readonly code = 'host-key' satisfies HostFaultCode;
}

/** The host refused every key that we have. */
export class HostAuthError extends HostError {
  override readonly name = 'HostAuthError';
  override readonly code = 'host-auth' satisfies HostFaultCode;
}

/** What we were told of the host cannot be used: an alias, a key file, an option that is not supported. */
export class HostConfigError extends HostError {
  override readonly name = 'HostConfigError';
  override readonly code = 'host-config' satisfies HostFaultCode;
}

/** We are in, and the host cannot do its work: a missing tool, a full disk, a scratch folder that is gone. */
export class HostUnusableError extends HostError {
  override readonly name = 'HostUnusableError';
  override readonly code = 'host-unusable' satisfies HostFaultCode;
}
