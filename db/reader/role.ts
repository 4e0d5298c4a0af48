import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import pg from 'pg';

/** The database role that the dashboard reads with. Its name and password follow from the installation: all homes of a database agree. */
export interface ReaderRole {
  name: string;
  password: string;
}

/** A role belongs to the whole server: two installations on one must not share it. */
export const readerRole = ({ id, secret }: { id: string; secret: string }): ReaderRole => ({
  name: `perpetua_reader_${id.replaceAll('-', '').slice(0, 12)}`,
  password: createHmac('sha256', secret).update('password of perpetua_reader').digest('base64url'),
});

/** Most statements take milliseconds; one that takes longer than this slows runs down. */
export const STATEMENT_TIMEOUT_MS = 5000;
/** Each server has at most five; a few homes may share a database. */
const CONNECTIONS = 20;

/** Defaults of each of its sessions. */
export const SETTINGS: Record<string, string> = {
  default_transaction_read_only: 'on',
  statement_timeout: `${STATEMENT_TIMEOUT_MS}ms`,
  idle_in_transaction_session_timeout: '10s',
};

/** What only a superuser may say of a role, and what a new role is anyway. */
const POWERLESS = 'nosuperuser nocreatedb nocreaterole noreplication nobypassrls';

/** Statements that make the role, or bring one that is there to what it should be. */
export function roleStatements(role: ReaderRole, options: { exists: boolean; superuser: boolean }): string[] {
  const name = pg.escapeIdentifier(role.name);
  const powers = options.superuser ? ` ${POWERLESS}` : '';
  const rights = `login${powers} connection limit ${CONNECTIONS} password ${pg.escapeLiteral(verifierOf(role))}`;
  return [
    `${options.exists ? 'alter' : 'create'} role ${name} with ${rights}`,
    ...Object.entries(SETTINGS).map(([key, value]) => `alter role ${name} set ${key} = ${pg.escapeLiteral(value)}`),
  ];
}

const ITERATIONS = 4096;

/** The password as the server keeps it (RFC 5803): a statement with the password itself could be logged. */
function verifierOf({ name, password }: ReaderRole): string {
  const salt = createHmac('sha256', password).update(name).digest().subarray(0, 16);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const keyed = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${keyed('Server Key').toString('base64')}`;
}
