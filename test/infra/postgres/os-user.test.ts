import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const OS_USER = new URL('../../../infra/postgres/os-user.ts', import.meta.url).pathname;
const compiled = OS_USER.replace('/infra/', '/dist/infra/').replace(/ts$/, 'js');
/** No account has it. */
const NAMELESS = 65_300;

test.skipIf(process.getuid?.() !== 0)('a user without a name is told what to do before Postgres is begun as it', () => {
  const program = `
    const { postgresUser } = await import(${JSON.stringify(compiled)});
    try { postgresUser(null); console.log('taken'); } catch (error) { console.log(error.message); }`;
  const words = ['--reuid', String(NAMELESS), '--clear-groups', process.execPath, '--input-type=module', '-e', program];
  const { stdout } = spawnSync('setpriv', words, { encoding: 'utf8' });
  expect(stdout).toMatch(/^Expected the user 65300 to have a name \(an entry in \/etc\/passwd\).*set DATABASE_URL/);
});
