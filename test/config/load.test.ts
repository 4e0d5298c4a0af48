import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolEnv, workerEnv } from '../../config/child-env.ts';
import { loadConfig } from '../../config/load.ts';
import { defaultHome, packageRoot } from '../../config/paths.ts';
import { describeVariables, VARIABLES } from '../../config/variables.ts';

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'perpetua-config-')));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the environment', () => {
  test('an empty environment gives the embedded stack, the default model and at least one slot', () => {
    const config = loadConfig({});
    expect(config).toMatchObject({
      databaseUrl: null,
      temporal: { address: null, namespace: 'default', connection: {} },
      openai: { baseUrl: null, apiKey: null, model: 'gpt-5-mini', prices: {} },
      anthropic: { baseUrl: null, apiKey: null },
      gemini: { baseUrl: null, apiKey: null },
      logLevel: 'info',
      aliveSeconds: null,
      killFile: null,
    });
    expect(config.slots).toBeGreaterThanOrEqual(1);
  });

  test('an empty variable is an unset one', () => {
    expect(
      loadConfig({ DATABASE_URL: '', OPENAI_API_KEY: '', PERPETUA_SLOTS: '', TEMPORAL_ADDRESS: '' }),
    ).toMatchObject({ databaseUrl: null, openai: { apiKey: null }, temporal: { address: null } });
  });

  test.each([
    ['PERPETUA_SLOTS', '0', /PERPETUA_SLOTS: expected a whole number from 1 to 9999, got "0"/],
    ['PERPETUA_SLOTS', '2.5', /PERPETUA_SLOTS: expected a whole number/],
    ['PERPETUA_CALL_DAYS', '0.5', /PERPETUA_CALL_DAYS: expected a whole number of days from 1 to 99999, got "0.5"/],
    ['PERPETUA_METRICS', 'localhost:9464', /PERPETUA_METRICS: expected an IP address and a port.*got "localhost:9464"/],
    ['PERPETUA_LOG_LEVEL', 'loud', /PERPETUA_LOG_LEVEL: expected trace, debug.*got "loud"/],
    ['PERPETUA_PRICES', '{"m": {"input": 1}}', /PERPETUA_PRICES: expected JSON like .*m\.output.*got/],
    ['PERPETUA_PRICES', 'cheap', /PERPETUA_PRICES: expected JSON like .*got "cheap"/],
    ['OPENAI_BASE_URL', 'localhost', /OPENAI_BASE_URL: expected a URL like http.*got "localhost"/],
    ['ANTHROPIC_BASE_URL', 'host', /ANTHROPIC_BASE_URL: expected a URL like https.*got "host"/],
    ['GOOGLE_GEMINI_BASE_URL', 'ftp://h', /GOOGLE_GEMINI_BASE_URL: expected a URL like https/],
    ['PERPETUA_TRAINER_DEVICE', 'gpu', /PERPETUA_TRAINER_DEVICE: expected cpu or cuda, got "gpu"/],
    ['PERPETUA_TRAINER_DTYPE', 'float16', /PERPETUA_TRAINER_DTYPE: expected float32 or bfloat16/],
    ['PERPETUA_TRAINER_THREADS', '0', /PERPETUA_TRAINER_THREADS: expected a whole number from 1 to 999/],
    ['PERPETUA_POLICY_PROGRAM', 'node server.mjs', /PERPETUA_POLICY_PROGRAM: expected a JSON array of words/],
    ['PERPETUA_POLICY_URL', 'host:8000', /PERPETUA_POLICY_URL: expected a URL like/],
    ['PERPETUA_POLICY_KEY', 'two words', /PERPETUA_POLICY_KEY: expected printable ASCII .*not shown/],
    ['PERPETUA_POLICY_PROGRAM', '[]', /PERPETUA_POLICY_PROGRAM: expected a JSON array of words/],
    ['TEMPORAL_ADDRESS', 'http://host', /TEMPORAL_ADDRESS: expected host:port.*got "http:\/\/host"/],
    ['TEMPORAL_ADDRESS', 'host', /TEMPORAL_ADDRESS: expected host:port.*got "host"/],
  ])('%s=%s is refused with its name, what was expected and what came', (name, value, message) => {
    expect(() => loadConfig({ [name]: value })).toThrow(message);
  });

  test('a refused DATABASE_URL is not shown, and every problem is named at once', () => {
    const load = () => loadConfig({ DATABASE_URL: 'mysql://me:hunter2@host/db', PERPETUA_SLOTS: 'many' });
    expect(load).toThrow(/DATABASE_URL: expected a URL like postgres.*\nPERPETUA_SLOTS/s);
    expect(load).not.toThrow(/hunter2/);
  });

  test("Temporal's own variables give the way to any server", () => {
    const env = { TEMPORAL_ADDRESS: 'a.example:7233', TEMPORAL_NAMESPACE: 'lab', TEMPORAL_API_KEY: 'key' };
    expect(loadConfig(env).temporal).toEqual({
      address: 'a.example:7233',
      namespace: 'lab',
      connection: { apiKey: 'key', tls: true },
    });
  });

  test('prices are kept by model', () => {
    const { openai } = loadConfig({ PERPETUA_PRICES: '{"m": {"input": 0.25, "output": 2}}', OPENAI_MODEL: 'm' });
    expect(openai).toMatchObject({ model: 'm', prices: { m: { input: 0.25, output: 2 } } });
  });

  test('the trainer computes on the CPU, and models lie beside its folder or in the one that is named', () => {
    const usual = { python: null, device: 'cpu', dtype: 'float32', threads: 1, program: null, endpoint: null };
    const kept = join(homedir(), '.cache', 'perpetua');
    expect(loadConfig({}).trainer).toEqual({ ...usual, cache: join(kept, 'trainer'), models: join(kept, 'models') });
    const env = { PERPETUA_TRAINER_CACHE: '/big', PERPETUA_TRAINER_THREADS: '4', PERPETUA_PYTHON: '/opt/python' };
    const named = { ...usual, cache: '/big', models: '/big/models', threads: 4, python: '/opt/python' };
    expect(loadConfig(env).trainer).toEqual(named);
    const policy = { PERPETUA_POLICY_URL: 'http://h:8000/v1/', PERPETUA_POLICY_KEY: 'k' };
    expect(loadConfig(policy).trainer.endpoint).toEqual({ url: 'http://h:8000/v1', key: 'k' });
    expect(loadConfig({ PERPETUA_POLICY_PROGRAM: '["node", "s.mjs"]' }).trainer.program).toEqual(['node', 's.mjs']);
  });

  test('SSH_AUTH_SOCK names the agent, as for ssh', () => {
    expect(loadConfig({ SSH_AUTH_SOCK: '/run/agent' }).sshAgent).toBe('/run/agent');
    expect(loadConfig({}).sshAgent).toBeNull();
  });

  test('PERPETUA_CALL_DAYS sets how long requests and answers of models are kept; by default, they stay', () => {
    expect(loadConfig({ PERPETUA_CALL_DAYS: '30' }).callDays).toBe(30);
    expect(loadConfig({}).callDays).toBeNull();
  });

  test('PERPETUA_KEEPALIVE sets how often a worker asks its hosts for signs of life', () => {
    expect(loadConfig({ PERPETUA_KEEPALIVE: '0.5' }).aliveSeconds).toBe(0.5);
    expect(loadConfig({}).aliveSeconds).toBeNull();
    expect(() => loadConfig({ PERPETUA_KEEPALIVE: '0' })).toThrow('PERPETUA_KEEPALIVE: expected seconds from 0.1');
  });

  test('tools get no key of ours; workers of the embedded stack get none that is meant for another Temporal', () => {
    const config = loadConfig({
      PATH: '/bin',
      GOPROXY: 'x',
      OPENAI_API_KEY: 'k',
      DATABASE_URL: 'postgres://h/d',
      TEMPORAL_API_KEY: 'k',
      GITHUB_TOKEN: 'k',
      TEAM_SLACK_URL: 'k',
      PGPASSWORD: 'k',
    });
    expect(toolEnv(config)).toEqual({ PATH: '/bin', GOPROXY: 'x' });
    const temporal = { address: '127.0.0.1:1', namespace: 'default', embedded: true };
    const worker = workerEnv(config, { databaseUrl: 'postgres://h/e', temporal });
    expect(worker).toMatchObject({
      OPENAI_API_KEY: 'k',
      DATABASE_URL: 'postgres://h/e',
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    });
    expect(worker).not.toHaveProperty('TEMPORAL_API_KEY');
    const elsewhere = { databaseUrl: 'x', temporal: { ...temporal, embedded: false } };
    expect(workerEnv(config, elsewhere)).toHaveProperty('TEMPORAL_API_KEY');
  });

  test('every variable that is read is described once', () => {
    const text = describeVariables();
    for (const { name } of VARIABLES) expect(text).toContain(name);
    expect(new Set(VARIABLES.map(({ name }) => name)).size).toBe(VARIABLES.length);
  });
});

describe('the home', () => {
  test('inside the clone it is in the clone, wherever one stands', () => {
    expect(defaultHome(join(packageRoot(), 'infra', 'temporal'))).toBe(join(packageRoot(), '.perpetua'));
    expect(defaultHome(packageRoot())).toBe(join(packageRoot(), '.perpetua'));
  });

  test('elsewhere it is the nearest .perpetua above, else a new one here', async () => {
    await mkdir(join(folder, 'project', 'deep', 'er'), { recursive: true });
    expect(defaultHome(join(folder, 'project', 'deep'))).toBe(join(folder, 'project', 'deep', '.perpetua'));
    await mkdir(join(folder, 'project', '.perpetua'));
    expect(defaultHome(join(folder, 'project', 'deep', 'er'))).toBe(join(folder, 'project', '.perpetua'));
  });

  test('an installed package has its home in the home folder of the user, wherever one stands', async () => {
    const installed = join(folder, 'lib', 'node_modules', 'perpetua', 'dist', 'package');
    await mkdir(installed, { recursive: true });
    await mkdir(join(folder, 'other', '.perpetua'), { recursive: true });
    for (const cwd of [installed, join(folder, 'other')])
      expect(defaultHome(cwd, installed)).toBe(join(homedir(), '.perpetua'));
  });

  test('PERPETUA_HOME is taken from where one stands', () => {
    expect(loadConfig({ PERPETUA_HOME: 'state' }, folder).home).toBe(join(folder, 'state'));
  });
});

test("an empty CUDA_VISIBLE_DEVICES hides all GPUs, a stack's worker has it, too, and an unset one hides none", () => {
  const temporal = { address: '127.0.0.1:7233', namespace: 'n', embedded: true };
  const addresses = { databaseUrl: 'postgres://u:p@127.0.0.1:5432/d', temporal };
  const hidden = loadConfig({ CUDA_VISIBLE_DEVICES: '' });
  expect(loadConfig(workerEnv(hidden, addresses))).toMatchObject({ ownGpus: 'none', visibleGpus: '' });
  const seen = loadConfig({});
  expect(loadConfig(workerEnv(seen, addresses))).toMatchObject({ ownGpus: 'auto', visibleGpus: null });
});
