const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  'EPIPE',
  'ENOENT', // the socket file of a local Postgres
]);
/** SQLSTATE of a server that runs but accepts no session: starting, stopping, wrong password, no such database. */
const CLOSED = /^(57P0[123]|28[0-9A-Z]{3}|3D000|53300|08[0-9A-Z]{3})$/;
const TIMEOUT =
  /timeout exceeded when trying|Connection terminated|^(timeout expired|Query read timeout)$|is not queryable$/i;

/** True if this error itself (not its cause) says that Postgres cannot be reached now. */
export function isPostgresUnreachable(error: Error): boolean {
  const code = errorCode(error);
  const network = NETWORK.has(code ?? '') && (code !== 'ENOENT' || 'address' in error);
  return network || CLOSED.test(code ?? '') || TIMEOUT.test(error.message);
}

/** SQLSTATE of a rejected login. */
const LOGIN = /^28[0-9A-Z]{3}$/;
const NO_DATABASE = '3D000';
const TOO_MANY_CONNECTIONS = '53300';

/** Message for people about such an error, with the remedy. */
export function postgresUnreachableMessage(error: Error): string {
  const code = errorCode(error) ?? '';
  if (LOGIN.test(code))
    return `Postgres rejected the login (${error.message}). Check the user and the password in DATABASE_URL.`;
  if (code === NO_DATABASE)
    return `Postgres has no such database (${error.message}). Check the name in DATABASE_URL, or create the database.`;
  if (code === TOO_MANY_CONNECTIONS)
    return (
      `Postgres has no connection left (${error.message}). Close other clients, or raise max_connections ` +
      'or the limit of the role or database. Perpetua needs about 25 connections with one worker.'
    );
  return (
    `Cannot reach Postgres: ${error.message || String(errorCode(error))}. ` +
    'Start the stack with `npx perpetua up`, or check DATABASE_URL and PERPETUA_HOME.'
  );
}

export const errorCode = (error: Error): string | undefined =>
  'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** The error, its causes, and the members of aggregates, outermost first. */
export function errorChain(error: unknown): Error[] {
  if (!(error instanceof Error)) return [];
  const members = error instanceof AggregateError ? error.errors.flatMap(errorChain) : [];
  return [error, ...members, ...errorChain(error.cause)];
}
