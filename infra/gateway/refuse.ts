import type { ServerResponse } from 'node:http';

/** An error that the gateway answers itself. */
export interface Refusal {
  status: 400 | 403 | 413 | 415 | 502 | 503;
  /** Reason for programs. */
  code: 'path' | 'endpoint' | 'budget' | 'request' | 'unreachable' | 'ledger';
  /** Sentence for people. */
  message: string;
}

/** Types of errors, by Anthropic's names. */
const TYPES: Record<Refusal['status'], string> = {
  400: 'invalid_request_error',
  403: 'permission_error',
  413: 'request_too_large',
  415: 'invalid_request_error',
  502: 'api_error',
  503: 'overloaded_error',
};

/** Answers with an error that the clients of all protocols read. Nothing happens if an answer has begun. */
export function refuse(response: ServerResponse, { status, code, message }: Refusal): void {
  if (response.headersSent || response.destroyed) return;
  const error = { type: TYPES[status], message: `perpetua: ${message}`, code };
  const body = Buffer.from(JSON.stringify({ type: 'error', error }));
  // A body that was not read makes the connection useless.
  const close = response.req.complete ? {} : { connection: 'close' };
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length, ...close });
  response.end(body);
}
