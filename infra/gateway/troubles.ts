import type { ServerResponse } from 'node:http';
import type { ProtocolRule } from '../../domain/gateway/protocol.ts';
import type { GatewayEndpoint } from './endpoints.ts';
import type { Refusal } from './refuse.ts';

/** A signal that aborts when the caller closes the connection before the end of its answer. */
export function signalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => {
    if (!response.writableFinished) controller.abort(new Error('the caller closed the connection'));
  };
  if (response.destroyed) abort();
  response.on('close', abort);
  return controller.signal;
}

/** An endpoint that was not reached: the detail for the log, and the answer, which shows no address. */
export function unreachable(
  { endpoint, rule }: { endpoint: GatewayEndpoint; rule: ProtocolRule },
  error: unknown,
): { detail: string; refusal: Refusal } {
  const reason = textOf(error);
  return {
    detail: `cannot reach ${endpoint.shown} (check ${rule.variables.baseUrl}, and that it is up): ${reason}`,
    refusal: {
      status: 502,
      code: 'unreachable',
      message: `the endpoint of ${rule.title} cannot be reached; the log of the worker has the reason`,
    },
  };
}

/** Codes of errors after which an endpoint cannot have the request. */
const BEFORE_CONTACT = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'];

/** True if the endpoint was not contacted, so that a repeated request is not bought twice. */
export const isBeforeContact = (error: unknown): boolean =>
  error instanceof AggregateError
    ? error.errors.every(isBeforeContact)
    : BEFORE_CONTACT.includes((error as NodeJS.ErrnoException | null)?.code ?? '');

/** The answer in place of a redirect, which is not followed. */
export const movedRefusal = ({ title, variables }: ProtocolRule): Refusal => ({
  status: 502,
  code: 'unreachable',
  message: `the endpoint of ${title} answered with a redirect; change ${variables.baseUrl}`,
});

function textOf(error: unknown): string {
  // A host with several addresses fails with an AggregateError without a message.
  if (error instanceof AggregateError) return error.errors.map(textOf).join('; ');
  return error instanceof Error ? error.message || error.name : String(error);
}
