import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Finding } from '../../../cli/doctor/finding.ts';
import { absentSandboxTools } from '../../../cli/doctor/tools.ts';
import { SYSTEM_PATH } from '../../../infra/system-path.ts';
import { runCli } from '../../../cli/run-cli.ts';
import { migrate } from '../../../db/migrate.ts';
import { query, urlAs } from '../../db/reader/support.ts';
import { makeDatabase } from '../../support/database/make-database.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'perpetua-doctor-test-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

async function doctor(env: Record<string, string>, ...args: string[]) {
  const written: string[] = [];
  const out = { write: (text: string) => written.push(text) };
  const io = {
    stdout: out,
    stderr: { write: () => undefined },
    env: { PATH: '/usr/bin:/bin', PERPETUA_HOME: home, ...env },
  };
  const code = await runCli(['doctor', ...args], io);
  return { code, text: written.join('') };
}
async function findings(env: Record<string, string>) {
  const { code, text } = await doctor(env, '--json');
  // One object, whatever it finds.
  const { ok, findings } = JSON.parse(text) as { ok: boolean; findings: Finding[] };
  return { code, ok, named: (name: string) => findings.find((finding) => finding.name === name) };
}

test('servers that do not answer are reported as missing, with what to do, no password, and exit code 1', async () => {
  const { code, ok, named } = await findings({
    DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/db',
    TEMPORAL_ADDRESS: '127.0.0.1:1',
  });
  expect([code, ok]).toEqual([1, false]);
  expect(named('postgres')).toMatchObject({ status: 'missing', fix: expect.stringContaining('DATABASE_URL') });
  expect(named('postgres')?.found).toMatch(/me@127\.0\.0\.1:1\/db: connect ECONNREFUSED/);
  expect(named('postgres')?.found).not.toContain('hunter2');
  expect(named('temporal')).toMatchObject({
    status: 'missing',
    found: '127.0.0.1:1: ECONNREFUSED',
    fix: expect.stringContaining('TEMPORAL_ADDRESS'),
  });
});

test('a machine without any setting needs nothing: optional parts are notes', async () => {
  const { code, named } = await findings({ PERPETUA_TRAINER_CACHE: home, PERPETUA_AGENT_CACHE: home });
  expect(code).toBe(0);
  for (const name of ['trainer', 'optimizer', 'agents'])
    expect(named(name)).toMatchObject({ status: 'note', fix: expect.stringContaining('install`') as unknown });
  expect(named('postgres')).toMatchObject({ status: 'ok', found: expect.stringMatching(/^18\.\S+, embedded/) });
  expect(named('model')).toMatchObject({ status: 'note', fix: expect.stringContaining('OPENAI_API_KEY') });
  expect(named('stack')?.found).toContain(`not running in ${home}`);
  expect(named('sandbox')?.found).toMatch(/contained by (pid-namespace|uid|process-group)\. A run can .*\.$/);
});

test('for your own database, doctor names the rights of the dashboard, and what an administrator can do', async () => {
  const url = await makeDatabase(inject('sharedPostgres'));
  const reader = async (databaseUrl: string) => (await findings({ DATABASE_URL: databaseUrl })).named('reader');
  expect(await reader(url)).toMatchObject({ status: 'ok', found: expect.stringContaining('the first start makes') });
  const user = `plain_${process.pid}`;
  await query(url, `create role ${user} login password 'hunter2'`, `alter schema public owner to ${user}`);
  await query(url, `grant all on database ${new URL(url).pathname.slice(1)} to ${user}`);
  const own = urlAs(url, [user, 'hunter2']);
  expect(await reader(own)).toMatchObject({ status: 'note', found: expect.stringContaining(`${user} may not make`) });
  await migrate(own);
  const fallen = await reader(own);
  expect(fallen).toMatchObject({
    status: 'note',
    found: expect.stringMatching(
      /all rights of DATABASE_URL, in read-only transactions: perpetua_reader_\w+ cannot log in/,
    ),
  });
  expect(fallen?.fix).toMatch(
    /administrator .* run: create role "perpetua_reader_\w+" .*default_transaction_read_only.*start Perpetua again$/,
  );
  const statements = /run: (.*); then/.exec(fallen?.fix ?? '')?.[1] ?? '';
  await query(url, ...statements.split('; '));
  await migrate(own);
  const made = await reader(own);
  expect(made).toMatchObject({ status: 'ok', found: expect.stringMatching(/reads as perpetua_reader_\w+$/) });
  expect(JSON.stringify([fallen, made])).not.toContain('hunter2');
});

test('the sandbox needs util-linux alone, and only its missing tools are named', async () => {
  expect(await absentSandboxTools(SYSTEM_PATH)).toEqual([]);
  expect(await absentSandboxTools('/nonexistent')).toEqual(['unshare', 'setpriv', 'mount']);
  const { text } = await doctor({});
  expect(text).not.toMatch(/bubblewrap|bwrap|systemd-run|cgroup/);
});

test('a model endpoint is shown without its key', async () => {
  const { named } = await findings({
    OPENAI_API_KEY: 'sk-secret',
    OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
    OPENAI_MODEL: 'm',
  });
  expect(named('model')).toMatchObject({
    status: 'ok',
    found:
      "m at http://127.0.0.1:9/v1 by OpenAI's Chat Completions (not tried), with a key, " +
      'no price (a money budget needs PERPETUA_PRICES); tasks with search.proposer auto or llm use ' +
      'the first with a model ' +
      '(set in this shell; a running worker has the settings of its own start)',
  });
});

test('endpoints of other providers are shown without their keys, and make `auto` mean `llm` with a model', async () => {
  const others = { ANTHROPIC_API_KEY: 'sk-secret', GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:9' };
  const { named } = await findings(others);
  expect(named('model')).toMatchObject({
    status: 'note',
    found:
      'none in this shell: `auto` means `mix`, which sets knobs ' +
      '(a running worker has the settings of its own start); ' +
      "no model (llm.model, or ANTHROPIC_MODEL) at Anthropic's by Anthropic's Messages (not tried), with a key; " +
      "no model (llm.model, or GEMINI_MODEL) at http://127.0.0.1:9 by Gemini's generateContent (not tried), no key",
  });
  const { named: withModel } = await findings({ ...others, GEMINI_MODEL: 'g' });
  expect(withModel('model')).toMatchObject({
    status: 'ok',
    found: expect.stringContaining("; g at http://127.0.0.1:9 by Gemini's generateContent") as string,
  });
});

test('the output for people is one line for each finding, with the fix below', async () => {
  const { text } = await doctor({});
  expect(text).toMatch(/^✓ node +\d+\./m);
  expect(text).toMatch(/^· model +none.*\n +→ set OPENAI_API_KEY/m);
});
