/** Milliseconds after which the server ends a statement, and then the driver gives up a server that is frozen. */
const STATEMENT_MS = 5000;
const FROZEN_MS = 8000;

/** The same database in sessions that write nothing, and whose statements end. */
export function readOnly(url: string): string {
  const changed = new URL(url);
  const before = changed.searchParams.get('options');
  const settings = ['default_transaction_read_only=on', `statement_timeout=${STATEMENT_MS}`].map((one) => `-c ${one}`);
  changed.searchParams.set('options', [...(before ? [before] : []), ...settings].join(' '));
  changed.searchParams.set('query_timeout', String(FROZEN_MS));
  return changed.href;
}
