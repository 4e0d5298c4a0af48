import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import pg from 'pg';

/**
 * Database role with which the dashboard reads. Name and password are derived from the installation, so that all homes
 * of a database agree.
 */
export interface ReaderRole {
  name: string;
  password: string;
}

/** Role of an installation. A role belongs to the whole server, so two installations on one have different names. */
export const readerRole = ({ id, secret }: { id: string; secret: string }): ReaderRole => ({
  name: `perpetua_reader_${id.replaceAll('-', '').slice(0, 12)}`,
  password: createHmac('sha256', secret).update('password of perpetua_reader').digest('base64url'),
});

/** Limit of a statement: most take milliseconds, and a longer one slows runs down. */
export const STATEMENT_TIMEOUT_MS = 5000;
/** Each dashboard server has at most five connections; a few homes may share a database. */
const CONNECTIONS = 20;

/** Defaults of the role's sessions. */
export const READER_SETTINGS: Record<string, string> = {
  default_transaction_read_only: 'on',
  statement_timeout: `${STATEMENT_TIMEOUT_MS}ms`,
  idle_in_transaction_session_timeout: '10s',
  // A page must not take the cores of the runs.
  max_parallel_workers_per_gather: '0',
  // Compiling a statement takes longer than any of them runs.
  jit: 'off',
};

/** Attributes that only a superuser may set, and that a new role has by default. */
const POWERLESS = 'nosuperuser nocreatedb nocreaterole noreplication nobypassrls';

/** Statements that create the role, or correct an existing one. */
export function roleStatements(role: ReaderRole, options: { exists: boolean; superuser: boolean }): string[] {
  const name = pg.escapeIdentifier(role.name);
  const powers = options.superuser ? ` ${POWERLESS}` : '';
  const rights = `login${powers} connection limit ${CONNECTIONS} password ${pg.escapeLiteral(verifierOf(role))}`;
  return [
    `${options.exists ? 'alter' : 'create'} role ${name} with ${rights}`,
    ...Object.entries(READER_SETTINGS).map(
      ([key, value]) => `alter role ${name} set ${key} = ${pg.escapeLiteral(value)}`,
    ),
  ];
}

const ITERATIONS = 4096;

/** Password verifier as the server stores it (RFC 5803): a statement with the password itself could be logged. */
function verifierOf({ name, password }: ReaderRole): string {
  const salt = createHmac('sha256', password).update(name).digest().subarray(0, 16);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const keyed = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${keyed('Server Key').toString('base64')}`;
}
