import type { Notice } from '../../domain/notify/message.ts';
import type { Environment } from '../network/proxy.ts';

/** A message that is ready to be sent. */
export interface Outgoing {
  /** The message as it will be sent, in lines, without secrets. */
  shown: string[];
  /** Texts that no error and no log may contain. */
  secrets: readonly string[];
  /** Sends it; returns the answer in a few words. Throws if the sink did not take it. */
  send: (signal: AbortSignal) => Promise<string>;
}

/** Surroundings of a sink. */
export interface SinkContext {
  /** Environment with the secrets, the proxy and the trusted certificates. */
  env: Environment;
  /** Environment of commands, without Perpetua's keys. */
  commandEnv: Readonly<Record<string, string>>;
  now: Date;
}

/** Makes a notice ready for one kind of sink. Throws SinkError if the sink cannot be used. */
export type SinkAdapter<Spec> = (spec: Spec, notice: Notice, context: SinkContext) => Promise<Outgoing>;

/** Longest text of an answer or an error that is kept, in characters. */
export const LONGEST_ANSWER = 200;

/** A sink that cannot be used, or that refused a message. The message contains no secret. */
export class SinkError extends Error {
  override readonly name = 'SinkError';
}
